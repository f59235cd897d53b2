package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Wakes whoever could start as things stand: of each queue the first of those that are parked, and of these those whose turn it would
 * be as long as there is room. Who comes after them is looked at when they have started.
 *
 * <p>To wake everybody whenever something moved, as Kueue does, is simple and costs a look at everything that waits and differs. Here
 * most are ruled out together, by what the least demanding of a block of them needs ({@link Demand}) against what the queue could get
 * at the most ({@link Reach}); and whoever needs at least as much as one before it lacked, with no higher priority, is passed over.
 */
final class Waking {
    private final Roster roster;
    private final TreeState tree;
    private final Ledger promised;
    private final Protection protection;
    private final Nominator nominator;
    private final Keepers keepers;
    private final ParkedDemands demands;
    private final Hopefuls hopefuls;
    /** Whether whose turn it is is told by shares that compare in one place. */
    private final boolean byShare;

    Waking(Roster roster, TreeState tree) {
        this.roster = roster;
        this.tree = tree;
        promised = roster.promised();
        protection = new Protection(one -> false, roster.settings.victimChoice(), roster.now());
        nominator = new Nominator(
                promised, VictimSearch.of(promised, roster::queue, roster.settings, protection), roster.settings);
        keepers = new Keepers(roster, tree, this::nominate);
        demands = new ParkedDemands(roster, tree, keepers);
        hopefuls = new Hopefuls(roster, tree, keepers, demands);
        byShare = roster.settings.fairSharing().isOn() && HighestShare.comparesAllBelow(promised.tree(), tree.root);
    }

    /** Returns whether anybody was woken. */
    boolean run() {
        Outside now = outsideOfNow();
        List<Startable> firsts = new ArrayList<>();
        tree.parked.within(now).forEach(queue -> addFirst(queue, now, firsts));
        RoomInTurn room = new RoomInTurn(tree, promised, roster.settings, this::nominate);
        List<Startable> inTurn;
        if (byShare && firsts.stream().allMatch(Startable::borrows)) {
            BorrowersInTurn turns =
                    new BorrowersInTurn(firsts, borrowers(), now, queue -> lookIfHopeful(queue, now), promised);
            List<Startable> within = turns.withoutBorrowing();
            inTurn = within.isEmpty() ? room.of(turns) : room.of(within);
        } else {
            if (firsts.stream().allMatch(Startable::borrows)) {
                tree.parked.beyond(now).forEach(queue -> addFirst(queue, now, firsts));
            }
            inTurn = room.of(firsts);
        }
        inTurn.forEach(this::wake);
        tree.lookAgainAt(protection.endsFirst());
        return !inTurn.isEmpty();
    }

    /**
     * Looks into every queue whose turn never came, though nobody is woken any more: those who wait there for somebody's protection to end
     * must be looked at again when it does.
     */
    void lookIntoTheRest() {
        if (!byShare) {
            return;
        }
        Outside now = outsideOfNow();
        borrowers().turns(now).queues().forEach(queue -> lookIfHopeful(queue, now));
        tree.lookAgainAt(protection.endsFirst());
    }

    /** To be said before any queue is looked into. */
    Outside outsideOfNow() {
        tree.parked.refresh(demands::mayStartWithin, byShare ? this::noteBorrower : queue -> {});
        return Outside.of(
                promised,
                tree.root,
                tree.parked.most(promised.tree().lineCount()),
                roster.settings.fairSharing().isOn());
    }

    private void wake(Startable first) {
        Entry entry = first.entry();
        if (entry != null) {
            first.lane().foresee(entry.nominated(), entry.usage, tree.holdersVersion());
        }
        first.queue().wake(first.lane());
    }

    private void addFirst(QueueState queue, Outside now, List<Startable> firsts) {
        Startable first = look(queue, now);
        if (first != null) {
            firsts.add(first);
        }
    }

    private void noteBorrower(QueueState queue) {
        if (tree.parked.mayBorrow(queue)) {
            tree.borrowers(promised.tree()).put(hopefuls.of(queue));
        } else {
            tree.borrowers(promised.tree()).remove(queue);
        }
    }

    private Borrowers borrowers() {
        Borrowers borrowers = tree.borrowers(promised.tree());
        // Who keeps room without being parked may have begun to, or ended, since.
        for (QueueState queue : tree.competing()) {
            if (borrowers.has(queue) && keepers.keeper(queue) != null) {
                borrowers.put(hopefuls.of(queue));
            }
        }
        return borrowers;
    }

