package dev.sluice.scheduling;

import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the cluster showed; its fence is the one that the job had then. One of an older fence than the workload's tells of a run that is over and is ignored.
 */
public sealed interface Observation {
    /** The job exists. */
    record Created(WorkloadId workload, String uid) implements Observation {}

    /** The job has a fence that no leader wrote whom this one knows of: a newer leader's, or somebody's who is none. */
    record FencedOff(WorkloadId workload, long fence) implements Observation {}

    /** All pods are ready. */
    record Ready(WorkloadId workload, long fence) implements Observation {}

    /** Its pods were looked at as {@link Cluster#lookAtStart} asked, and not all are ready. */
    record Unready(WorkloadId workload, long fence) implements Observation {}

    /**
     * Pods of it are done and hold nothing any more, or run again although they were done.
     *
     * @param reclaimable pods that are done, by pod set; a pod set that is not named has none
     */
    record Reclaimable(WorkloadId workload, long fence, SortedMap<String, Integer> reclaimable) implements Observation {
        public Reclaimable {
            reclaimable = Collections.unmodifiableSortedMap(new TreeMap<>(reclaimable));
        }
    }

    /**
     * It was scaled down: no more pods of it are there than said, and no more may come.
     *
     * @param counts by pod set
     */
    record ScaledDown(WorkloadId workload, long fence, SortedMap<String, Integer> counts) implements Observation {
        public ScaledDown {
            counts = Collections.unmodifiableSortedMap(new TreeMap<>(counts));
        }
    }

    /**
     * It runs without any pod, and was scaled up.
     *
     * @param counts pods that it asks for, by pod set
     */
    record ScaledUp(WorkloadId workload, long fence, SortedMap<String, Integer> counts) implements Observation {
        public ScaledUp {
            counts = Collections.unmodifiableSortedMap(new TreeMap<>(counts));
        }
    }

    /**
     * Its work is saved.
     *
     * @param at up to when, as it says itself; null = up to now
     */
    record Checkpointed(
            WorkloadId workload, long fence, @Nullable Instant at) implements Observation {}

    /** A release was refused, for a reason that may pass; the job is still suspended. */
    record StartRejected(WorkloadId workload, long fence, String reason) implements Observation {}

    /** The job ended by itself and no pod of it is left. */
    record Finished(WorkloadId workload, long fence, boolean succeeded, String message) implements Observation {}

    /** Somebody deleted its job, or asked for that; its pods may still be ending. */
    record Deleted(WorkloadId workload) implements Observation {}

    /** After a stop: no pod of it is left. */
    record Gone(WorkloadId workload, long fence) implements Observation {}

    /** The cluster will never run it. */
    record Refused(WorkloadId workload, String reason) implements Observation {}

    record Capacity(UsableCapacity capacity) implements Observation {}

    /** All namespaces, each with its labels, once any of them changed. */
    record Namespaces(SortedMap<String, SortedMap<String, String>> labels) implements Observation {}
}
