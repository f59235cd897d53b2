package dev.sluice.simulation;

import dev.sluice.admission.Engine;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.QueueingStrategy;
import dev.sluice.quota.QuotaLine;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.util.Collections;
import java.util.Comparator;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How everybody stands at one moment, as the engine tells it, and what that means for quota by formulas of their own. */
final class Standing {
    private final PlainTree tree;
    private final boolean choosesAnother;
    private final SortedMap<WorkloadId, WorkloadStatus> statuses = new TreeMap<>();
    private final SortedMap<WorkloadId, Workload> workloads = new TreeMap<>();
    /** Once everybody who is on the way out has left but those who are waited for no longer, and everybody with an earmark has begun. */
    private final PlainUsage promised;

    /** What is really occupied. */
    private final PlainUsage held;

    Standing(Engine engine, RandomLife life, PlainTree tree) {
        this.tree = tree;
        choosesAnother = engine.settings().stuckVictims().choosesAnother();
        PlainUsage.Sum promises = new PlainUsage.Sum();
        PlainUsage.Sum holds = new PlainUsage.Sum();
        for (WorkloadId id : life.states().keySet()) {
            WorkloadStatus status = engine.status(id).orElse(null);
            if (status == null) {
                continue;
            }
            statuses.put(id, status);
            workloads.put(id, life.workload(id));
            Assignment assignment = status.assignment();
            if (assignment != null) {
                SortedMap<QuotaLine, Long> charge = charge(id);
                if (status.state() != WorkloadState.EVICTING || givenUp(id)) {
                    promises.add(assignment.clusterQueue(), charge);
                }
                if (status.state() != WorkloadState.PENDING) {
                    holds.add(assignment.clusterQueue(), charge);
                }
            }
        }
        promised = promises.in(tree);
        held = holds.in(tree);
    }

    PlainTree tree() {
        return tree;
    }

    PlainUsage promised() {
        return promised;
    }

    PlainUsage held() {
        return held;
    }

    /** Of all that the engine knows. */
    SortedMap<WorkloadId, WorkloadStatus> statuses() {
        return Collections.unmodifiableSortedMap(statuses);
    }

    @Nullable WorkloadStatus status(WorkloadId id) {
        return statuses.get(id);
    }

    WorkloadStatus known(WorkloadId id) {
        WorkloadStatus status = statuses.get(id);
        if (status == null) {
            throw new BrokenInvariant(id + " was forgotten");
        }
        return status;
    }

    Workload workload(WorkloadId id) {
        Workload workload = workloads.get(id);
        if (workload == null) {
            throw new BrokenInvariant(id + " was forgotten");
        }
        return workload;
    }

    boolean isEarmarked(WorkloadId id) {
        WorkloadStatus status = statuses.get(id);
        return status != null && status.state() == WorkloadState.PENDING && status.assignment() != null;
    }

    /** It leaves, does not end, and counts as one that stays. */
    boolean givenUp(WorkloadId id) {
        return choosesAnother && known(id).particulars().stuck();
    }

    boolean anyGivenUpIn(String root) {
        return statuses.keySet().stream().anyMatch(id -> givenUp(id) && root.equals(tree.root(queueOf(id))));
    }

    boolean anyEarmarkIn(String root) {
        return statuses.keySet().stream().anyMatch(id -> isEarmarked(id) && root.equals(tree.root(queueOf(id))));
    }

    /** Empty = its LocalQueue leads nowhere. */
    String queueOf(WorkloadId id) {
        String queue = known(id).clusterQueue();
        return queue == null ? "" : queue;
    }

    @Nullable ClusterQueue config(String queue) {
        return tree.configuration().clusterQueues().get(queue);
    }

    boolean isStrict(String queue) {
        ClusterQueue config = config(queue);
        return config != null && config.queueingStrategy() == QueueingStrategy.STRICT_FIFO;
    }

    /** What its assignment costs with the pods that are active. */
    SortedMap<QuotaLine, Long> charge(WorkloadId id) {
        WorkloadStatus status = known(id);
        Assignment assignment = status.assignment();
        SortedMap<QuotaLine, Long> charge = new TreeMap<>();
        if (assignment == null) {
            return charge;
        }
        for (int index = 0; index < assignment.podSets().size(); index++) {
            Assignment.PodSetAssignment podSet = assignment.podSets().get(index);
            SortedMap<String, Long> each = workload(id).podSets().get(index).requests();
            long pods = status.particulars().activePods().getOrDefault(podSet.name(), podSet.count());
            podSet.flavors()
                    .forEach((resource, flavor) -> charge.merge(
                            new QuotaLine(flavor, resource), each.getOrDefault(resource, 0L) * pods, Long::sum));
        }
        return charge;
    }

    /** Who comes first in a queue. */
    Comparator<WorkloadId> inQueue() {
        return Comparator.comparingInt((WorkloadId id) -> -known(id).priority())
                .thenComparing(id -> known(id).queuedAt())
                .thenComparingLong(id -> workload(id).sequence())
                .thenComparing(id -> id);
    }
}
