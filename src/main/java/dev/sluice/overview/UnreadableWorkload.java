package dev.sluice.overview;

import dev.sluice.workload.WorkloadId;

/** The stored row of a workload makes no sense: it was damaged, or written by a later version of the service. */
public final class UnreadableWorkload extends RuntimeException {
    private static final long serialVersionUID = 1;

    public UnreadableWorkload(WorkloadId workload, String why) {
        super("The stored row of workload " + workload + " cannot be read: " + why);
    }
}
