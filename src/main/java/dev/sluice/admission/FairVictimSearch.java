package dev.sluice.admission;

import dev.sluice.admission.FairSharing.Strategy;
import dev.sluice.quota.Ledger;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import dev.sluice.quota.QuotaTree;
import dev.sluice.quota.Share;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Whom a workload must preempt to fit under fair sharing (Kueue's fair preemption, KEP-1714).
 *
 * <p>The incoming workload counts as admitted from the start. Then victims are taken one by one from whoever has the
 * highest share ({@link FairTargets}): from the own queue as priority allows; from others whatever their share if the
 * preemptor stays within its quota, and else only if the first strategy finds it fair. Those refused may be taken in a second
 * pass by the initial share, one per queue. At the end victims that were not needed are put back.
 *
 * <p>Putting back has a trap: victims of the own queue lower the preemptor's share, others are then fair to take, and if the
 * own ones are spared at the end, the others' taking is fair no more: their queue takes back by the same rule. So unless
 * the settings say otherwise, nobody is spared without whom the rest would not have been fair.
 */
final class FairVictimSearch implements VictimSearch {
    private final Ledger ledger;
    private final QuotaTree tree;
    private final IntFunction<QueueState> queues;
    private final CandidateOrder order;
    private final List<Strategy> strategies;
    private final boolean fairAfterTrimming;
    private final boolean brake;
    private final boolean idleQueuesGiveBack;
    private final boolean cohortsKeepTheirOwn;
    private final Protection protection;

    private final HighestShare highestShare;

    FairVictimSearch(Ledger ledger, IntFunction<QueueState> queues, AdmissionSettings settings, Protection protection) {
        this.ledger = ledger;
        tree = ledger.tree();
        this.queues = queues;
        order = new CandidateOrder(settings);
        strategies = settings.fairSharing().preemptionStrategies();
        fairAfterTrimming = settings.fairAfterTrimming();
        brake = settings.fairSharingBrake();
        idleQueuesGiveBack = settings.idleQueuesGiveBack();
        cohortsKeepTheirOwn = settings.cohortsKeepTheirOwn();
        this.protection = protection;
        highestShare = new HighestShare(ledger);
    }

    @Override
    public List<Candidate> search(TrackedWorkload preemptor, CompiledQueue queue, int[] contested, Charge charge) {
        Eligibility eligibility = new Eligibility(preemptor, queue, contested, protection);
        List<TrackedWorkload> own = own(eligibility, queue);
        boolean mayReclaim = tree.hasParent(queue.node()) && queue.reclaims();
        Share least = mayReclaim ? leastShare(queue.node(), contested, charge, own) : null;
        boolean asksOthers = mayReclaim && (least == null || !highestShare.leavesNothingTo(least, contested));
        if (own.isEmpty() && !asksOthers) {
            return List.of();
        }
        FairTargets.Others others = new FairTargets.Others(
                other -> of(other, queue.node(), eligibility, contested),
                order,
                (other, share) -> least != null && refuses(share == null ? least : share, other),
                share -> least == null || highestShare.mayTake(least, share, contested));
        return new Search(preemptor, queue.node(), contested, charge).run(own, asksOthers ? others : null);
    }

    /** Whether nothing of a queue is fair to take by the first strategy: without it, whatever it is, the queue would be below the preemptor. */
    private boolean refuses(Share preemptor, int other) {
        return strategies.getFirst() == Strategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE
                && ledger.shareRanking().fallsBelow(preemptor, other);
    }

    /**
     * Its share with its workload and without all of its own that might go: from whoever has less no strategy finds anything fair to take.
     * It spares a look at most that run in the tree, and at all of them for most that wait in a full one. Null = it takes back what is its
     * own, whatever its share; or the cohort is not flat, and shares compare at other nodes.
     */
    private @Nullable Share leastShare(int queue, int[] contested, Charge charge, List<TrackedWorkload> own) {
        if (!HighestShare.comparesIn(tree, queue)) {
            return null;
        }
        highestShare.look(tree.parent(queue));
        try (Ledger.Trial trial = ledger.trial()) {
            charge.addTo(ledger);
            boolean entitled = ledger.isWithinNominal(queue, contested);
            own.forEach(candidate -> candidate.chargeOrThrow().removeFrom(ledger));
            Share least = entitled ? null : Share.of(ledger, queue);
            trial.rewind();
            return least;
        }
    }

    private List<TrackedWorkload> own(Eligibility eligibility, CompiledQueue queue) {
        List<TrackedWorkload> candidates = new ArrayList<>();
        if (queue.preemption().withinClusterQueue() != WithinClusterQueue.NEVER) {
            for (TrackedWorkload holder : queues.apply(queue.node()).holders.asTaken(order, queue.node())) {
                if (eligibility.mayTakeOwn(holder)) {
                    candidates.add(holder);
                }
            }
        }
        return candidates;
    }

    /** Of another queue, which loses nothing as long as it is within its quota. */
    private Candidates of(int other, int own, Eligibility eligibility, int[] contested) {
        QueueState queue = queues.apply(other);
        boolean givesBack =
                !ledger.isWithinNominal(other, contested) && (idleQueuesGiveBack || queue.compiled.mayAdmit());
        return givesBack
                ? new Candidates(queue.holders.asTaken(order, own), eligibility::mayReclaim)
                : Candidates.of(List.of());
    }

    /** @param passed the strategy by which it was fair to take it; null = no share was asked */
    private record Chosen(
            TrackedWorkload workload,
            EvictionReason reason,
            @Nullable Strategy passed) {
        static Chosen byShares(TrackedWorkload workload, Strategy passed) {
            return new Chosen(workload, EvictionReason.IN_COHORT_FAIR_SHARING, passed);
        }

        Charge charge() {
            return workload.chargeOrThrow();
        }
    }

    /** One search. While it runs the ledger holds the preemptor's charge and misses its victims'. */
    private final class Search {
        final TrackedWorkload preemptor;
        final int queue;
        final int[] contested;
        final Charge charge;
        final Comparator<TrackedWorkload> sort;
        final OwnQuota own;
        final List<Chosen> taken = new ArrayList<>();
        final List<TrackedWorkload> refused = new ArrayList<>();
        final Map<Integer, List<Charge>> takenByShares = new HashMap<>();

        Search(TrackedWorkload preemptor, int queue, int[] contested, Charge charge) {
            this.preemptor = preemptor;
            this.queue = queue;
            this.contested = contested;
            this.charge = charge;
            sort = order.seenFrom(queue);
            own = new OwnQuota(ledger, charge, contested, cohortsKeepTheirOwn);
        }

        List<Candidate> run(List<TrackedWorkload> ownVictims, FairTargets.@Nullable Others others) {
            try (Ledger.Trial trial = ledger.trial()) {
                charge.addTo(ledger);
                FairTargets targets = new FairTargets(ledger, queue, ownVictims, others, sort);
                boolean found =
                        takeByShares(targets) || (strategies.size() > 1 && takeRefusedByInitialShare(targets, others));
                charge.removeFrom(ledger);
                List<Chosen> victims = found ? trimmed() : List.of();
                trial.rewind();
                return victims.stream()
                        .map(victim -> Candidate.of(victim.workload(), victim.reason()))
                        .toList();
            }
        }

        private boolean takeByShares(FairTargets targets) {
            List<TrackedWorkload> met = new ArrayList<>();
            for (int target = targets.next(); target != QuotaTree.NONE; target = targets.next()) {
                boolean took = true;
                if (target == queue) {
                    take(targets, new Chosen(targets.pop(target), EvictionReason.IN_CLUSTER_QUEUE, null));
                } else if (own.isKeptBy(target)) {
                    targets.drop(target);
                    took = false;
                } else if (own.isTakenBackFrom(target)) {
                    TrackedWorkload candidate = targets.pop(target);
                    took = !hasMet(candidate);
                    if (took) {
                        take(targets, new Chosen(candidate, EvictionReason.IN_COHORT_RECLAMATION, null));
                    } else {
                        met.add(candidate);
                    }
                } else if (nobodyIsAbove(targets, target)) {
                    return false;
                } else {
                    took = takeFirstFair(targets, target);
                }
                if (took && fitsWithoutItself()) {
                    return true;
                }
            }
            return takeMet(met);
        }

        /** What is one's own is taken back from anybody, but from others first. */
        private boolean takeMet(List<TrackedWorkload> met) {
            FairTargets targets = new FairTargets(ledger, queue, met, null, sort);
            for (int target = targets.next(); target != QuotaTree.NONE; target = targets.next()) {
                if (own.isKeptBy(target)) {
                    targets.drop(target);
                } else {
                    take(targets, new Chosen(targets.pop(target), EvictionReason.IN_COHORT_RECLAMATION, null));
                    if (fitsWithoutItself()) {
                        return true;
                    }
                }
            }
            return false;
        }

        private void take(FairTargets targets, Chosen chosen) {
            chosen.charge().removeFrom(ledger);
            targets.moved(chosen.charge().queue());
            taken.add(chosen);
            if (chosen.passed() != null) {
                takenByShares
                        .computeIfAbsent(own.side(chosen.charge().queue()), node -> new ArrayList<>())
                        .add(chosen.charge());
            }
        }

        /** Whether the highest share of others is below the preemptor's, which falls no more: then no strategy finds anybody. */
        private boolean nobodyIsAbove(FairTargets targets, int target) {
            return !targets.has(queue)
                    && HighestShare.comparesIn(tree, queue)
                    && targets.share(queue).compareTo(targets.share(target)) > 0;
        }

        /** The same for one target: what it falls by is not looked at if it cannot be enough. */
        private boolean givesNothing(int target, Share preemptorNew, Share victimOld, Charge candidate) {
            int order = preemptorNew.compareTo(victimOld);
            return order > 0
                    || (order == 0
                            && HighestShare.comparesIn(tree, queue)
                            && !ledger.isWithinNominal(target, contested)
                            && highestShare.fallsByEachVictim(victimOld, contested)
                            // Who asked for none of it is charged for it all the same, and its queue's share stays.
                            && candidate.amount(contested[0]) > 0);
        }

        private boolean takeFirstFair(FairTargets targets, int target) {
            int ancestor = tree.lowestCommon(queue, target);
            Share preemptorNew = targets.share(tree.childToward(ancestor, queue));
            int victimSide = tree.childToward(ancestor, target);
            Share victimOld = targets.share(victimSide);
            while (targets.has(target)) {
                TrackedWorkload candidate = targets.pop(target);
                if (!givesNothing(target, preemptorNew, victimOld, candidate.chargeOrThrow())
                        && !isBraked(candidate)
                        && isFair(
                                strategies.getFirst(),
                                preemptorNew,
                                victimOld,
                                victimSide,
                                candidate.chargeOrThrow())) {
                    take(targets, Chosen.byShares(candidate, strategies.getFirst()));
                    return true;
                }
                refused.add(candidate);
            }
            return false;
        }

        private boolean isFair(
                Strategy strategy, Share preemptorNew, Share victimOld, int victimSide, Charge candidate) {
            return switch (strategy) {
                case LESS_THAN_INITIAL_SHARE -> preemptorNew.compareTo(victimOld) < 0;
                case LESS_THAN_OR_EQUAL_TO_FINAL_SHARE -> {
                    try (Ledger.Trial trial = ledger.trial()) {
                        candidate.removeFrom(ledger);
                        boolean fair = preemptorNew.compareTo(Share.of(ledger, victimSide)) <= 0;
                        trial.rewind();
                        yield fair;
                    }
                }
            };
        }

        /** Shares may lead in a circle, over several resources or levels: who met once does not meet by shares again. */
        private boolean isBraked(TrackedWorkload candidate) {
            return brake && (hasMet(candidate) || leavesReclaimer(candidate));
        }

        private boolean hasMet(TrackedWorkload candidate) {
            return brake
                    && (candidate.preemptors.contains(preemptor.id()) || preemptor.preemptors.contains(candidate.id()));
        }

        /** Whether somebody taken by shares beside the candidate, or itself, would without the candidate stay within its own quota. */
        private boolean leavesReclaimer(TrackedWorkload candidate) {
            Charge charged = candidate.chargeOrThrow();
            try (Ledger.Trial trial = ledger.trial()) {
                charged.removeFrom(ledger);
                boolean found = own.returnsTo(charged);
                for (Charge other : takenByShares.getOrDefault(own.side(charged.queue()), List.of())) {
                    found |= own.returnsTo(other);
                }
                trial.rewind();
                return found;
            }
        }

        /** The initial share does not hang on which workload goes: one try per queue. */
        private boolean takeRefusedByInitialShare(FairTargets before, FairTargets.@Nullable Others others) {
            FairTargets.Others passedOver = others == null ? null : others.passedOverBy(before);
            FairTargets targets = new FairTargets(ledger, queue, refused, passedOver, sort);
            for (int target = targets.next(); target != QuotaTree.NONE; target = targets.next()) {
                int ancestor = tree.lowestCommon(queue, target);
                Share preemptorNew = targets.share(tree.childToward(ancestor, queue));
                Share victimOld = targets.share(tree.childToward(ancestor, target));
                TrackedWorkload candidate = targets.pop(target);
                if (preemptorNew.compareTo(victimOld) < 0 && !own.isKeptBy(target) && !isBraked(candidate)) {
                    take(targets, Chosen.byShares(candidate, Strategy.LESS_THAN_INITIAL_SHARE));
                    if (fitsWithoutItself()) {
                        return true;
                    }
                }
                targets.drop(target);
            }
            return false;
        }

        private boolean fitsWithoutItself() {
            try (Ledger.Trial trial = ledger.trial()) {
                charge.removeFrom(ledger);
                boolean fits = charge.fits(ledger);
                trial.rewind();
                return fits;
            }
        }

        // What is not needed goes back. The ledger misses the victims and does not hold the preemptor's charge any
        // more.

        private List<Chosen> trimmed() {
            try (Ledger.Trial trial = ledger.trial()) {
                List<Chosen> kept = putBack(false);
                if (!fairAfterTrimming || isFairInOrder(kept)) {
                    return kept;
                }
                trial.rewind();
                return putBack(true);
            }
        }

        /** @param staysFair only those without whom taking the rest would have been fair */
        private List<Chosen> putBack(boolean staysFair) {
            boolean[] spared = new boolean[taken.size()];
            for (int index = taken.size() - 2; index >= 0; index--) {
                Charge candidate = taken.get(index).charge();
                candidate.addTo(ledger);
                spared[index] = true;
                if (!charge.fits(ledger) || (staysFair && !isFairInOrder(without(spared)))) {
                    candidate.removeFrom(ledger);
                    spared[index] = false;
                }
            }
            return without(spared);
        }

        private List<Chosen> without(boolean[] spared) {
            List<Chosen> kept = new ArrayList<>();
            for (int index = 0; index < spared.length; index++) {
                if (!spared[index]) {
                    kept.add(taken.get(index));
                }
            }
            return kept;
        }

        /** Whether it would have been fair to take these and no others, in this order. */
        private boolean isFairInOrder(List<Chosen> victims) {
            try (Ledger.Trial trial = ledger.trial()) {
                victims.forEach(victim -> victim.charge().addTo(ledger));
                charge.addTo(ledger);
                boolean fair = true;
                for (Chosen victim : victims) {
                    Strategy passed = victim.passed();
                    if (passed != null && fair) {
                        int ancestor = tree.lowestCommon(queue, victim.charge().queue());
                        Share preemptorNew = Share.of(ledger, tree.childToward(ancestor, queue));
                        int side = tree.childToward(ancestor, victim.charge().queue());
                        fair = isFair(passed, preemptorNew, Share.of(ledger, side), side, victim.charge());
                    }
                    victim.charge().removeFrom(ledger);
                }
                trial.rewind();
                return fair;
            }
        }
    }
}
