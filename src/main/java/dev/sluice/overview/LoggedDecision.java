package dev.sluice.overview;

import dev.sluice.admission.EvictionReason;
import dev.sluice.overview.RecentDecisions.Kind;
import dev.sluice.overview.WorkloadReader.LoggedEvent;
import dev.sluice.quota.Amounts;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A decision as the log holds it, with the names that people know. The log's bodies are maps, so that what a later version adds does
 * not hinder an older reader: what is missing is left out.
 *
 * @param clusterQueue where the workload is charged or waits; null = not known any more
 * @param charge what it gets; empty = nothing is told
 * @param victims whom it preempts
 * @param why reason of an eviction, a refusal or a dropped earmark; null = none
 */
record LoggedDecision(
        long position,
        Instant at,
        Kind kind,
        String what,
        String name,
        @Nullable String clusterQueue,
        SortedMap<String, Long> charge,
        boolean borrows,
        List<Victim> victims,
        @Nullable String why) {
    LoggedDecision {
        victims = List.copyOf(victims);
    }

    record Victim(String name, @Nullable String clusterQueue, String reason) {}

    /** What makes decisions of about the same time tellable in one sentence. A preemption is always told by itself. */
    record Likeness(
            long positionOrZero,
            String what,
            @Nullable String clusterQueue,
            @Nullable String why) {}

    Likeness likeness() {
        return new Likeness(kind == Kind.PREEMPTS ? position : 0, what, clusterQueue, why);
    }

    static boolean isTold(LoggedEvent entry) {
        return switch (entry.kind()) {
            case "Admit", "Preempt", "DropEarmark", "Stuck", "ConfigurationReplaced" -> true;
            // The end that follows tells it.
            case "Evict" -> !EvictionReason.CANCELLED.code().equals(text(entry.body(), "reason"));
            case "Become" -> kind(entry) != Kind.CHANGES;
            default -> false;
        };
    }

    static LoggedDecision of(LoggedEvent entry, Map<WorkloadId, WorkloadRow> rows) {
        Map<?, ?> assignment = entry.body().get("assignment") instanceof Map<?, ?> map ? map : Map.of();
        WorkloadId workload = entry.workload();
        WorkloadRow row = workload == null ? null : rows.get(workload);
        String assigned = text(assignment, "clusterQueue");
        String charged = assigned == null ? text(entry.body(), "clusterQueue") : assigned;
        List<Victim> victims = victims(entry).entrySet().stream()
                .map(victim -> {
                    WorkloadRow of = rows.get(victim.getKey());
                    return new Victim(
                            name(victim.getKey(), of),
                            of == null ? null : of.status().clusterQueue(),
                            victim.getValue());
                })
                .toList();
        String why = text(entry.body(), "why");
        return new LoggedDecision(
                entry.position(),
                entry.at(),
                kind(entry),
                entry.kind().equals("Become") ? String.valueOf(text(entry.body(), "state")) : entry.kind(),
                workload == null ? String.valueOf(entry.body().get("version")) : name(workload, row),
                charged == null && row != null ? row.status().clusterQueue() : charged,
                charge(assignment),
                Boolean.TRUE.equals(assignment.get("borrows")),
                victims,
                why == null ? text(entry.body(), "reason") : why);
    }

    /** Preempted workloads and the code of the reason, in the order of the decision. */
    static Map<WorkloadId, String> victims(LoggedEvent entry) {
        Map<WorkloadId, String> victims = new LinkedHashMap<>();
        if (entry.body().get("victims") instanceof List<?> list) {
            for (Object each : list) {
                if (each instanceof Map<?, ?> victim && victim.get("workload") instanceof String id) {
                    victims.put(new WorkloadId(id), String.valueOf(text(victim, "reason")));
                }
            }
        }
        return victims;
    }

    private static Kind kind(LoggedEvent entry) {
        return switch (entry.kind()) {
            case "Admit" -> Kind.STARTS;
            case "Preempt" -> victims(entry).isEmpty() ? Kind.WAITS_FOR_ROOM : Kind.PREEMPTS;
            case "Evict", "Stuck" -> Kind.LEAVES;
            case "Become" ->
                switch (String.valueOf(text(entry.body(), "state"))) {
                    case "SUCCEEDED", "CANCELLED" -> Kind.ENDS;
                    case "FAILED", "INACTIVE" -> Kind.FAILS;
                    default -> Kind.CHANGES;
                };
            default -> Kind.CHANGES;
        };
    }

    private static SortedMap<String, Long> charge(Map<?, ?> assignment) {
        SortedMap<String, Long> charge = new TreeMap<>();
        if (assignment.get("podSets") instanceof List<?> podSets) {
            for (Object each : podSets) {
                if (each instanceof Map<?, ?> podSet && podSet.get("usage") instanceof Map<?, ?> usage) {
                    usage.forEach((resource, amount) -> {
                        if (resource instanceof String key && amount instanceof Number number) {
                            charge.merge(key, number.longValue(), Amounts::add);
                        }
                    });
                }
            }
        }
        return charge;
    }

    private static String name(WorkloadId id, @Nullable WorkloadRow row) {
        return row == null ? id.value() : row.workload().name();
    }

    private static @Nullable String text(Map<?, ?> map, String key) {
        return map.get(key) instanceof String text && !text.isBlank() ? text : null;
    }
}
