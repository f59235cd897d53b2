/**
 * The simulated cluster: nodes with devices, jobs, and pods that take time to start, run for the time that their workload
 * declares and end, with faults on demand. It stands behind the same port as a real cluster, in the service's own process or
 * as a process of its own behind loopback HTTP, so that the whole product runs without a cluster. Must know nothing of queues,
 * quotas or decisions: it is told what to run. Start at {@link dev.sluice.fleet.SimulatedFleet}.
 */
@NullMarked
package dev.sluice.fleet;

import org.jspecify.annotations.NullMarked;
