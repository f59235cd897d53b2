package dev.sluice.fleet;

import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One thing that took hold on the fleet, in the order in which it did. What the fleet was asked and did not do is there too,
 * so that a test can tell a late release that failed from one that never came.
 *
 * @param number 1, 2, 3 …
 * @param fence the job's fence after the effect; of what was ignored, the fence that was named
 * @param assignment what was released; null for every other kind
 */
public record FleetEffect(
        long number,
        Instant at,
        Kind kind,
        WorkloadId workload,
        long fence,
        @Nullable Assignment assignment) {
    public enum Kind {
        CREATED,
        REFUSED,
        /** The pods are let go; from here on they hold devices. */
        RELEASED,
        READY,
        /** Live pods were told to end. */
        STOPPED,
        /** The last pod is gone after a stop. */
        GONE,
        /** The job ended by itself and holds no device any more. */
        SUCCEEDED,
        FAILED,
        RELEASE_IGNORED,
        /** By a policy of the cluster. */
        RELEASE_REJECTED,
        STOP_IGNORED
    }
}
