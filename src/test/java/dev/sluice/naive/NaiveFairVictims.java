package dev.sluice.naive;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.EvictionReason;
import dev.sluice.admission.FairSharing.Strategy;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.QuotaLine;
import dev.sluice.simulation.PlainTree;
import dev.sluice.simulation.PlainUsage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Preemption under fair sharing, as Kueue's documentation tells it step by step. */
final class NaiveFairVictims {
    private final AdmissionSettings settings;
    private final PlainUsage before;
    private final PlainTree tree;
    private final String queue;
    private final SortedMap<QuotaLine, Long> charge;
    private final Set<QuotaLine> contested;
    private final NaiveCandidates candidates;
    /** Per queue, best first. */
    private final Map<String, List<NaiveWorkload>> left = new TreeMap<>();

    private final Map<String, List<NaiveWorkload>> refused = new TreeMap<>();
    private final List<Taken> taken = new ArrayList<>();
    /** With the preemptor's charge and without those taken so far. */
    private PlainUsage usage;

    /** @param strategy by which it was fair; null = no share was asked */
    private record Taken(
            NaiveWorkload workload,
            EvictionReason reason,
            @Nullable Strategy strategy) {}

    NaiveFairVictims(
            AdmissionSettings settings,
            PlainUsage usage,
            NaiveWorkload preemptor,
            ClusterQueue queue,
            Set<QuotaLine> contested,
            SortedMap<QuotaLine, Long> charge,
            List<NaiveWorkload> holders) {
        this.settings = settings;
        before = usage;
        tree = usage.tree();
        this.queue = queue.name();
        this.charge = charge;
        this.contested = contested;
        candidates = new NaiveCandidates(settings, preemptor, queue, contested, holders);
        this.usage = usage.plus(this.queue, charge);
        left.put(this.queue, new ArrayList<>(candidates.own()));
        if (queue.preemption().reclaimWithinCohort() != ReclaimWithinCohort.NEVER) {
            for (String other : tree.queuesBelow(tree.root(this.queue))) {
                if (!other.equals(this.queue) && !before.isWithin(other, contested)) {
                    left.put(other, new ArrayList<>(candidates.of(other)));
                }
            }
        }
    }

    List<NaiveVictim> find() {
        boolean found = takeByShares();
        if (!found && settings.fairSharing().preemptionStrategies().size() > 1) {
            found = takeRefused();
        }
        return found
                ? trimmed().stream()
                        .map(victim -> new NaiveVictim(victim.workload, victim.reason))
                        .toList()
                : List.of();
    }

    private boolean takeByShares() {
        List<String> owners = tree.path(queue).stream()
                .filter(node -> usage.isWithin(node, contested) && (settings.earmarks() || node.equals(queue)))
                .toList();
        Strategy strategy = settings.fairSharing().preemptionStrategies().getFirst();
        for (String target = next(left); target != null; target = next(left)) {
            boolean took = false;
            if (isKept(target)) {
                left.remove(target);
                continue;
            }
            boolean entitled = !Collections.disjoint(owners, below(queue, target));
            while (!took && !of(left, target).isEmpty()) {
                NaiveWorkload one = of(left, target).removeFirst();
                took = true;
                if (target.equals(queue)) {
                    take(new Taken(one, EvictionReason.IN_CLUSTER_QUEUE, null));
                } else if (entitled) {
                    take(new Taken(one, EvictionReason.IN_COHORT_RECLAMATION, null));
                } else if (isFair(strategy, usage, one)) {
                    take(new Taken(one, EvictionReason.IN_COHORT_FAIR_SHARING, strategy));
                } else {
                    took = false;
                    of(refused, target).add(one);
                }
            }
            if (took && fits()) {
                return true;
            }
        }
        return false;
    }

    /** From one queue up, those that the other does not stand in. */
    private List<String> below(String one, String other) {
        List<String> nodes = new ArrayList<>(tree.path(one));
        nodes.removeAll(tree.path(other));
        return nodes;
    }

    /** It uses no more than its own, or than what a cohort owns that the preemptor does not stand in. */
    private boolean isKept(String target) {
        return settings.earmarks() && below(target, queue).stream().anyMatch(node -> usage.isWithin(node, contested));
    }

