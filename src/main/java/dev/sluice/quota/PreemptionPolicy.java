package dev.sluice.quota;

import org.jspecify.annotations.Nullable;

/** Whom a queue's workloads may preempt (Kueue's {@code spec.preemption}). */
public record PreemptionPolicy(
        WithinClusterQueue withinClusterQueue,
        ReclaimWithinCohort reclaimWithinCohort,
        BorrowWithinCohort borrowWithinCohort) {
    public static final PreemptionPolicy NEVER =
            new PreemptionPolicy(WithinClusterQueue.NEVER, ReclaimWithinCohort.NEVER, BorrowWithinCohort.NEVER);

    public enum WithinClusterQueue {
        NEVER,
        LOWER_PRIORITY,
        LOWER_OR_NEWER_EQUAL_PRIORITY
    }

    public enum ReclaimWithinCohort {
        NEVER,
        LOWER_PRIORITY,
        ANY
    }

    /**
     * @param allowed policy {@code LowerPriority}; false = {@code Never}
     * @param maxPriorityThreshold victims above it only if the preemptor ends up not borrowing; null = no threshold
     */
    public record BorrowWithinCohort(
            boolean allowed, @Nullable Integer maxPriorityThreshold) {
        public static final BorrowWithinCohort NEVER = new BorrowWithinCohort(false, null);
    }
}
