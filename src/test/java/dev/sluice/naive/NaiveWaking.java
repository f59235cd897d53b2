package dev.sluice.naive;

import dev.sluice.naive.NaiveCycle.Entry;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.QuotaLine;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.simulation.PlainUsage;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * In each queue, the first of those that are parked who would start as things stand, with its like; of these those that need not borrow,
 * unless all must; of these those whose turn it is as long as there is room. Who demands at least as much as
 * one before it lacked, with no higher priority, is not asked.
 */
final class NaiveWaking {
    private static final long NEVER = Long.MAX_VALUE;

    private final NaiveState state;
    private final String root;
    private final PlainUsage usage;

    NaiveWaking(NaiveState state, String root) {
        this.state = state;
        this.root = root;
        usage = state.promised();
    }

    private record Lack(int priority, Map<QuotaLine, Long> amounts) {
        boolean meets(NaiveWorkload other, @Nullable Map<QuotaLine, Long> demand) {
            return demand != null
                    && other.priority <= priority
                    && amounts.entrySet().stream()
                            .allMatch(each -> demand.getOrDefault(each.getKey(), 0L) >= each.getValue());
        }
    }

    boolean run() {
        List<Entry> firsts = new ArrayList<>();
        for (String queue : state.tree.queuesBelow(root)) {
            ClusterQueue config = state.config(queue);
            Entry first = config == null || !state.mayAdmit(queue) ? null : firstToStart(config);
            if (first != null) {
                firsts.add(first);
            }
        }
        boolean allBorrow = firsts.stream().allMatch(first -> first.plan.borrowing() > 0);
        firsts.removeIf(first -> !allBorrow && first.plan.borrowing() > 0);
        List<Entry> chosen = withRoom(firsts, allBorrow);
        chosen.forEach(each -> state.wakeLike(each.queue.name(), each.head));
        return !chosen.isEmpty();
    }

    /**
     * Dealt with in turn: who would lose the room to those before it is left alone, and so is, where all borrow, who must preempt if
     * anybody is before it.
     */
    private List<Entry> withRoom(List<Entry> entries, boolean allBorrow) {
        List<Entry> chosen = new ArrayList<>();
        Set<WorkloadId> going = new HashSet<>();
        PlainUsage then = usage;
        while (!entries.isEmpty()) {
            Entry entry = NaiveTurns.next(state.settings, then, root, entries);
            entries.remove(entry);
            if (allBorrow && !chosen.isEmpty() && !entry.plan.victims().isEmpty()) {
                continue;
            }
            PlainUsage without = then;
            for (NaiveVictim victim : entry.plan.victims()) {
                without = victim.workload().leave(without);
            }
            if (!entry.plan.takesAny(going) && without.fits(entry.queue.name(), entry.plan.charge())) {
                chosen.add(entry);
                going.addAll(entry.plan.victimIds());
                then = without.plus(entry.queue.name(), entry.plan.charge());
            }
        }
        return chosen;
    }

    private @Nullable Entry firstToStart(ClusterQueue queue) {
        Set<NaiveWorkload.Shape> seen = new HashSet<>();
        List<Lack> lacks = new ArrayList<>();
        for (NaiveWorkload one : state.competing(queue.name())) {
            if (!one.parked || state.hasLost(queue.name(), one) || !seen.add(one.shape())) {
                continue;
            }
            Map<QuotaLine, Long> demand = demand(queue, one);
            if (lacks.stream().anyMatch(lack -> lack.meets(one, demand))) {
                continue;
            }
            NaivePlan plan = new NaiveCycle(state, root).planNow(queue, one);
            if (plan.starts()) {
                return new Entry(queue, one, plan);
            }
            Map<QuotaLine, Long> lacking = demand == null ? Map.of() : lacking(queue, demand);
            if (!lacking.isEmpty()) {
                lacks.add(new Lack(one.priority, lacking));
            }
        }
        return null;
    }

    /** On every line of the queue; null = it cannot be said line by line, since pod sets may choose or pods be left out. */
    private @Nullable Map<QuotaLine, Long> demand(ClusterQueue queue, NaiveWorkload one) {
        List<PodSet> podSets = one.podSets();
        List<List<Integer>> parts = NaiveFit.parts(podSets);
        boolean mayShrink =
                podSets.stream().anyMatch(each -> each.minCount() != null && each.minCount() < each.count());
        if (parts.size() != 1 || mayShrink) {
            return null;
        }
        Map<String, Long> request = new TreeMap<>();
        for (PodSet podSet : podSets) {
            NaiveFit.request(queue, podSet, podSet.count())
                    .forEach((resource, amount) -> request.merge(resource, amount, Long::sum));
        }
        boolean hopeless = request.entrySet().stream()
                .anyMatch(each -> each.getValue() != 0 && NaiveFit.groupOf(queue, each.getKey()) == null);
        Map<QuotaLine, Long> demand = new TreeMap<>();
        for (ResourceGroup group : queue.resourceGroups()) {
            boolean asks = group.coveredResources().stream().anyMatch(request::containsKey);
            group.flavors().forEach(flavor -> {
                boolean out = hopeless
                        || (asks
                                && !NaiveFit.matches(
                                        state.configuration().resourceFlavors().get(flavor.flavor()),
                                        podSets,
                                        parts.getFirst()));
                for (String resource : group.coveredResources()) {
                    demand.put(
                            new QuotaLine(flavor.flavor(), resource), out ? NEVER : request.getOrDefault(resource, 0L));
                }
            });
        }
        return demand;
    }

    /** Of the groups in which every flavor has too little of something: all of which there is too little. */
    private Map<QuotaLine, Long> lacking(ClusterQueue queue, Map<QuotaLine, Long> demand) {
        Map<QuotaLine, Long> lacking = new TreeMap<>();
        for (ResourceGroup group : queue.resourceGroups()) {
            Map<QuotaLine, Long> ofGroup = new TreeMap<>();
            boolean everywhere = true;
            for (var flavor : group.flavors()) {
                boolean here = false;
                for (String resource : group.coveredResources()) {
                    QuotaLine line = new QuotaLine(flavor.flavor(), resource);
                    long wanted = demand.getOrDefault(line, 0L);
                    if (wanted > Math.max(0, usage.available(queue.name(), line))) {
                        ofGroup.put(line, wanted);
                        here = true;
                    }
                }
                everywhere &= here;
            }
            if (everywhere) {
                lacking.putAll(ofGroup);
            }
        }
        return lacking;
    }
}
