package dev.sluice.admission;

import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Why a workload waits: what was found when it, or one equal to it, was last looked at, with the numbers of now. */
final class ReasonLookup {
    private final Roster roster;

    ReasonLookup(Roster roster) {
        this.roster = roster;
    }

    /** Null = it does not wait. */
    @Nullable WaitReason reason(TrackedWorkload one) {
        if (one.state == WorkloadState.INACTIVE) {
            return new WaitReason.Deactivated(one.failedStart);
        }
        if (one.state == WorkloadState.RESERVED) {
            return awaitingChecks(one);
        }
        if (!one.state.waits()) {
            return null;
        }
        if (one.isEarmarked()) {
            return awaitingVictims(one.awaited);
        }
        QueueState queue = one.queue;
        if (queue == null) {
            return new WaitReason.QueueInactive(one.localQueue, whyNowhere(one));
        }
        String inactive = queue.compiled.inactiveBecause();
        if (inactive != null) {
            return new WaitReason.QueueInactive(queue.name(), inactive);
        }
        if (queue.compiled.isStopped()) {
            return new WaitReason.QueueStopped(queue.name(), null);
        }
        return one.held != null ? one.held : competing(queue, one);
    }

    WaitReason awaitingVictims(Collection<WorkloadId> victims) {
        SortedMap<WorkloadId, Instant> stuck = new TreeMap<>();
        for (WorkloadId id : victims) {
            TrackedWorkload victim = roster.find(id);
            Instant since = victim == null ? null : victim.leavingSince;
            if (victim != null && victim.stuck && since != null) {
                stuck.put(id, since);
            }
        }
        return new WaitReason.AwaitingVictims(List.copyOf(victims), stuck);
    }

    private static WaitReason awaitingChecks(TrackedWorkload one) {
        SortedMap<String, String> messages = new TreeMap<>();
        one.checks.forEach((name, check) -> {
            if (check.state() != CheckStatus.State.READY) {
                messages.put(name, check.message());
            }
        });
        return new WaitReason.AwaitingChecks(messages);
    }

    private String whyNowhere(TrackedWorkload one) {
        var local = roster.world().localQueue(one.workload.namespace(), one.localQueue);
        return local == null
                ? "LocalQueue " + one.localQueue + " does not exist"
                : "ClusterQueue " + local.clusterQueue() + " does not exist";
    }

    private WaitReason competing(QueueState queue, TrackedWorkload one) {
        TrackedWorkload head = queue.head();
        if (head != null && !one.equals(head) && holdsOrder(queue, head) && mustMind(queue, head, one)) {
            return new WaitReason.BlockedByEarlier(head.id(), fresh(queue, head.lane));
        }
        return fresh(queue, one.lane);
    }

    private boolean holdsOrder(QueueState queue, TrackedWorkload head) {
        return queue.isStrict() || head.equals(queue.sticky) || keeps(queue, head.lane);
    }

    private boolean keeps(QueueState queue, @Nullable Lane lane) {
        return lane != null && queue.keeps(lane);
    }

    /** Whether one that is not the head of its queue waits for it, whatever it needs itself. */
    private boolean mustMind(QueueState queue, TrackedWorkload head, TrackedWorkload one) {
        Lane lane = one.lane;
        if (lane != null) {
            return !lane.parked && (!keeps(queue, lane) || lane.equals(head.lane));
        }
        return !roster.settings.orderKeeping().perLine() || needsTheSame(head, one);
    }

    private static boolean needsTheSame(TrackedWorkload head, TrackedWorkload one) {
        return head.podSets().stream()
                .flatMap(podSet -> podSet.requests().entrySet().stream())
                .filter(request -> request.getValue() > 0)
                .anyMatch(request -> one.podSets().stream()
                        .anyMatch(podSet -> podSet.requests().getOrDefault(request.getKey(), 0L) > 0));
    }

    private WaitReason fresh(QueueState queue, @Nullable Lane lane) {
        if (lane != null && lane.isMisplaced()) {
            return new WaitReason.NamespaceNotAllowed(lane.head().workload.namespace(), queue.name());
        }
        WaitReason found = lane == null ? null : lane.reason;
        if (lane != null && lane.parked && roster.settings.preciseWaking()) {
            // It may not have been looked at for long, or ever.
            WaitReason now = new Waking(roster, roster.treeOf(queue.node())).reason(queue, lane);
            found = now == null ? found : now;
        }
        if (found == null) {
            return new WaitReason.NotYetConsidered();
        }
        if (found instanceof WaitReason.QuotaExhausted exhausted) {
            int line = roster.world().tree().line(exhausted.flavor(), exhausted.resource());
            long available = roster.promised().availableToQueue(queue.node(), line);
            long missing = exhausted.requested() - available;
            return missing < 1
                    ? found
                    : new WaitReason.QuotaExhausted(
                            exhausted.resource(), exhausted.flavor(), exhausted.requested(), available, missing);
        }
        return found;
    }
}
