package dev.sluice.simulation;

import dev.sluice.admission.Engine;
import dev.sluice.admission.WaitReason;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.QuotaLine;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.StopPolicy;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Whoever waits is told a true reason and its true place, and nobody waits whose queue has a right to the room. */
final class WaitInvariants {
    private final Engine engine;
    private final Standing standing;
    private final Instant now;

    WaitInvariants(Engine engine, Standing standing, Instant now) {
        this.engine = engine;
        this.standing = standing;
        this.now = now;
    }

    void check() {
        for (WorkloadId id : standing.statuses().keySet()) {
            WorkloadState state = standing.known(id).state();
            WaitReason reason = engine.reason(id).orElse(null);
            if (state != WorkloadState.PENDING && state != WorkloadState.INACTIVE) {
                require(reason == null, id, "runs and still has a reason to wait", reason);
            } else if (reason == null) {
                throw new BrokenInvariant(id + " waits without a reason");
            } else {
                checkReason(id, reason);
            }
        }
        for (String queue : standing.tree().configuration().clusterQueues().keySet()) {
            List<WorkloadId> pending = engine.pending(queue);
            for (int index = 0; index < pending.size(); index++) {
                int position = engine.position(pending.get(index));
                require(position == index + 1, pending.get(index), "is told the wrong place " + position, null);
            }
            checkServed(queue, pending);
        }
    }

    private static void require(boolean holds, WorkloadId id, String what, @Nullable Object detail) {
        if (!holds) {
            throw new BrokenInvariant(id + " " + what + (detail == null ? "" : ": " + detail));
        }
    }

    private void checkReason(WorkloadId id, WaitReason reason) {
        WorkloadStatus status = standing.known(id);
        String queue = standing.queueOf(id);
        ClusterQueue config = standing.config(queue);
        switch (reason) {
            case WaitReason.QuotaExhausted quota -> {
                long available = standing.promised().available(queue, new QuotaLine(quota.flavor(), quota.resource()));
                // What a strict head, or one that waited for long, keeps for itself is not available either.
                boolean keeps = anyKeeper();
                require(
                        quota.available() == Math.max(0, available)
                                || (keeps && quota.available() < available && quota.available() >= 0),
                        id,
                        "is told the wrong room, which is " + available,
                        quota);
                require(
                        quota.shortBy() == quota.requested() - quota.available() && quota.shortBy() > 0,
                        id,
                        "lacks nothing",
                        quota);
            }
            case WaitReason.ExceedsMaximum maximum -> {
                long potential = standing.tree().potential(queue, new QuotaLine(maximum.flavor(), maximum.resource()));
                require(
                        maximum.largestPossible() == potential && maximum.requested() > potential,
                        id,
                        "does not exceed the most, which is " + potential,
                        maximum);
            }
            case WaitReason.AwaitingVictims awaiting -> {
                require(standing.isEarmarked(id), id, "has no earmark", awaiting);
                require(
                        !awaiting.victims().isEmpty()
                                && awaiting.victims().stream()
                                        .allMatch(
                                                victim -> standing.known(victim).state() == WorkloadState.EVICTING
                                                        && !standing.givenUp(victim)),
                        id,
                        "waits for somebody who is not leaving",
                        awaiting);
            }
            case WaitReason.BlockedByEarlier blocked ->
                require(
                        (standing.isStrict(queue)
                                        && standing.queueOf(blocked.ahead()).equals(queue)
                                        && standing.inQueue().compare(blocked.ahead(), id) < 0)
                                || mayGuard(blocked.ahead(), id),
                        id,
                        "is not blocked",
                        blocked);
            case WaitReason.QueueStopped stopped ->
                require(
                        config != null && (config.stopPolicy() != StopPolicy.NONE || stopped.localQueue() != null),
                        id,
                        "stands in no stopped queue",
                        stopped);
            case WaitReason.QueueInactive inactive ->
                require(config == null, id, "stands in an active queue", inactive);
            case WaitReason.NoMatchingFlavor flavor -> require(isPicky(id), id, "goes with every flavor", flavor);
            case WaitReason.Deactivated deactivated ->
                require(status.state() == WorkloadState.INACTIVE, id, "is active", deactivated);
            default -> throw new BrokenInvariant(id + " waits for a reason that cannot be here: " + reason);
        }
    }

    /** Whether anybody, of this queue or another, may keep room for itself. */
    private boolean anyKeeper() {
        return standing.tree().queues().stream()
                .anyMatch(queue -> standing.isStrict(queue)
                        ? !engine.pending(queue, 1).isEmpty()
                        : engine.pending(queue).stream().anyMatch(this::waitedLong));
    }

    private boolean waitedLong(WorkloadId id) {
        Duration guardAfter = engine.settings().orderKeeping().guardAfter();
        WorkloadStatus status = standing.known(id);
        Instant again = status.particulars().waitingSince();
        Instant since = again == null ? status.queuedAt() : again;
        return !guardAfter.isZero() && !since.plus(guardAfter).isAfter(now);
    }

    /** Whether one that waited for long may keep from another what it needs. */
    private boolean mayGuard(WorkloadId ahead, WorkloadId id) {
        return waitedLong(ahead)
                && standing.queueOf(ahead).equals(standing.queueOf(id))
                && standing.inQueue().compare(ahead, id) < 0;
    }

    private boolean isPicky(WorkloadId id) {
        return standing.workload(id).podSets().stream()
                .anyMatch(podSet ->
                        !podSet.nodeSelector().isEmpty() || podSet.tolerations().isEmpty());
    }

    /**
     * What fits the unused quota of a queue that may reclaim from anybody is never left to wait. Said of queues with one flavor per
     * resource in trees where nobody holds an earmark (which only a higher priority takes over), nobody is stuck who should make room, and
     * nobody keeps room, in a strict queue or having waited for long.
     */
    private void checkServed(String queue, List<WorkloadId> pending) {
        ClusterQueue config = standing.config(queue);
        if (config == null
                || config.preemption().reclaimWithinCohort() != ReclaimWithinCohort.ANY
                || config.stopPolicy() != StopPolicy.NONE
                || config.resourceGroups().stream()
                        .anyMatch(group -> group.flavors().size() > 1)
                || standing.anyEarmarkIn(standing.tree().root(queue))
                || standing.anyGivenUpIn(standing.tree().root(queue))
                || anyKeeper()) {
            return;
        }
        for (WorkloadId id : pending) {
            if (engine.reason(id).orElse(null) instanceof WaitReason.QuotaExhausted quota) {
                SortedMap<QuotaLine, Long> charge = request(config, id);
                require(
                        standing.promised().borrows(queue, charge),
                        id,
                        "fits the unused quota of " + queue + ", which may reclaim from anybody, and waits",
                        quota);
            }
        }
    }

    private SortedMap<QuotaLine, Long> request(ClusterQueue config, WorkloadId id) {
        SortedMap<QuotaLine, Long> charge = new TreeMap<>();
        SortedMap<String, Integer> done = standing.known(id).particulars().reclaimablePods();
        for (PodSet podSet : standing.workload(id).podSets()) {
            long pods = (long) podSet.count() - done.getOrDefault(podSet.name(), 0);
            podSet.requests().forEach((resource, each) -> {
                for (ResourceGroup group : config.resourceGroups()) {
                    if (group.coveredResources().contains(resource)) {
                        charge.merge(
                                new QuotaLine(group.flavors().getFirst().flavor(), resource), each * pods, Long::sum);
                    }
                }
            });
        }
        return charge;
    }
}
