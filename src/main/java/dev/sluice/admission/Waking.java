package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import java.time.Instant;
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
        List<First> firsts = new ArrayList<>();
        for (QueueState queue : tree.queues) {
            if (queue.compiled.mayAdmit() && !queue.parkedLanes().isEmpty()) {
                First first = firstToStart(queue);
                if (first != null) {
                    firsts.add(first);
                }
            }
        }
        List<Entry> inTurn = withRoom(leastBorrowing(firsts));
        inTurn.forEach(entry -> entry.queue.wake(entry.lane));
        Instant ends = protection.endsFirst();
        if (ends != null) {
            tree.lookAgainAt(ends);
        }
        return !inTurn.isEmpty();
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

    private @Nullable First firstToStart(QueueState queue) {
        Lane keeper = keepers.keeper(queue);
        if (keeper == null) {
            return new Search(queue, List.of()).first(lane -> true);
        }
        First before = new Search(queue, List.of()).first(lane -> !comesAfter(lane, keeper));
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
            reach = new Reach(promised, queue, roster.settings.fairSharing().isOn(), highestShare);
        }

        /** @param asked whether a lane is meant at all */
        @Nullable First first(Predicate<Lane> asked) {
            if (isRuledOut(queue.parkedLanes().summary(this::least, Demand::least))) {
                return null;
            }
            for (SortedBlocks.Block<Lane> block : queue.parkedLanes().blocks()) {
                if (!isRuledOut(block.summary(this::least))) {
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

        private Demand least(List<Lane> lanes) {
            return Demand.least(lanes.stream().map(this::demand).toList());
        }

        private Demand demand(Lane lane) {
            return lane.demand(queue.compiled, roster.world().feasibility());
        }

        private boolean isRuledOut(Demand demand) {
            return !reach.covers(demand) || lacks.stream().anyMatch(lack -> lack.meets(demand));
        }

        /** Null = it does not start. */
        private @Nullable First tried(Lane lane) {
            Demand demand = demand(lane);
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
