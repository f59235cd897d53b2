package dev.sluice.fleet;

import dev.sluice.scheduling.Cluster.ObservedJob;
import dev.sluice.scheduling.Cluster.Phase;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
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

    /** Pods that have succeeded, per pod set of the workload. */
    int[] done = {};
    /** Of those, the ones that had when the pods were last let go: the assignment leaves them out already. */
    int[] doneBefore = {};
    /** Whether pods of it were ever told to be done, so that it must be told again when that is not so any more. */
    boolean toldDone;

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
        return phase.hasLivePods();
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

    /** Pods of a pod set that run, or would if they had a node. */
    int active(int podSet) {
        Assignment released = Objects.requireNonNull(assignment, "a job with pods was released");
        int left = workload().podSets().get(podSet).count() - done[podSet];
        int ofRelease = released.podSets().get(podSet).count() + doneBefore[podSet] - done[podSet];
        return Math.max(0, Math.min(ofRelease, left));
    }

    boolean isDone() {
        for (int podSet = 0; podSet < done.length; podSet++) {
            if (active(podSet) > 0) {
                return false;
            }
        }
        return true;
    }

    /** Pods that are done, by name of their pod set. */
    SortedMap<String, Integer> reclaimable() {
        SortedMap<String, Integer> reclaimable = new TreeMap<>();
        for (int podSet = 0; podSet < done.length; podSet++) {
            if (done[podSet] > 0) {
                reclaimable.put(workload().podSets().get(podSet).name(), done[podSet]);
            }
        }
        return reclaimable;
    }

    ObservedJob observed() {
        return new ObservedJob(id, uid, fence, phase, reclaimable());
    }

    /** @param podSet index in the assignment */
    record Placed(String node, int podSet, int count) {}
}
