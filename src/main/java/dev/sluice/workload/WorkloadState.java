package dev.sluice.workload;

import java.util.EnumSet;
import java.util.Set;

/**
 * Where a workload stands. A state is not a charge: a charge begins with the decision and ends when the pods are gone,
 * whatever the state.
 *
 * <p>{@link #canBecome} is the one table of legal changes; the database repeats it in a trigger, and a test keeps the two
 * equal.
 */
public enum WorkloadState {
    PENDING,
    RESERVED,
    ADMITTED,
    RUNNING,
    EVICTING,
    SUCCEEDED,
    FAILED,
    INACTIVE,
    CANCELLED;

    public boolean canBecome(WorkloadState next) {
        return successors().contains(next);
    }

    public Set<WorkloadState> successors() {
        return switch (this) {
            // PENDING may fail: the API server can refuse the Job of a workload that was already acknowledged.
            case PENDING -> EnumSet.of(RESERVED, ADMITTED, INACTIVE, CANCELLED, FAILED);
            case RESERVED -> EnumSet.of(ADMITTED, PENDING, INACTIVE, CANCELLED);
            case ADMITTED -> EnumSet.of(RUNNING, EVICTING, SUCCEEDED, FAILED);
            case RUNNING -> EnumSet.of(EVICTING, SUCCEEDED, FAILED);
            case EVICTING -> EnumSet.of(PENDING, INACTIVE, SUCCEEDED, FAILED, CANCELLED);
            case INACTIVE -> EnumSet.of(PENDING, CANCELLED);
            case SUCCEEDED, FAILED, CANCELLED -> EnumSet.noneOf(WorkloadState.class);
        };
    }

    public boolean isFinal() {
        return successors().isEmpty();
    }

    /** Whether it stands in a queue and competes for quota. */
    public boolean waits() {
        return this == PENDING;
    }
}
