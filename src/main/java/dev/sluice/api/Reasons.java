package dev.sluice.api;

import dev.sluice.admission.Engine;
import dev.sluice.admission.QuotaUsage;
import dev.sluice.admission.WaitReason;
import dev.sluice.api.wire.WorkloadResponse;
import dev.sluice.api.wire.WorkloadResponse.WaitingResponse;
import dev.sluice.api.wire.WorkloadShape;
import dev.sluice.overview.EngineReader;
import dev.sluice.overview.ReasonText;
import dev.sluice.overview.WorkloadRow;
import dev.sluice.quota.Amounts;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Adds to rows why they wait, as the engine last found it. */
@Singleton
class Reasons {
    private final EngineReader engines;

    Reasons(EngineReader engines) {
        this.engines = engines;
    }

    List<WorkloadResponse> shown(List<WorkloadRow> rows) {
        List<WorkloadRow> waiting = rows.stream().filter(Reasons::waits).toList();
        List<WorkloadRow> borrowing = rows.stream().filter(Reasons::borrows).toList();
        if (waiting.isEmpty() && borrowing.isEmpty()) {
            return shown(rows, Map.of(), Map.of());
        }
        return engines.ask((engine, now) ->
                shown(rows, reasons(engine, waiting), borrowing.isEmpty() ? Map.of() : borrowed(engine, borrowing)));
    }

    private static List<WorkloadResponse> shown(
            List<WorkloadRow> rows,
            Map<WorkloadId, WaitingResponse> reasons,
            Map<WorkloadId, SortedMap<String, Long>> borrowed) {
        return rows.stream()
                .map(row -> {
                    WorkloadId id = row.workload().id();
                    return WorkloadShape.of(row, reasons.get(id), borrowed.getOrDefault(id, new TreeMap<>()));
                })
                .toList();
    }

    private static boolean borrows(WorkloadRow row) {
        Assignment assignment = row.status().assignment();
        return assignment != null && assignment.borrows();
    }

    private static Map<WorkloadId, SortedMap<String, Long>> borrowed(Engine engine, List<WorkloadRow> rows) {
        QuotaUsage usage = engine.usage();
        Map<WorkloadId, SortedMap<String, Long>> borrowed = new HashMap<>();
        for (WorkloadRow row : rows) {
            Assignment assignment = row.status().assignment();
            QuotaUsage.Queue queue = assignment == null ? null : usage.queues().get(assignment.clusterQueue());
            if (assignment != null && queue != null) {
                borrowed.put(row.workload().id(), borrowed(assignment, queue));
            }
        }
        return borrowed;
    }

    private static SortedMap<String, Long> borrowed(Assignment assignment, QuotaUsage.Queue queue) {
        SortedMap<String, Long> borrowed = new TreeMap<>();
        for (QuotaUsage.Line line : queue.lines()) {
            long charged = 0;
            for (Assignment.PodSetAssignment podSet : assignment.podSets()) {
                if (line.flavor().equals(podSet.flavors().get(line.resource()))) {
                    charged = Amounts.add(charged, podSet.usage().getOrDefault(line.resource(), 0L));
                }
            }
            long ofIt = Math.min(charged, line.borrowed());
            if (ofIt > 0) {
                borrowed.merge(line.resource(), ofIt, Amounts::add);
            }
        }
        return borrowed;
    }

    WorkloadResponse shown(WorkloadRow row) {
        return shown(List.of(row)).getFirst();
    }

    private static boolean waits(WorkloadRow row) {
        WorkloadState state = row.status().state();
        return !state.isFinal() && (!row.status().charged() || state == WorkloadState.RESERVED);
    }

    private static Map<WorkloadId, WaitingResponse> reasons(Engine engine, List<WorkloadRow> rows) {
        Map<WorkloadId, WaitingResponse> reasons = new HashMap<>();
        if (rows.isEmpty()) {
            return reasons;
        }
        ReasonText text = text(engine);
        for (WorkloadRow row : rows) {
            WorkloadId id = row.workload().id();
            engine.reason(id).ifPresent(reason -> {
                int position = engine.position(id);
                reasons.put(
                        id,
                        new WaitingResponse(
                                reason.code(),
                                position == 0 ? null : position,
                                text.sentence(reason, row.status().clusterQueue())));
            });
        }
        return reasons;
    }

    static ReasonText text(Engine engine) {
        return new ReasonText(engine.configuration(), engine.usage(), id -> name(engine, id));
    }

    private static @Nullable String name(Engine engine, WorkloadId id) {
        return engine.workload(id).map(Reasons::name).orElse(null);
    }

    private static String name(Workload workload) {
        return workload.namespace() + "/" + workload.name();
    }

    static String sentence(Engine engine, WaitReason reason, @Nullable String clusterQueue) {
        return text(engine).sentence(reason, clusterQueue);
    }
}
