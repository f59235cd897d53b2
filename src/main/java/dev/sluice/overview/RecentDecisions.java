package dev.sluice.overview;

import dev.sluice.overview.WorkloadReader.LoggedEvent;
import dev.sluice.quota.Configuration;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The last decisions as sentences, latest first. Decisions of one kind that about one second brought to one queue are told together, so
 * that a wave of admissions does not push everything else out of sight.
 */
public final class RecentDecisions {
    /** Log entries looked at for one list; more of them than that in an instant is a wave, and its tail tells enough. */
    private static final int ENTRIES_MAX = 400;

    /** What follows the first of its kind within this time is told with it. */
    private static final Duration TOGETHER = Duration.ofSeconds(1);

    private final EventLogReader log;
    private final WorkloadReader workloads;

    public RecentDecisions(EventLogReader log, WorkloadReader workloads) {
        this.log = log;
        this.workloads = workloads;
    }

    /** @param position of the last log entry that it tells of */
    public record Told(long position, Instant at, Kind kind, String sentence) {}

    public enum Kind {
        STARTS,
        PREEMPTS,
        /** Gets a place that others are leaving already. */
        WAITS_FOR_ROOM,
        LEAVES,
        ENDS,
        FAILS,
        CHANGES
    }

    /** Position of the end of the log; a list read at the same position is the same list. */
    public long position() {
        return log.end();
    }

    public List<Told> latest(Configuration configuration, int max) {
        long end = log.end();
        List<LoggedEvent> entries = log.after(Math.max(0, end - ENTRIES_MAX), ENTRIES_MAX);
        TreeSet<WorkloadId> ids = new TreeSet<>();
        for (LoggedEvent entry : entries) {
            WorkloadId workload = entry.workload();
            if (workload != null && LoggedDecision.isTold(entry)) {
                ids.add(workload);
                ids.addAll(LoggedDecision.victims(entry).keySet());
            }
        }
        Map<WorkloadId, WorkloadRow> rows = new HashMap<>();
        workloads
                .findAll(List.copyOf(ids))
                .forEach(row -> rows.put(row.workload().id(), row));
        List<LoggedDecision> decisions = entries.stream()
                .filter(LoggedDecision::isTold)
                .map(entry -> LoggedDecision.of(entry, rows))
                .toList();
        return tell(grouped(decisions), new DecisionText(configuration), max);
    }

    /** Those of one kind and queue and about the same time. */
    private static List<List<LoggedDecision>> grouped(List<LoggedDecision> decisions) {
        List<List<LoggedDecision>> groups = new ArrayList<>();
        Map<LoggedDecision.Likeness, List<LoggedDecision>> open = new HashMap<>();
        for (LoggedDecision decision : decisions) {
            List<LoggedDecision> group = open.get(decision.likeness());
            if (group == null || group.getFirst().at().plus(TOGETHER).isBefore(decision.at())) {
                group = new ArrayList<>();
                open.put(decision.likeness(), group);
                groups.add(group);
            }
            group.add(decision);
        }
        return groups;
    }

    private static List<Told> tell(List<List<LoggedDecision>> groups, DecisionText text, int max) {
        List<Told> told = new ArrayList<>();
        List<List<LoggedDecision>> latestFirst = groups.stream()
                .sorted(Comparator.comparingLong(
                        (List<LoggedDecision> group) -> -group.getLast().position()))
                .toList();
        for (List<LoggedDecision> group : latestFirst) {
            if (told.size() == max) {
                break;
            }
            LoggedDecision last = group.getLast();
            told.add(new Told(last.position(), last.at(), last.kind(), text.sentence(group)));
        }
        return told;
    }
}
