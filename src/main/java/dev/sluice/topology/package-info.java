/**
 * Where pods could go: usable capacity and whether a request is feasible on it. The first version counts devices of the
 * nodes that match a flavor; placement by domains deepens it behind the same port. Must not know queues or decisions. Start
 * at {@link dev.sluice.topology.Feasibility}.
 */
@NullMarked
package dev.sluice.topology;

import org.jspecify.annotations.NullMarked;
