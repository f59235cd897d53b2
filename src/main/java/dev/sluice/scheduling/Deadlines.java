package dev.sluice.scheduling;

import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Until when what runs may run, of workloads that have a maximum duration. */
final class Deadlines {
    private final PriorityQueue<Deadline> all = new PriorityQueue<>(Comparator.comparing(Deadline::at));

    private record Deadline(Instant at, Instant startedAt, WorkloadId workload) {}

    /** Does nothing unless it runs, has a limit, and is not watched in this run yet. */
    void watch(Roster.Entry entry) {
        if (entry.workload.maxDuration() != null && entry.startedAt != null && !entry.watched) {
            entry.watched = true;
            all.add(new Deadline(
                    entry.startedAt.plus(entry.workload.maxDuration()), entry.startedAt, entry.workload.id()));
        }
    }

    /** Those whose time is up in the run that they are in, each told once; a deadline of an earlier run tells nothing. */
    List<WorkloadId> passed(Instant now, Roster roster) {
        List<WorkloadId> passed = new ArrayList<>();
        while (!all.isEmpty() && !all.peek().at.isAfter(now)) {
            Deadline due = all.remove();
            Roster.Entry entry = roster.find(due.workload);
            if (entry != null && due.startedAt.equals(entry.startedAt)) {
                passed.add(due.workload);
            }
        }
        return passed;
    }
}