    private @Nullable Startable lookIfHopeful(QueueState queue, Outside now) {
        return tree.parked.mayBorrow(queue, now) ? look(queue, now) : null;
    }

    /** Whether nobody in the queue can start, as far as that is known of all of them together. */
    private boolean isHopeless(Search search, Outside now) {
        boolean hopeless = search.areRuledOut(demands.of(search.queue));
        if (hopeless) {
            tree.parked.ruleOut(search.queue, now);
        }
        return hopeless;
    }

    /** Who of a queue would start first, with its precedence where turns go by shares; null = nobody. */
    @Nullable Startable look(QueueState queue, Outside now) {
        Lane keeper = keepers.keeper(queue);
        roster.looks.queues++;
        Search search = new Search(queue, List.of());
        if (isHopeless(search, now)) {
            return null;
        }
        Startable first = keeper == null ? search.first(null, lane -> true) : firstToStart(queue, search, keeper, now);
        if (first == null && keeper == null && search.rulesOut()) {
            tree.parked.ruleOut(queue, now);
        }
        return first == null || !byShare
                ? first
                : first.with(Precedence.of(
                        promised, first.charge(), queue.node(), first.lane().head()));
    }

    /** Whether it fits once all those of its queue are gone that it may take. */
    private boolean ownMakeRoom(Lane lane, Charge charge, QueueState queue) {
        int[] contested = charge.notFitting(promised);
        if (queue.compiled.preemption().withinClusterQueue() == WithinClusterQueue.LOWER_PRIORITY
                && !tree.protectsForATime()
                && !roster.settings.stuckVictims().choosesAnother()) {
            return lowerMakeRoom(lane, charge, queue, contested);
        }
        Eligibility eligibility = new Eligibility(lane.head(), queue.compiled, contested, protection);
        try (Ledger.Trial trial = promised.trial()) {
            for (TrackedWorkload holder : queue.holders.all) {
                if (eligibility.mayTakeOwn(holder)) {
                    holder.chargeOrThrow().removeFrom(promised);
                }
            }
            boolean fits = charge.fits(promised);
            trial.rewind();
            return fits;
        }
    }

    /** The same where everybody of a lower priority may be taken: their sums are known. */
    private boolean lowerMakeRoom(Lane lane, Charge charge, QueueState queue, int[] contested) {
        HeldByPriority held = queue.holders.byPriority();
        try (Ledger.Trial trial = promised.trial()) {
            for (int line : contested) {
                long lower = held.below(lane.key.priority(), line);
                if (lower > 0) {
                    promised.release(queue.node(), line, lower);
                }
            }
            boolean fits = charge.fits(promised);
            trial.rewind();
            return fits;
        }
    }

    /** @param free nobody keeps anything from those that it finds */
    private @Nullable Startable firstToStart(QueueState queue, Search free, Lane keeper, Outside now) {
        Startable before = free.first(keeper, lane -> true);
        if (before != null) {
            return before;
        }
        List<Charge> claims = keepers.keep(queue, keeper);
        try {
            Search behind = new Search(queue, claims);
            Predicate<Lane> mayUseRest = keepers.mayUseRest(queue);
            Startable first = behind.first(null, lane -> lane.comesAfter(keeper) && mayUseRest.test(lane));
            if (first == null && free.rulesOut() && behind.rulesOut() && keeper.equals(queue.guard())) {
                tree.parked.ruleOut(queue, now);
            }
            return first;
        } finally {
            keepers.takeBack(claims);
        }
    }

    /** Why the first of a parked lane does not start, with the numbers of now; null = it could. */
    @Nullable WaitReason reason(QueueState queue, Lane lane) {
        Lane keeper = keepers.keeper(queue);
        Entry entry;
        if (keeper == null || !lane.comesAfter(keeper)) {
            entry = nominate(queue, lane);
        } else {
            Entry front = nominate(queue, keeper);
            List<Charge> claims = keepers.keep(front);
            try {
                if (!keepers.mayUseRest(queue).test(lane)) {
                    return Keepers.behind(front);
                }
                entry = nominate(queue, lane);
            } finally {
                keepers.takeBack(claims);
            }
            entry.ahead = front;
        }
        return entry.nomination.mode() == Nomination.Mode.FIT ? null : keepers.reason(entry);
    }

