package dev.sluice.topology;

import dev.sluice.quota.ResourceFlavor;

/**
 * Whether the usable devices could hold a request at all. Asked before anything is preempted: nobody loses work for a
 * workload that would not fit afterwards.
 */
public interface Feasibility {
    /** Nothing is known of the nodes, so nothing is ruled out. */
    Feasibility UNLIMITED = (flavor, resource) -> Long.MAX_VALUE;

    /**
     * What pods may use in all of a resource on the nodes of a flavor, whether in use or not; {@link Long#MAX_VALUE} when
     * nothing bounds it. A resource that no node reports at all (one that exists for accounting only) is not bounded.
     */
    long usable(ResourceFlavor flavor, String resource);
}
