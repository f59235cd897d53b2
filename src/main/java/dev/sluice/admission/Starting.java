package dev.sluice.admission;

import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Those that were admitted and are not ready yet, the longest first; kept while there is a limit to that. */
final class Starting {
    private final TreeSet<TrackedWorkload> waiting = new TreeSet<>(Starting::compare);

    private static Instant since(TrackedWorkload one) {
        return one.admittedAt == null ? Instant.MIN : one.admittedAt;
    }

    private static int compare(TrackedWorkload left, TrackedWorkload right) {
        int order = since(left).compareTo(since(right));
        return order != 0 ? order : left.id().compareTo(right.id());
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
            waiting.remove(one);
        }
    }

    void clear() {
        waiting.clear();
    }

    /** The one that should have been ready the longest ago; null = there is none. */
    @Nullable TrackedWorkload late(StartRetries retries, Instant now) {
        return waiting.isEmpty() || due(waiting.first(), retries).isAfter(now) ? null : waiting.first();
    }

    /** When the next of them should be ready; null = there is none. */
    @Nullable Instant nextDue(StartRetries retries) {
        return waiting.isEmpty() ? null : due(waiting.first(), retries);
    }
}
