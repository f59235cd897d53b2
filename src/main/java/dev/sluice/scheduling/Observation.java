package dev.sluice.scheduling;

import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.WorkloadId;

/**
 * What the cluster showed; its fence is the one that the job had then. One of an older fence than the workload's tells of a run that is over and is ignored.
 */
public sealed interface Observation {
    /** The job exists. */
    record Created(WorkloadId workload, String uid) implements Observation {}

    /** All pods are ready. */
    record Ready(WorkloadId workload, long fence) implements Observation {}

    /** The job ended by itself and no pod of it is left. */
    record Finished(WorkloadId workload, long fence, boolean succeeded, String message) implements Observation {}

    /** After a stop: no pod of it is left. */
    record Gone(WorkloadId workload, long fence) implements Observation {}

    /** The cluster will never run it. */
    record Refused(WorkloadId workload, String reason) implements Observation {}

    record Capacity(UsableCapacity capacity) implements Observation {}
}
