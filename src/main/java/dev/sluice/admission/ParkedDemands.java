package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What those that are parked in the queues of a tree ask for at the least, and what by that might come of a queue without looking at each. */
final class ParkedDemands {
    private static final int[] NO_PRIORITIES = {};
    private static final long[] NO_LEAST = {};

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
                .summary(lanes -> ofLanes(queue, lanes), ParkedDemands::join)
                .few();
    }

    OfLanes of(QueueState queue, SortedBlocks.Block<Lane> block) {
        return block.summary(lanes -> ofLanes(queue, lanes));
    }

    Demand of(QueueState queue, Lane lane) {
        return lane.demand(queue.compiled, roster.world().feasibility());
    }

    /**
     * What is demanded by the lanes of a block. That of each stands beside that of the next: most are asked after one after the other, and
     * of thousands of queues none is at hand when its turn comes.
     */
    static final class OfLanes {
        private final List<Demand> few;
        private final int[] priorities;
        /** Of each lane on each line of the queue. */
        private final long[] least;

        /** Of each line of the queue: none of them asks for less. */
        private final long[] atLeast;
        /** Those of them that ask for less of something than each before them. */
        private final int[] lesser;

        private OfLanes(List<Demand> few, int[] priorities, long[] least) {
            this.few = few;
            this.priorities = priorities;
            this.least = least;
            int lines = priorities.length == 0 ? 0 : least.length / priorities.length;
            atLeast = new long[lines];
            Arrays.fill(atLeast, Demand.OUT);
            int[] found = new int[priorities.length];
            int count = 0;
            for (int index = 0; index < priorities.length; index++) {
                if (!asksForAsMuch(index, found, count, lines)) {
                    found[count++] = index;
                }
                for (int line = 0; line < lines; line++) {
                    atLeast[line] = Math.min(atLeast[line], least[index * lines + line]);
                }
            }
            lesser = Arrays.copyOf(found, count);
        }

        private boolean asksForAsMuch(int index, int[] before, int count, int lines) {
            for (int each = 0; each < count; each++) {
                boolean asMuch = true;
                for (int line = 0; line < lines && asMuch; line++) {
                    asMuch = least[before[each] * lines + line] <= least[index * lines + line];
                }
                if (asMuch) {
                    return true;
                }
            }
            return false;
        }

        long[] atLeast() {
            return atLeast;
        }

        int[] lesser() {
            return lesser;
        }

        /** Of each lane on each line of the queue, one lane after the other. */
        long[] least() {
            return least;
        }

        /** What is demanded of them all, as {@link Demand#fewOf} has it. */
        List<Demand> few() {
            return few;
        }

        int size() {
            return priorities.length;
        }

        /** Whether the first of one of them might start. */
        boolean isWithin(Reach reach, int index) {
            return reach.covers(priorities[index], least, index * (least.length / priorities.length));
        }
    }

    private OfLanes ofLanes(QueueState queue, List<Lane> lanes) {
        List<Demand> demands = new ArrayList<>();
        long[] most = tree.parked.most(promised.tree().lineCount());
        int lines = queue.compiled.lineCount();
        int[] priorities = new int[lanes.size()];
        long[] least = new long[lanes.size() * lines];
        for (int index = 0; index < lanes.size(); index++) {
            Demand demand = of(queue, lanes.get(index));
            demand.raise(most, queue.compiled);
            demands.add(demand);
            priorities[index] = demand.priority();
            System.arraycopy(demand.least(), 0, least, index * lines, lines);
        }
        return new OfLanes(Demand.fewOf(demands), priorities, least);
    }

    private static OfLanes join(List<OfLanes> ofBlocks) {
        if (ofBlocks.size() == 1) {
            return ofBlocks.getFirst();
        }
        List<Demand> all = new ArrayList<>();
        for (OfLanes block : ofBlocks) {
            all.addAll(block.few());
        }
        return new OfLanes(Demand.fewOf(all), NO_PRIORITIES, NO_LEAST);
    }
}
