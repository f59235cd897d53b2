package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
    private final HighestShare highestShare;

    Waking(Roster roster, TreeState tree) {
        this.roster = roster;
        this.tree = tree;
        promised = roster.promised();
        protection = new Protection(one -> false, roster.settings.victimChoice(), roster.now());
        nominator = new Nominator(
                promised, VictimSearch.of(promised, roster::queue, roster.settings, protection), roster.settings);
        keepers = new Keepers(roster, tree, this::nominate);
        highestShare = new HighestShare(promised);
    }

    /** Returns whether anybody was woken. */
    boolean run() {
        tree.parked.refresh(this::mayStartWithin);
        Outside now = Outside.of(
                promised,
                tree.root,
                tree.parked.most(promised.tree().lineCount()),
                roster.settings.fairSharing().isOn());
        List<First> firsts = new ArrayList<>();
        tree.parked.within(now).forEach(queue -> look(queue, now, firsts));
        if (firsts.stream().allMatch(First::borrows)) {
            tree.parked.beyond(now).forEach(queue -> look(queue, now, firsts));
        }
        List<Entry> inTurn = withRoom(leastBorrowing(firsts));
        inTurn.forEach(entry -> entry.queue.wake(entry.lane));
        tree.lookAgainAt(protection.endsFirst());
        return !inTurn.isEmpty();
    }

    private void look(QueueState queue, Outside now, List<First> firsts) {
        Search search = new Search(queue, List.of());
        if (search.areRuledOut(demands(queue))) {
            tree.parked.ruleOut(queue, now);
            return;
        }
        First first = firstToStart(queue, search);
        if (first != null) {
            firsts.add(first);
        }
    }

    /** Whether anybody parked might start within the queue's own quota, as far as that is known without looking at each. */
    private boolean mayStartWithin(QueueState queue) {
        Reach reach = reach(queue);
        return demands(queue).stream().anyMatch(reach::mayHoldWithin);
    }

    private Reach reach(QueueState queue) {
        return new Reach(promised, queue, roster.settings.fairSharing().isOn(), highestShare);
    }

    private List<Demand> demands(QueueState queue) {
        return queue.parkedLanes().summary(lanes -> few(queue, lanes), Waking::few);
    }

    private List<Demand> few(QueueState queue, List<Lane> lanes) {
        List<Demand> demands = new ArrayList<>();
        long[] most = tree.parked.most(promised.tree().lineCount());
        for (Lane lane : lanes) {
            Demand demand = demand(queue, lane);
            demand.raise(most, queue.compiled);
            demands.add(demand);
        }
        return Demand.fewOf(demands);
    }

    private static List<Demand> few(List<List<Demand>> ofBlocks) {
        return Demand.fewOf(ofBlocks.stream().flatMap(List::stream).toList());
    }

    private Demand demand(QueueState queue, Lane lane) {
        return lane.demand(queue.compiled, roster.world().feasibility());
    }

    /** @param entry null = not nominated yet: it fits, by borrowing */
    private record First(
            QueueState queue, Lane lane, @Nullable Entry entry) {
        boolean borrows() {
            return entry == null || entry.nomination.borrowing() > 0;
        }
    }

    /** Those that need not borrow come first; only if there are none, the others. */
    private List<Entry> leastBorrowing(List<First> firsts) {
        boolean all = firsts.stream().allMatch(First::borrows);
        List<Entry> entries = new ArrayList<>();
        for (First first : firsts) {
            if (all || !first.borrows()) {
                Entry entry = first.entry();
                entries.add(entry == null ? nominate(first.queue(), first.lane()) : entry);
            }
        }
        return entries;
    }

    /** Those who find room if they are dealt with in turn: whoever would lose it to them is left alone. */
    private List<Entry> withRoom(List<Entry> entries) {
        List<Entry> chosen = new ArrayList<>();
        Set<TrackedWorkload> going = new HashSet<>();
        try (Ledger.Trial trial = promised.trial()) {
            Turns turns = Turns.of(entries, tree, promised, roster.settings);
            for (Entry entry = turns.next(); entry != null; entry = turns.next()) {
                if (!entry.takes(going) && takesRoom(entry)) {
                    chosen.add(entry);
                    for (VictimSearch.Candidate victim : entry.victims) {
                        going.add(victim.workload());
                        turns.moved(victim.queue());
                    }
                }
            }
            trial.rewind();
        }
        return chosen;
    }

    private boolean takesRoom(Entry entry) {
        Charge charge = entry.nomination.charge();
        entry.victims.forEach(victim -> victim.workload().chargeOrThrow().removeFrom(promised));
        if (charge.fits(promised)) {
            charge.addTo(promised);
            return true;
        }
        entry.victims.forEach(victim -> victim.workload().chargeOrThrow().addTo(promised));
        return false;
    }

    /** @param free nobody keeps anything from those that it finds */
    private @Nullable First firstToStart(QueueState queue, Search free) {
        Lane keeper = keepers.keeper(queue);
        if (keeper == null) {
            return free.first(lane -> true);
        }
        First before = free.first(lane -> !comesAfter(lane, keeper));
        if (before != null) {
            return before;
        }
        Keepers.Kept kept = keepers.keep(queue, keeper);
        try {
            return keepers.leavesNothing(queue)
                    ? null
                    : new Search(queue, kept.claims()).first(lane -> comesAfter(lane, keeper));
        } finally {
            kept.takeBack(promised);
        }
    }

    private static boolean comesAfter(Lane lane, Lane keeper) {
        return Lane.BY_FIRST.compare(keeper, lane) < 0;
    }

    /** Why the first of a parked lane does not start, with the numbers of now; null = it could. */
    @Nullable WaitReason reason(QueueState queue, Lane lane) {
        Lane keeper = keepers.keeper(queue);
        Entry entry;
        if (keeper == null || !comesAfter(lane, keeper)) {
            entry = nominate(queue, lane);
        } else {
            Keepers.Kept kept = keepers.keep(queue, keeper);
            try {
                entry = nominate(queue, lane);
            } finally {
                kept.takeBack(promised);
            }
            entry.ahead = kept.front();
        }
        return entry.nomination.mode() == Nomination.Mode.FIT ? null : keepers.reason(entry);
    }

    private Entry nominate(QueueState queue, Lane lane) {
        PreparedRequest request = lane.request(queue.compiled, roster.world().feasibility());
        return new Entry(queue, lane.head(), lane, nominator.nominate(lane.head(), request, null, null));
    }

    /** One queue's search for the first that could start. */
    private final class Search {
        private final QueueState queue;
        private final List<Charge> claims;
        private final Reach reach;
        private final List<Lack> lacks = new ArrayList<>();

        Search(QueueState queue, List<Charge> claims) {
            this.queue = queue;
            this.claims = claims;
            reach = reach(queue);
        }

        /** @param asked whether a lane is meant at all */
        @Nullable First first(Predicate<Lane> asked) {
            for (SortedBlocks.Block<Lane> block : queue.parkedLanes().blocks()) {
                if (!areRuledOut(block.summary(lanes -> few(queue, lanes)))) {
                    for (Lane lane : block.elements()) {
                        First found = asked.test(lane) ? tried(lane) : null;
                        if (found != null) {
                            return found;
                        }
                    }
                }
            }
            return null;
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

        /** Null = it does not start. */
        private @Nullable First tried(Lane lane) {
            Demand demand = demand(queue, lane);
            if (isRuledOut(demand)) {
                return null;
            }
            if (reach.fitsByBorrowing(demand)) {
                return new First(queue, lane, null);
            }
            Entry entry = nominate(queue, lane);
            entry.yieldTo(claims);
            if (entry.starts()) {
                return new First(queue, lane, entry);
            }
            Lack lack = Lack.of(demand, queue.compiled, reach);
            if (lack != null) {
                lacks.add(lack);
            }
            return null;
        }
    }
}
