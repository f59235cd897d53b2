package dev.sluice.overview;

import dev.sluice.admission.WaitReason;
import dev.sluice.quota.QueueingStrategy;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Who waits, per queue in the true order. Bounded: the queues in which most wait, and the first few of each.
 *
 * @param queues those with waiting workloads, most waiting first when not all are shown, by name otherwise
 * @param queuesWaiting how many queues have waiting workloads
 * @param waiting how many workloads wait in all
 */
public record PendingOverview(List<Queue> queues, int queuesWaiting, long waiting) {
    public PendingOverview {
        queues = List.copyOf(queues);
    }

    /**
     * @param label as in {@link QuotaMatrix.Row}
     * @param waiting how many wait in it, those not in {@code first} included
     */
    public record Queue(
            String clusterQueue, String label, @Nullable QueueingStrategy strategy, int waiting, List<Waiting> first) {
        public Queue {
            first = List.copyOf(first);
        }
    }

    /**
     * @param position 1 = first in the true order
     * @param charge quota resource to amount
     * @param since its place in line among equal priorities
     * @param reason null = none is recorded
     * @param sentence the reason in words
     */
    public record Waiting(
            String id,
            String name,
            String namespace,
            int position,
            SortedMap<String, Long> charge,
            @Nullable String priorityClass,
            int priority,
            Instant since,
            int evictions,
            @Nullable WaitReason reason,
            String sentence) {
        public boolean never() {
            return reason != null && reason.isNever();
        }

        public boolean earmarked() {
            return reason instanceof WaitReason.AwaitingVictims;
        }
    }
}