    /** As it would come out in cycles that follow each other: a scan that stopped before its last flavor goes on in the next. */
    private Entry nominate(QueueState queue, Lane lane) {
        long usage = promised.version();
        Nominator.Nominated first = nominate(queue, lane, null);
        Nominator.Nominated last = first;
        for (int flavor = 1; flavor < queue.compiled.mostFlavors() && !last.starts(); flavor++) {
            ScanMemory memory = last.nomination().remember(queue.generation, tree.cycle, roster.instant);
            if (!memory.isUnfinished()) {
                break;
            }
            last = nominate(queue, lane, memory);
        }
        Entry entry = new Entry(queue, lane.head(), lane, last.starts() ? last : first);
        if (last.equals(first)) {
            entry.usage = usage;
        }
        return entry;
    }

    private Nominator.Nominated nominate(QueueState queue, Lane lane, @Nullable ScanMemory memory) {
        roster.looks.nominations++;
        PreparedRequest request = lane.request(queue.compiled, roster.world().feasibility());
        return nominator.nominate(lane.head(), request, memory, null);
    }

    /** One queue's search for the first that could start. */
    private final class Search {
        private final QueueState queue;
        private final List<Charge> claims;
        private final Reach reach;
        private final List<Lack> lacks = new ArrayList<>();
        private boolean nominated;
        private boolean passedLost;
        /** Whoever it finds has to borrow, and may preempt of its own queue for that. */
        private final boolean surelyBorrows;

        Search(QueueState queue, List<Charge> claims) {
            this.queue = queue;
            this.claims = claims;
            reach = demands.reach(queue, claims);
            surelyBorrows =
                    byShare && claims.isEmpty() && queue.compiled.reclaims() && !tree.parked.mayStartWithin(queue);
        }

        /**
         * @param last whom it is looked for up to; null = among all
         * @param asked whether a lane is meant at all
         */
        @Nullable Startable first(@Nullable Lane last, Predicate<Lane> asked) {
            for (SortedBlocks.Block<Lane> block : queue.parkedLanes().blocks()) {
                if (last != null && block.elements().getFirst().comesAfter(last)) {
                    return null;
                }
                LaneDemands demanded = demands.of(queue, block);
                if (areRuledOut(demanded.few())) {
                    continue;
                }
                for (int index = 0; index < demanded.size(); index++) {
                    roster.looks.lanes++;
                    if (!demanded.isWithin(reach, index)) {
                        continue;
                    }
                    Lane lane = block.elements().get(index);
                    if (last != null && lane.comesAfter(last)) {
                        return null;
                    }
                    Startable found = asked.test(lane) ? tried(lane) : null;
                    if (found != null) {
                        return found;
                    }
                }
            }
            return null;
        }

        /** Whether all that were passed could not start, as far as is known without looking at each. */
        boolean rulesOut() {
            return !nominated && !passedLost;
        }

        /** Whether nobody of whom one of these is demanded can start, as far as that is known without looking at each. */
        boolean areRuledOut(List<Demand> demands) {
            for (Demand demand : demands) {
                if (!isRuledOut(demand)) {
                    return false;
                }
            }
            return true;
        }

        private boolean isRuledOut(Demand demand) {
            if (!reach.covers(demand)) {
                return true;
            }
            for (Lack lack : lacks) {
                if (lack.meets(demand)) {
                    return true;
                }
            }
            return false;
        }

        /** Null = it must be nominated to know. */
        private @Nullable Startable told(Lane lane, Charge charge) {
            if (charge.fits(promised) && charge.wouldBorrow(promised)) {
                return Startable.borrowing(queue, lane, charge);
            }
            return surelyBorrows && ownMakeRoom(lane, charge, queue)
                    ? Startable.borrowingOverOwn(queue, lane, charge)
                    : null;
        }

        /** Null = it does not start. */
        private @Nullable Startable tried(Lane lane) {
            Demand demand = demands.of(queue, lane);
            if (isRuledOut(demand)) {
                return null;
            }
            if (tree.hasLost(lane)) {
                passedLost = true;
                return null;
            }
            Startable told =
                    Reach.hasNoChoice(queue.compiled, demand) ? told(lane, demand.charge(queue.compiled)) : null;
            if (told != null) {
                return told;
            }
            nominated = true;
            Entry entry = nominate(queue, lane);
            entry.yieldTo(claims);
            if (entry.starts()) {
                return Startable.of(entry);
            }
            Lack lack = Lack.of(demand, queue.compiled, reach);
            if (lack != null) {
                lacks.add(lack);
            }
            return null;
        }
    }
}
