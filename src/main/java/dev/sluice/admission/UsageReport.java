package dev.sluice.admission;

import dev.sluice.quota.Amounts;
import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaLine;
import dev.sluice.quota.QuotaTree;
import dev.sluice.quota.Share;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Adds up who uses what, as {@link QuotaUsage} says. */
final class UsageReport {
    private final Roster roster;
    private final Ledger promised;
    private final QuotaTree tree;

    UsageReport(Roster roster) {
        this.roster = roster;
        promised = roster.promised();
        tree = promised.tree();
    }

    QuotaUsage usage() {
        long[] lent = new LentQuota(promised).byQueueAndLine();
        SortedMap<String, QuotaUsage.Queue> queues = new TreeMap<>();
        Map<QueueState, Integer> stuck = stuck();
        for (QueueState queue : roster.queues()) {
            queues.put(queue.name(), usageOf(queue, lent, stuck.getOrDefault(queue, 0)));
        }
        return new QuotaUsage(queues, roster.settings.fairSharing().isOn() ? shares() : null);
    }

    private Map<QueueState, Integer> stuck() {
        Map<QueueState, Integer> stuck = new HashMap<>();
        for (TreeState tree : roster.trees()) {
            tree.leaving.all().stream()
                    .filter(one -> one.stuck)
                    .forEach(one -> stuck.merge(one.queueOrThrow(), 1, Integer::sum));
            for (QueueState queue : tree.queues) {
                int givenUpOn = (int)
                        queue.holders.all.stream().filter(one -> one.givenUpOn).count();
                stuck.merge(queue, givenUpOn, Integer::sum);
            }
        }
        return stuck;
    }

    private QuotaUsage.FairShares shares() {
        SortedMap<String, Share> queues = new TreeMap<>();
        SortedMap<String, Share> cohorts = new TreeMap<>();
        for (int node = 0; node < tree.nodeCount(); node++) {
            (tree.isQueue(node) ? queues : cohorts).put(tree.name(node), Share.of(promised, node));
        }
        return new QuotaUsage.FairShares(queues, cohorts);
    }

    private QuotaUsage.Queue usageOf(QueueState queue, long[] lent, int stuck) {
        Map<Integer, Long> earmarked = new HashMap<>();
        int admitted = 0;
        for (TrackedWorkload holder : queue.holders.all) {
            if (holder.isEarmarked()) {
                add(earmarked, holder.chargeOrThrow());
            } else {
                admitted++;
            }
        }
        TreeSet<Integer> lines = new TreeSet<>();
        queue.compiled.groups().forEach(group -> {
            for (int[] flavor : group.lines()) {
                for (int line : flavor) {
                    lines.add(line);
                }
            }
        });
        for (int line = 0; line < tree.lineCount(); line++) {
            if (promised.used(queue.node(), line) != 0) {
                lines.add(line);
            }
        }
        Map<String, Long> pending = pendingOf(queue);
        List<QuotaUsage.Line> reported = new ArrayList<>();
        for (int line : lines) {
            reported.add(line(queue.node(), line, lent, earmarked, pending));
        }
        return new QuotaUsage.Queue(
                reported, queue.waiting.size() + queue.earmarked.size(), admitted, stuck, inactiveBecause(queue));
    }

    private static @org.jspecify.annotations.Nullable String inactiveBecause(QueueState queue) {
        String inactive = queue.compiled.inactiveBecause();
        return inactive != null ? inactive : queue.compiled.isStopped() ? "it is stopped" : null;
    }

    private static void add(Map<Integer, Long> sum, Charge charge) {
        for (int index = 0; index < charge.lines().length; index++) {
            sum.merge(charge.lines()[index], charge.amounts()[index], Amounts::add);
        }
    }

    /** By resource: which flavor it will be is not known yet. */
    private static Map<String, Long> pendingOf(QueueState queue) {
        Map<String, Long> pending = new HashMap<>();
        queue.waiting.forEach(one -> one.podSets()
                .forEach(podSet ->
                        podSet.charge().forEach((resource, amount) -> pending.merge(resource, amount, Amounts::add))));
        return pending;
    }

    private QuotaUsage.Line line(
            int queue, int line, long[] lent, Map<Integer, Long> earmarked, Map<String, Long> pending) {
        QuotaLine name = tree.line(line);
        long used = promised.used(queue, line);
        long nominal = tree.nominal(queue, line);
        long potential = tree.potential(queue, line);
        return new QuotaUsage.Line(
                name.flavor(),
                name.resource(),
                nominal,
                used,
                earmarked.getOrDefault(line, 0L),
                tree.hasParent(queue) ? Math.max(0, Amounts.minus(used, nominal)) : 0,
                lent[queue * tree.lineCount() + line],
                Math.max(0, Amounts.minus(used, potential)),
                promised.availableToQueue(queue, line),
                potential,
                pending.getOrDefault(name.resource(), 0L));
    }
}