    private boolean takeRefused() {
        for (String target = next(refused); target != null; target = next(refused)) {
            NaiveWorkload one = of(refused, target).removeFirst();
            refused.remove(target);
            if (!isKept(target) && isFair(Strategy.LESS_THAN_INITIAL_SHARE, usage, one)) {
                take(new Taken(one, EvictionReason.IN_COHORT_FAIR_SHARING, Strategy.LESS_THAN_INITIAL_SHARE));
                if (fits()) {
                    return true;
                }
            }
        }
        return false;
    }

    private static List<NaiveWorkload> of(Map<String, List<NaiveWorkload>> some, String target) {
        return some.computeIfAbsent(target, key -> new ArrayList<>());
    }

    private void take(Taken one) {
        taken.add(one);
        usage = one.workload.leave(usage);
    }

    private boolean fits() {
        return usage.minus(queue, charge).fits(queue, charge);
    }

    /** The child with the highest share, down to a queue; null = nobody is left. */
    private @Nullable String next(Map<String, List<NaiveWorkload>> some) {
        return highest(tree.root(queue), some);
    }

    private @Nullable String highest(String node, Map<String, List<NaiveWorkload>> some) {
        if (tree.isQueue(node)) {
            return some.getOrDefault(node, List.of()).isEmpty() ? null : node;
        }
        String best = null;
        String bestQueue = null;
        for (String child : tree.children(node)) {
            String below = highest(child, some);
            if (below != null
                    && (tree.path(queue).contains(child)
                            || NaiveShare.of(usage, child).borrowing())
                    && (best == null || bestQueue == null || comesBefore(child, below, best, bestQueue, some))) {
                best = child;
                bestQueue = below;
            }
        }
        return bestQueue;
    }

    /** Higher share; a cohort before a queue; the better candidate. */
    private boolean comesBefore(
            String node, String below, String other, String otherBelow, Map<String, List<NaiveWorkload>> some) {
        int byShare = NaiveShare.of(usage, node).compareTo(NaiveShare.of(usage, other));
        if (byShare != 0 || tree.isQueue(node) != tree.isQueue(other)) {
            return byShare > 0 || (byShare == 0 && tree.isQueue(other));
        }
        return candidates
                        .order()
                        .compare(
                                of(some, below).getFirst(), of(some, otherBelow).getFirst())
                < 0;
    }

    /** Compared at the children of the lowest cohort above both. */
    private boolean isFair(Strategy strategy, PlainUsage now, NaiveWorkload victim) {
        List<String> ours = tree.path(queue);
        String side = victim.chargedTo();
        for (String node : tree.path(victim.chargedTo())) {
            if (ours.contains(node)) {
                break;
            }
            side = node;
        }
        String common = tree.parent(side);
        String our = ours.get(ours.indexOf(common) - 1);
        NaiveShare preemptorNew = NaiveShare.of(now, our);
        NaiveShare old = NaiveShare.of(now, side);
        return switch (strategy) {
            case LESS_THAN_INITIAL_SHARE -> preemptorNew.compareTo(old) < 0;
            case LESS_THAN_OR_EQUAL_TO_FINAL_SHARE ->
                !(preemptorNew.infinite() && !old.infinite())
                        && preemptorNew.compareTo(NaiveShare.of(victim.leave(now), side)) <= 0;
        };
    }

    private List<Taken> trimmed() {
        List<Taken> kept = putBack(rest -> true);
        return settings.fairAfterTrimming() && !isFairInOrder(kept) ? putBack(this::isFairInOrder) : kept;
    }

    private List<Taken> putBack(Predicate<List<Taken>> allowed) {
        List<Taken> kept = new ArrayList<>(taken);
        PlainUsage rest = usage.minus(queue, charge);
        for (int index = taken.size() - 2; index >= 0; index--) {
            List<Taken> fewer = new ArrayList<>(kept);
            Taken spared = fewer.remove(index);
            PlainUsage withOne = spared.workload.join(rest);
            if (withOne.fits(queue, charge) && allowed.test(fewer)) {
                kept = fewer;
                rest = withOne;
            }
        }
        return kept;
    }

    /** Whether taking these and no others, in this order, is fair. */
    private boolean isFairInOrder(List<Taken> victims) {
        PlainUsage now = before.plus(queue, charge);
        for (Taken victim : victims) {
            if (victim.strategy != null && !isFair(victim.strategy, now, victim.workload)) {
                return false;
            }
            now = victim.workload.leave(now);
        }
        return true;
    }
}
