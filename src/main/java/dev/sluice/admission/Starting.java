package dev.sluice.admission;

import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Those that were admitted and are not ready yet, the longest first; kept while there is a limit to that. That the time of one is over
 * does not make it late: news that it is ready may be under way. It is late once somebody looked after that time and says so.
 */
final class Starting {
    private static final Comparator<TrackedWorkload> LONGEST_FIRST = QueueOrder.longestFirst(Starting::since);

    private final TreeSet<TrackedWorkload> waiting = new TreeSet<>(LONGEST_FIRST);
    private final TreeSet<TrackedWorkload> overdue = new TreeSet<>(LONGEST_FIRST);
    private final TreeSet<TrackedWorkload> late = new TreeSet<>(LONGEST_FIRST);
    /** Overdue ones that nobody was told of yet. */
    private final List<WorkloadId> untold = new ArrayList<>();

    private static Instant since(TrackedWorkload one) {
        if (one.checkedAt != null) {
            return one.checkedAt;
        }
        return one.admittedAt == null ? Instant.MIN : one.admittedAt;
    }

    private static Instant due(TrackedWorkload one, StartRetries retries) {
        return since(one).plus(retries.readyTimeout());
    }

    void add(TrackedWorkload one, StartRetries retries) {
        if (one.state == WorkloadState.ADMITTED && retries.readyTimeout().isPositive()) {
            waiting.add(one);
        }
    }

    /** To be said before it loses its state or its assignment, by whose time it is found. */
    void remove(TrackedWorkload one) {
        if (one.state == WorkloadState.ADMITTED) {
            if (!waiting.remove(one) && !overdue.remove(one)) {
                late.remove(one);
            }
        }
    }

    void clear() {
        waiting.clear();
        overdue.clear();
        late.clear();
    }

    /** It was looked at just now and is not ready; before its time is over that says nothing. */
    void sawUnready(TrackedWorkload one, StartRetries retries, Instant now) {
        boolean starts = waiting.contains(one) || overdue.contains(one);
        if (starts && !due(one, retries).isAfter(now)) {
            waiting.remove(one);
            overdue.remove(one);
            late.add(one);
        }
    }

    /** The one that is late and should have been ready the longest ago; null = there is none. */
    @Nullable TrackedWorkload late(StartRetries retries, Instant now) {
        while (!waiting.isEmpty() && !due(waiting.first(), retries).isAfter(now)) {
            TrackedWorkload due = waiting.removeFirst();
            overdue.add(due);
            untold.add(due.id());
        }
        return late.isEmpty() ? null : late.first();
    }

    /** Those that came to be overdue since the last call; meanwhile they may have become ready. */
    List<WorkloadId> drainOverdue() {
        List<WorkloadId> drained = List.copyOf(untold);
        untold.clear();
        return drained;
    }

    /** When the time of the next of them is over; null = there is none. */
    @Nullable Instant nextDue(StartRetries retries) {
        return waiting.isEmpty() ? null : due(waiting.first(), retries);
    }
}
