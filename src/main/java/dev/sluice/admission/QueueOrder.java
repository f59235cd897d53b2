package dev.sluice.admission;

import java.util.Comparator;

/**
 * Who comes first. In a queue: higher priority, longer in the queue, earlier submitted, smaller id; total, so that no
 * order of arrival in memory can show.
 */
final class QueueOrder {
    static final Comparator<TrackedWorkload> BY_AGE = Comparator.comparing(
                    (TrackedWorkload tracked) -> tracked.queuedAt)
            .thenComparingLong(tracked -> tracked.workload.sequence())
            .thenComparing(TrackedWorkload::id);

    static final Comparator<TrackedWorkload> IN_QUEUE = Comparator.comparingInt(
                    (TrackedWorkload tracked) -> -1 - tracked.priority)
            .thenComparing(BY_AGE);

    private QueueOrder() {}
}
