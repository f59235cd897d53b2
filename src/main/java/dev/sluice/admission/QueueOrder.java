package dev.sluice.admission;

import java.time.Instant;
import java.util.Comparator;
import java.util.function.Function;

/**
 * Who comes first. In a queue: higher priority, longer in the queue, earlier submitted, smaller id; total, so that no
 * order of arrival in memory can show.
 */
final class QueueOrder {
    static final Comparator<TrackedWorkload> BY_AGE = QueueOrder::compareAge;

    static final Comparator<TrackedWorkload> IN_QUEUE = QueueOrder::compareInQueue;

    private QueueOrder() {}

    /** Those first of whom something is so for the longest time. */
    static Comparator<TrackedWorkload> longestFirst(Function<TrackedWorkload, Instant> since) {
        return (left, right) -> {
            int order = since.apply(left).compareTo(since.apply(right));
            return order != 0 ? order : compareSubmission(left, right);
        };
    }

    private static int compareAge(TrackedWorkload left, TrackedWorkload right) {
        int order = left.queuedAt.compareTo(right.queuedAt);
        return order != 0 ? order : compareSubmission(left, right);
    }

    /** Whose number was given first, and by name where none was given. */
    private static int compareSubmission(TrackedWorkload left, TrackedWorkload right) {
        int order = Long.compare(left.workload.sequence(), right.workload.sequence());
        return order != 0 ? order : left.id().compareTo(right.id());
    }

    private static int compareInQueue(TrackedWorkload left, TrackedWorkload right) {
        int order = Integer.compare(right.priority, left.priority);
        return order != 0 ? order : compareAge(left, right);
    }
}
