package dev.sluice.admission;

import dev.sluice.quota.Amounts;
import dev.sluice.quota.Ledger;
import dev.sluice.quota.PreemptionPolicy;
import dev.sluice.quota.PreemptionPolicy.BorrowWithinCohort;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import dev.sluice.quota.QuotaTree;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Whom a workload must preempt to fit (Kueue's classic and hierarchical preemption). Candidates are taken away in order
 * until it fits, then put back from the last but one to the first while it still fits: what remains is a set of which
 * nobody can be spared.
 *
 * <p>The smallest set of all would need a search over subsets. This one is small, quick, the same on every run, and spares
 * low priorities only where a later victim made them unnecessary, which is what people expect of an order.
 */
final class ClassicVictimSearch implements VictimSearch {
    private final Ledger ledger;
    private final QuotaTree tree;
    private final IntFunction<QueueState> queues;
    private final CandidateOrder order;
    private final boolean uncontestedMayBorrow;
    private final boolean cheapestAlone;
    private final boolean idleQueuesGiveBack;
    private final Protection protection;

    ClassicVictimSearch(
            Ledger ledger, IntFunction<QueueState> queues, AdmissionSettings settings, Protection protection) {
        this.ledger = ledger;
        tree = ledger.tree();
        this.queues = queues;
        order = new CandidateOrder(settings);
        uncontestedMayBorrow = settings.uncontestedMayBorrow();
        cheapestAlone = settings.victimChoice().cheapestAlone();
        idleQueuesGiveBack = settings.idleQueuesGiveBack();
        this.protection = protection;
    }

    /** Why a candidate may be taken. */
    private enum Right {
        WITHIN_QUEUE(EvictionReason.IN_CLUSTER_QUEUE),
        /** The preemptor's side of the tree owns what the candidate borrowed. */
        HIERARCHICAL(EvictionReason.IN_COHORT_RECLAMATION),
        WITHOUT_BORROWING(EvictionReason.IN_COHORT_RECLAMATION),
        WHILE_BORROWING(EvictionReason.IN_COHORT_RECLAIM_WHILE_BORROWING);

        private final EvictionReason reason;

        Right(EvictionReason reason) {
            this.reason = reason;
        }
    }

    /** @param ancestor lowest cohort above both queues; {@link QuotaTree#NONE} = the same queue */
    private record Eligible(TrackedWorkload workload, Right right, int ancestor) {}

    @Override
    public List<Candidate> search(TrackedWorkload preemptor, CompiledQueue queue, int[] contested, Charge whole) {
        // Whoever asks for nothing of a line borrows none of it, however far its queue is over its quota there.
        Charge charge = whole.withoutZeros();
        Pool pool = new Pool(preemptor, queue, contested, charge);
        pool.collect();
        if (pool.isEmpty()) {
            return List.of();
        }
        List<Eligible> inOrder = pool.inOrder();
        boolean borrowingForbidden = !queue.preemption().borrowWithinCohort().allowed();
        boolean[] attempts;
        if (pool.hasNoneElsewhere() || (borrowingForbidden && !isUnderNominal(queue.node(), contested))) {
            attempts = new boolean[] {true};
        } else if (borrowingForbidden && pool.hierarchical.isEmpty()) {
            attempts = new boolean[] {false, true};
        } else {
            attempts = new boolean[] {true, false};
        }
        for (boolean mayBorrow : attempts) {
            List<Candidate> victims = attempt(inOrder, contested, charge, mayBorrow);
            if (!victims.isEmpty()) {
                return victims;
            }
        }
        return List.of();
    }

    private boolean isUnderNominal(int queue, int[] contested) {
        for (int line : contested) {
            if (ledger.used(queue, line) >= tree.nominal(queue, line)) {
                return false;
            }
        }
        return true;
    }

    private List<Candidate> attempt(List<Eligible> candidates, int[] contested, Charge charge, boolean mayBorrow) {
        List<Eligible> taken = new ArrayList<>();
        try (Ledger.Trial trial = ledger.trial()) {
            for (Eligible candidate : candidates) {
                if (!isStillEligible(candidate, contested, mayBorrow)) {
                    continue;
                }
                candidate.workload().chargeOrThrow().removeFrom(ledger);
                taken.add(candidate);
                if (fits(charge, contested, mayBorrow)) {
                    fillBack(taken, contested, charge, mayBorrow);
                    if (cheapestAlone) {
                        takeCheapestAlone(taken, candidates, contested, charge, mayBorrow);
                    }
                    trial.rewind();
                    return taken.stream()
                            .map(victim -> Candidate.of(victim.workload(), victim.right().reason))
                            .toList();
                }
            }
        }
        return List.of();
    }

    private void fillBack(List<Eligible> taken, int[] contested, Charge charge, boolean mayBorrow) {
        for (int index = taken.size() - 2; index >= 0; index--) {
            Charge spared = taken.get(index).workload().chargeOrThrow();
            spared.addTo(ledger);
            if (fits(charge, contested, mayBorrow)) {
                // The last one moves into the gap: the order of what remains is the one that Kueue reports.
                Eligible last = taken.removeLast();
                if (index < taken.size()) {
                    taken.set(index, last);
                }
            } else {
                spared.removeFrom(ledger);
            }
        }
    }

    /**
     * A gang that came last would be taken first, however large it is. If one workload of the same right and no higher priority is
     * enough that holds less of what is contested, it goes instead.
     */
    private void takeCheapestAlone(
            List<Eligible> taken, List<Eligible> candidates, int[] contested, Charge charge, boolean mayBorrow) {
        int priority = taken.stream()
                .mapToInt(victim -> victim.workload().priority)
                .max()
                .orElseThrow();
        taken.forEach(victim -> victim.workload().chargeOrThrow().addTo(ledger));
        long least = weight(taken, contested);
        @Nullable Eligible cheapest = null;
        for (Eligible candidate : candidates) {
            Charge own = candidate.workload().chargeOrThrow();
            long weight = weight(List.of(candidate), contested);
            if (weight >= least
                    || candidate.workload().priority > priority
                    || candidate.right() != taken.getFirst().right()
                    || !isStillEligible(candidate, contested, mayBorrow)) {
                continue;
            }
            own.removeFrom(ledger);
            if (fits(charge, contested, mayBorrow)) {
                cheapest = candidate;
                least = weight;
            }
            own.addTo(ledger);
        }
        if (cheapest != null) {
            taken.clear();
            taken.add(cheapest);
        }
    }

    /** Of the first contested line, since amounts of different lines do not compare. */
    private static long weight(List<Eligible> victims, int[] contested) {
        long weight = 0;
        for (Eligible victim : victims) {
            weight = Amounts.add(weight, victim.workload().chargeOrThrow().amount(contested[0]));
        }
        return weight;
    }

    private boolean fits(Charge charge, int[] contested, boolean mayBorrow) {
        return (mayBorrow || !borrows(charge, contested)) && charge.fits(ledger);
    }

    private boolean borrows(Charge charge, int[] contested) {
        for (int line : uncontestedMayBorrow ? contested : charge.lines()) {
            if (ledger.wouldBorrow(charge.queue(), line, charge.amount(line))) {
                return true;
            }
        }
        return false;
    }

    /** Victims taken so far may have brought the candidate's queue, or a cohort above it, back within its own quota. */
    private boolean isStillEligible(Eligible candidate, int[] contested, boolean mayBorrow) {
        if (candidate.right() == Right.WITHIN_QUEUE) {
            return true;
        }
        if (mayBorrow && candidate.right() == Right.WITHOUT_BORROWING) {
            return false;
        }
        int node = candidate.workload().chargeOrThrow().queue();
        while (node != candidate.ancestor()) {
            if (ledger.isWithinNominal(node, contested)) {
                return false;
            }
            node = tree.parent(node);
        }
        return true;
    }

    /** The candidates of one search. */
    private final class Pool {
        final TrackedWorkload preemptor;
        final CompiledQueue queue;
        final int[] contested;
        final Charge charge;
        final Eligibility eligibility;
        final List<Eligible> hierarchical = new ArrayList<>();
        final List<Eligible> byPriority = new ArrayList<>();
        final List<Eligible> own = new ArrayList<>();

        Pool(TrackedWorkload preemptor, CompiledQueue queue, int[] contested, Charge charge) {
            this.preemptor = preemptor;
            this.queue = queue;
            this.contested = contested;
            this.charge = charge;
            eligibility = new Eligibility(preemptor, queue, contested, protection);
        }

        boolean hasNoneElsewhere() {
            return hierarchical.isEmpty() && byPriority.isEmpty();
        }

        boolean isEmpty() {
            return hasNoneElsewhere() && own.isEmpty();
        }

        void collect() {
            PreemptionPolicy policy = queue.preemption();
            if (policy.withinClusterQueue() != WithinClusterQueue.NEVER) {
                for (TrackedWorkload candidate : queues.apply(queue.node()).holders.all) {
                    if (eligibility.mayTakeOwn(candidate)) {
                        own.add(new Eligible(candidate, Right.WITHIN_QUEUE, QuotaTree.NONE));
                    }
                }
            }
            if (policy.reclaimWithinCohort() == ReclaimWithinCohort.NEVER || !tree.hasParent(queue.node())) {
                return;
            }
            long[] rest = charge.amounts().clone();
            boolean advantage = holdsWithinQuota(queue.node(), rest);
            // A queue that uses its quota already, and may not preempt while it borrows, has no use for candidates by
            // priority.
            boolean byPriorityToo = policy.borrowWithinCohort().allowed() || isUnderNominal(queue.node(), contested);
            int done = queue.node();
            for (int cohort = tree.parent(queue.node()); cohort != QuotaTree.NONE; cohort = tree.parent(cohort)) {
                if (advantage || byPriorityToo) {
                    collectBelow(cohort, cohort, done, advantage);
                }
                advantage |= holdsWithinQuota(cohort, rest);
                done = cohort;
            }
        }

        /** Whether the node's own quota holds the rest; what its local quota would take is subtracted from the rest. */
        private boolean holdsWithinQuota(int node, long[] rest) {
            boolean holds = true;
            for (int index = 0; index < rest.length; index++) {
                int line = charge.lines()[index];
                holds &= !ledger.wouldBorrow(node, line, rest[index]);
                rest[index] = Amounts.minus(rest[index], Math.min(rest[index], ledger.localAvailable(node, line)));
            }
            return holds;
        }

        private void collectBelow(int cohort, int ancestor, int done, boolean advantage) {
            for (int child : tree.childCohorts(cohort)) {
                if (child != done && !ledger.isWithinNominal(child, contested)) {
                    collectBelow(child, ancestor, done, advantage);
                }
            }
            for (int child : tree.childQueues(cohort)) {
                if (child != queue.node() && !ledger.isWithinNominal(child, contested)) {
                    collectFrom(child, ancestor, advantage);
                }
            }
        }

        private void collectFrom(int other, int ancestor, boolean advantage) {
            if (!idleQueuesGiveBack && !queues.apply(other).compiled.mayAdmit()) {
                return;
            }
            for (TrackedWorkload candidate : queues.apply(other).holders.all) {
                if (!eligibility.mayReclaim(candidate)) {
                    continue;
                }
                if (advantage) {
                    hierarchical.add(new Eligible(candidate, Right.HIERARCHICAL, ancestor));
                } else {
                    byPriority.add(new Eligible(candidate, rightByPriority(candidate), ancestor));
                }
            }
        }

        private Right rightByPriority(TrackedWorkload candidate) {
            BorrowWithinCohort policy = queue.preemption().borrowWithinCohort();
            Integer threshold = policy.maxPriorityThreshold();
            boolean allowed = policy.allowed()
                    && candidate.priority < preemptor.priority
                    && (threshold == null || candidate.priority <= threshold);
            return allowed ? Right.WHILE_BORROWING : Right.WITHOUT_BORROWING;
        }

        /** Those on their way out first; in each half hierarchical, then by priority, then the own queue. */
        List<Eligible> inOrder() {
            Comparator<Eligible> sort = Comparator.comparing(Eligible::workload, order.seenFrom(queue.node()));
            List<List<Eligible>> lists = List.of(hierarchical, byPriority, own);
            lists.forEach(list -> list.sort(sort));
            List<Eligible> all = new ArrayList<>();
            for (boolean evicting : new boolean[] {true, false}) {
                for (List<Eligible> list : lists) {
                    list.stream()
                            .filter(candidate -> candidate.workload().isEvicting() == evicting)
                            .forEach(all::add);
                }
            }
            return all;
        }
    }
}
