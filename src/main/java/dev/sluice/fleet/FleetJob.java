package dev.sluice.fleet;

import dev.sluice.scheduling.Cluster.ObservedJob;
import dev.sluice.scheduling.Cluster.Phase;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job of the fleet, or, before it is created, only the fence that a later creation must not fall behind. Changed under the
 * fleet's lock alone.
 */
final class FleetJob {
    final WorkloadId id;
    /** Null = not created: a stop or a fence came first. */
    @Nullable Workload workload;

    String uid = "";
    long fence;
    /** Under which its pods were last let go; means nothing before. */
    long releasedFence;

    Phase phase = Phase.SUSPENDED;
    /** What the pods were released with; null = never. */
    @Nullable Assignment assignment;

    /** Pods that still lack a node, per pod set of the assignment. */
    int[] unplaced = {};

    final List<Placed> placed = new ArrayList<>();
    /** Counts the timers set: one of an older number is void. */
    long timer;

    String message = "";

    FleetJob(WorkloadId id, long fence) {
        this.id = id;
        this.fence = fence;
    }

    Workload workload() {
        return Objects.requireNonNull(workload, "a job that runs was created");
    }

    boolean exists() {
        return workload != null;
    }

    boolean hasLivePods() {
        return switch (phase) {
            case STARTING, RUNNING, STOPPING -> true;
            case SUSPENDED, SUCCEEDED, FAILED -> false;
        };
    }

    boolean hasEnded() {
        return phase == Phase.SUCCEEDED || phase == Phase.FAILED;
    }

    boolean isPlaced() {
        for (int count : unplaced) {
            if (count > 0) {
                return false;
            }
        }
        return true;
    }

    ObservedJob observed() {
        return new ObservedJob(id, uid, fence, phase);
    }

    /** @param podSet index in the assignment */
    record Placed(String node, int podSet, int count) {}
}
