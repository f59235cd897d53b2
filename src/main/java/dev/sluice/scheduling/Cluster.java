package dev.sluice.scheduling;

import dev.sluice.admission.WorkloadStatus;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What runs the pods: a Kubernetes cluster or the simulated fleet. Calls return at once and are carried out in the order given
 * for each workload; what came of them arrives as observations. An adapter retries by itself, bounded, while the cluster is away.
 *
 * <p>A job carries a fence, a number. A release takes effect only if it names the fence that the job has, and only on a
 * suspended job; so a late release of a deposed leader changes nothing.
 */
public interface Cluster {
    /** Fence of a job that was never admitted or stopped. */
    long FIRST_FENCE = 1;

    /** Creates the suspended job with this fence, under a deterministic name; does nothing if it exists. */
    void create(Workload workload, @Nullable String manifest, long fence);

    /**
     * Starts the pods where {@code placement} says. Nothing happens unless the job has this fence and is suspended, and asks for what
     * the workload asks for and no more; if it asks for something else by now, that has to be committed first.
     *
     * @param workload as its author wants it now, in the queue whose quota it has
     */
    void release(Workload workload, Assignment assignment, Placement placement, long fence);

    /**
     * Sets the fence to {@code fence} if it is lower, and ends all pods; {@code Gone} follows, also if there were none. Of a job
     * that had ended by itself, {@code Finished} is told again first, under the new fence. A stop with a fence lower than the
     * job's, or no higher than the one under which the live pods were released, comes from a deposed leader and changes nothing.
     */
    void stop(WorkloadId workload, long fence);

    /**
     * The workload has ended, or ends with the stop that follows, although its job did not; whoever finds that job later must not take
     * it for a new one. Where jobs come from here alone, none is found.
     */
    default void retire(WorkloadId workload) {}

    /**
     * Sets the fence to {@code fence} if it is lower. Does not touch pods; of a job that runs or has ended, {@code Ready},
     * {@code Reclaimable} or {@code Finished} is told again under the new fence.
     */
    void advanceFence(WorkloadId workload, long fence);

    /**
     * Looks anew at the pods of a job that was released under this fence, however fresh what was told of it is; {@code Ready} or
     * {@code Unready} follows. Nothing follows, or something later, if the job is of another fence or does not run by then.
     */
    void lookAtStart(WorkloadId workload, long fence);

    /**
     * What should be, of every workload that has not ended, when a term begins; takes the place of everything that an earlier term
     * said. From here on an adapter mends by itself what somebody else does to a job: one that runs though it should not is stopped,
     * one that was stopped by hand is released again. A cluster in which nobody else does anything needs none of it.
     */
    void expect(List<Expected> all);

    /**
     * Every job that the cluster has, to reconcile at a start.
     *
     * @throws ClusterUnavailable after bounded retries
     */
    List<ObservedJob> jobs();

    /** @throws ClusterUnavailable after bounded retries */
    UsableCapacity capacity();

    /**
     * The namespaces with their labels; empty = the cluster knows none, and each carries its name alone.
     *
     * @throws ClusterUnavailable if it cannot tell yet
     */
    SortedMap<String, SortedMap<String, String>> namespaces();

    /** Observations from now on, each at least once, in order per workload. One observer at a time: the last to ask. */
    void observe(Consumer<Observation> observer);

    /**
     * @param fence the one that the job has now
     * @param reclaimable pods that are done, by pod set, as {@link Observation.Reclaimable} tells them
     */
    record ObservedJob(
            WorkloadId workload, String uid, long fence, Phase phase, SortedMap<String, Integer> reclaimable) {
        public ObservedJob {
            reclaimable = Collections.unmodifiableSortedMap(new TreeMap<>(reclaimable));
        }

        /** A job of which no pod is done. */
        public ObservedJob(WorkloadId workload, String uid, long fence, Phase phase) {
            this(workload, uid, fence, phase, new TreeMap<>());
        }
    }

    /**
     * @param workload as for {@link #release}
     * @param manifest as for {@link #create}
     * @param jobUid null = its job was not seen yet
     * @param status as it was committed
     * @param placement where its pods run; null = it is suspended
     * @param leaving whether its pods are being ended and {@code Gone} is waited for
     */
    record Expected(
            Workload workload,
            @Nullable String manifest,
            @Nullable String jobUid,
            long fence,
            WorkloadStatus status,
            @Nullable Placement placement,
            boolean leaving) {}

    enum Phase {
        SUSPENDED,
        STARTING,
        RUNNING,
        STOPPING,
        SUCCEEDED,
        FAILED;

        /** Whether pods of the job may hold devices. */
        public boolean hasLivePods() {
            return switch (this) {
                case STARTING, RUNNING, STOPPING -> true;
                case SUSPENDED, SUCCEEDED, FAILED -> false;
            };
        }
    }
}
