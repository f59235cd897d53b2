package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import java.util.List;

/** What those that are parked in the queues of a tree ask for at the least, and what by that might come of a queue without looking at each. */
final class ParkedDemands {
    private final Roster roster;
    private final TreeState tree;
    private final Ledger promised;
    private final Keepers keepers;
    private final HighestShare highestShare;

    ParkedDemands(Roster roster, TreeState tree, Keepers keepers) {
        this.roster = roster;
        this.tree = tree;
        promised = roster.promised();
        this.keepers = keepers;
        highestShare = new HighestShare(promised);
    }

    /** Whether anybody parked might start within the queue's own quota, as far as that is known without looking at each. */
    boolean mayStartWithin(QueueState queue) {
        Lane guard = queue.guard();
        Reach free = reach(queue, List.of());
        if (guard == null) {
            return mayHoldWithin(queue, free);
        }
        for (Lane lane : queue.parkedLanes()) {
            if (lane.comesAfter(guard)) {
                break;
            }
            if (free.mayHoldWithin(of(queue, lane))) {
                return true;
            }
        }
        List<Charge> claims = keepers.keep(queue, guard);
        Reach behind = reach(queue, claims);
        boolean mayStart = mayHoldWithin(queue, behind);
        keepers.takeBack(claims);
        return mayStart;
    }

    private boolean mayHoldWithin(QueueState queue, Reach reach) {
        for (Demand one : of(queue)) {
            if (reach.mayHoldWithin(one)) {
                return true;
            }
        }
        return false;
    }

    Reach reach(QueueState queue, List<Charge> claims) {
        return new Reach(promised, queue, roster.settings.fairSharing().isOn(), highestShare, claims);
    }

    List<Demand> of(QueueState queue) {
        return queue.parkedLanes()
                .summary(new OfLanes(queue), LaneDemands::join)
                .few();
    }

    LaneDemands of(QueueState queue, SortedBlocks.Block<Lane> block) {
        return block.summary(new OfLanes(queue));
    }

    Demand of(QueueState queue, Lane lane) {
        return lane.demand(queue.compiled, roster.world().feasibility());
    }

    private final class OfLanes implements SortedBlocks.Summary<Lane, LaneDemands> {
        private final QueueState queue;

        OfLanes(QueueState queue) {
            this.queue = queue;
        }

        @Override
        public LaneDemands of(List<Lane> lanes) {
            return LaneDemands.of(lanes, queue.compiled.lineCount(), this::demandOf);
        }

        @Override
        public LaneDemands with(LaneDemands before, int at, Lane added) {
            return before.with(at, added, demandOf(added));
        }

        @Override
        public LaneDemands without(LaneDemands before, int at) {
            return before.without(at);
        }

        private Demand demandOf(Lane lane) {
            Demand demand = ParkedDemands.this.of(queue, lane);
            demand.raise(tree.parked.most(promised.tree().lineCount()), queue.compiled);
            return demand;
        }
    }
}
