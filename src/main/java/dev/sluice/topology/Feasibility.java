package dev.sluice.topology;

import dev.sluice.quota.ResourceFlavor;
import dev.sluice.workload.PodSet;

/**
 * Whether the usable devices could hold a request at all, were nothing else running. Asked before anything is admitted or
 * preempted: nobody gets quota, and nobody loses work, for pods that would then not fit.
 */
public interface Feasibility {
    /** Nothing is known of the nodes, so nothing is ruled out. */
    Feasibility UNLIMITED = (flavor, podSet, resource) -> Long.MAX_VALUE;

    /**
     * What the pod set's pods could use in all of a resource on the nodes of a flavor, in whole pods; {@link
     * Long#MAX_VALUE} when nothing bounds it. A resource that no node reports at all (one that exists for accounting only)
     * is not bounded.
     */
    long usable(ResourceFlavor flavor, PodSet podSet, String resource);

    /**
     * What all nodes of a flavor offer of a resource together, however many kinds of pods share it; {@link Long#MAX_VALUE} when nothing
     * bounds it.
     */
    default long usableTogether(ResourceFlavor flavor, String resource) {
        return Long.MAX_VALUE;
    }
}
