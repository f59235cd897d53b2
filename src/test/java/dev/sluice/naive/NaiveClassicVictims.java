package dev.sluice.naive;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.EvictionReason;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.PreemptionPolicy.BorrowWithinCohort;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.QuotaLine;
import dev.sluice.simulation.PlainTree;
import dev.sluice.simulation.PlainUsage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Classic preemption, as Kueue's documentation tells it step by step. */
final class NaiveClassicVictims {
    private final AdmissionSettings settings;
    private final PlainUsage before;
    private final PlainTree tree;
    private final NaiveWorkload preemptor;
    private final ClusterQueue queue;
    private final Set<QuotaLine> contested;
    private final SortedMap<QuotaLine, Long> charge;
    private final NaiveCandidates candidates;
    private final List<Option> hierarchical = new ArrayList<>();
    private final List<Option> byPriority = new ArrayList<>();
    private final List<Option> own = new ArrayList<>();

    /** @param ancestor lowest cohort above both queues; empty = the same queue */
    private record Option(NaiveWorkload workload, EvictionReason reason, boolean notIfBorrowing, String ancestor) {}

    NaiveClassicVictims(
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
        this.preemptor = preemptor;
        this.queue = queue;
        this.contested = contested;
        this.charge = new TreeMap<>(charge);
        this.charge.values().removeIf(amount -> amount == 0);
        candidates = new NaiveCandidates(settings, preemptor, queue, contested, holders);
    }

    List<NaiveVictim> find() {
        collect();
        boolean mayBorrowToPreempt = queue.preemption().borrowWithinCohort().allowed();
        boolean underNominal =
                contested.stream().allMatch(line -> before.used(queue.name(), line) < tree.nominal(queue.name(), line));
        List<Boolean> attempts;
        if ((hierarchical.isEmpty() && byPriority.isEmpty()) || (!mayBorrowToPreempt && !underNominal)) {
            attempts = List.of(true);
        } else if (!mayBorrowToPreempt && hierarchical.isEmpty()) {
            attempts = List.of(false, true);
        } else {
            attempts = List.of(true, false);
        }
        for (boolean borrowing : attempts) {
            List<NaiveVictim> victims = attempt(borrowing);
            if (!victims.isEmpty()) {
                return victims;
            }
        }
        return List.of();
    }

    private void collect() {
        candidates.own().forEach(one -> own.add(new Option(one, EvictionReason.IN_CLUSTER_QUEUE, false, "")));
        if (queue.preemption().reclaimWithinCohort() == ReclaimWithinCohort.NEVER) {
            return;
        }
        SortedMap<QuotaLine, Long> rest = new TreeMap<>(charge);
        boolean advantage = holds(queue.name(), rest);
        Set<String> visited = new HashSet<>(Set.of(queue.name()));
        for (String cohort : tree.path(queue.name())) {
            if (!cohort.equals(queue.name())) {
                List<NaiveWorkload> found = new ArrayList<>();
                collectBelow(cohort, visited, found);
                for (NaiveWorkload one : found) {
                    add(one, advantage, cohort);
                }
                visited.add(cohort);
                advantage |= holds(cohort, rest);
            }
        }
        hierarchical.sort((left, right) -> candidates.order().compare(left.workload, right.workload));
        byPriority.sort((left, right) -> candidates.order().compare(left.workload, right.workload));
    }

    private boolean holds(String node, SortedMap<QuotaLine, Long> rest) {
        boolean holds = !before.borrows(node, rest);
        rest.replaceAll((line, amount) -> amount - Math.min(amount, before.localAvailable(node, line)));
        return holds;
    }

    private void collectBelow(String cohort, Set<String> visited, List<NaiveWorkload> found) {
        for (String child : tree.children(cohort)) {
            if (visited.contains(child) || before.isWithin(child, contested)) {
                continue;
            }
            if (tree.isQueue(child)) {
                found.addAll(candidates.of(child));
            } else {
                collectBelow(child, visited, found);
            }
        }
    }

    private void add(NaiveWorkload one, boolean advantage, String ancestor) {
        BorrowWithinCohort policy = queue.preemption().borrowWithinCohort();
        Integer threshold = policy.maxPriorityThreshold();
        boolean whileBorrowing = policy.allowed()
                && one.priority < preemptor.priority
                && (threshold == null || one.priority <= threshold);
        if (advantage) {
            hierarchical.add(new Option(one, EvictionReason.IN_COHORT_RECLAMATION, false, ancestor));
        } else if (whileBorrowing) {
            byPriority.add(new Option(one, EvictionReason.IN_COHORT_RECLAIM_WHILE_BORROWING, false, ancestor));
        } else {
            byPriority.add(new Option(one, EvictionReason.IN_COHORT_RECLAMATION, true, ancestor));
        }
    }

    private List<Option> inOrder() {
        List<Option> inOrder = new ArrayList<>();
        for (boolean evicting : List.of(true, false)) {
            for (List<Option> list : List.of(hierarchical, byPriority, own)) {
                list.stream()
                        .filter(option -> option.workload.isEvicting() == evicting)
                        .forEach(inOrder::add);
            }
        }
        return inOrder;
    }

    private List<NaiveVictim> attempt(boolean borrowing) {
        List<Option> taken = new ArrayList<>();
        PlainUsage usage = before;
        for (Option option : inOrder()) {
            if ((borrowing && option.notIfBorrowing) || !stillBorrows(option, usage)) {
                continue;
            }
            usage = option.workload.leave(usage);
            taken.add(option);
            if (fits(usage, borrowing)) {
                return fillBack(taken, usage, borrowing);
            }
        }
        return List.of();
    }

    private boolean stillBorrows(Option option, PlainUsage usage) {
        if (option.ancestor.isEmpty()) {
            return true;
        }
        for (String node : tree.path(option.workload.chargedTo())) {
            if (node.equals(option.ancestor)) {
                return true;
            }
            if (usage.isWithin(node, contested)) {
                return false;
            }
        }
        throw new IllegalStateException(option.ancestor + " is not above " + option.workload.chargedTo());
    }

    private boolean fits(PlainUsage usage, boolean borrowing) {
        SortedMap<QuotaLine, Long> within = new TreeMap<>(charge);
        if (settings.uncontestedMayBorrow()) {
            within.keySet().retainAll(contested);
        }
        return usage.fits(queue.name(), charge) && (borrowing || !usage.borrows(queue.name(), within));
    }

    private List<NaiveVictim> fillBack(List<Option> taken, PlainUsage without, boolean borrowing) {
        PlainUsage usage = without;
        for (int index = taken.size() - 2; index >= 0; index--) {
            PlainUsage withOne = taken.get(index).workload.join(usage);
            if (fits(withOne, borrowing)) {
                usage = withOne;
                taken.set(index, taken.getLast());
                taken.removeLast();
            }
        }
        return taken.stream()
                .map(option -> new NaiveVictim(option.workload, option.reason))
                .toList();
    }
}
