package dev.sluice.admission;

import dev.sluice.quota.Amounts;
import dev.sluice.quota.Ledger;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import dev.sluice.quota.QuotaTree;
import dev.sluice.quota.Share;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds those of a queue who might be the first of it to start by borrowing, for whatever its cohort has left: each must ask for less of
 * something than all before it. What it takes is the same as {@link Reach} tells of one moment, told for all moments as long as nothing
 * happens in the queue; it is found then, while what is known of the queue is at hand.
 */
final class Hopefuls {
    private final Roster roster;
    private final TreeState tree;
    private final Ledger promised;
    private final QuotaTree quotas;
    private final Keepers keepers;
    private final ParkedDemands demands;

    Hopefuls(Roster roster, TreeState tree, Keepers keepers, ParkedDemands demands) {
        this.roster = roster;
        this.tree = tree;
        promised = roster.promised();
        quotas = promised.tree();
        this.keepers = keepers;
        this.demands = demands;
    }

    /** @param queue in which somebody is parked, and nobody might start without borrowing */
    Borrower of(QueueState queue) {
        Charge least = Demand.least(demands.of(queue), queue.compiled);
        Lane keeper = keepers.keeper(queue);
        if (queue.isUsageBased() || (keeper != null && !keeper.parked)) {
            return new Borrower(queue, least, List.of(anybody(queue, least, keeper)));
        }
        return new Borrower(queue, least, new Search(queue, keeper).hopefuls());
    }

    /** Who comes first in the queue comes no later in turn than anybody there, if it asked for no more than anybody does. */
    private Hopeful anybody(QueueState queue, Charge least, @Nullable Lane keeper) {
        Lane first = Objects.requireNonNull(queue.parkedLanes().first());
        if (queue.isUsageBased()) {
            for (Lane lane : queue.parkedLanes()) {
                first = QueueOrder.IN_QUEUE.compare(lane.head(), first.head()) < 0 ? lane : first;
            }
        }
        Precedence atBest = Precedence.of(promised, least, queue.node(), first.head());
        // What a keeper keeps is not borrowed yet, though nobody behind it could start without borrowing if it were
        // charged.
        return new Hopeful(first, keeper == null ? atBest.borrowing() : atBest, false, Needs.NONE);
    }

    /** One whose precedence is still to be told. */
    private record Draft(
            Lane lane, LaneDemands demanded, int place, boolean isSure, Needs needs, boolean afterKeeper) {}

    private final class Search {
        private final QueueState queue;
        private final CompiledQueue compiled;
        private final int node;
        private final @Nullable Lane keeper;
        private final HeldByPriority held;
        private final int[] heldLines;
        private final List<Draft> drafts = new ArrayList<>();
        /** Per line of the queue, of each draft: what it asks for, unless it can take that back as its own; then 0. */
        private final List<long[]> beyondOwn = new ArrayList<>();

        private final int[] numbers;
        private List<Charge> claims = List.of();
        /** Per line of the queue: what is charged above it for those who keep room. */
        private final long[] claimed;
        /** Per line of the queue: what is left of its own quota. */
        private final long[] own;

        Search(QueueState queue, @Nullable Lane keeper) {
            this.queue = queue;
            compiled = queue.compiled;
            node = compiled.node();
            this.keeper = keeper;
            held = queue.holders.byPriority();
            heldLines = held.lines();
            numbers = compiled.lineNumbers();
            claimed = new long[numbers.length];
            own = new long[numbers.length];
            lookAtOwn();
        }

        private void lookAtOwn() {
            for (int index = 0; index < numbers.length; index++) {
                own[index] =
                        Amounts.minus(quotas.subtreeQuota(node, numbers[index]), promised.used(node, numbers[index]));
            }
        }

        private long usedAbove(int line) {
            return Math.max(0, Amounts.minus(promised.used(node, line), quotas.localQuota(node, line)));
        }

        List<Hopeful> hopefuls() {
            try {
                draftAll();
            } finally {
                keepers.takeBack(claims);
            }
            List<Hopeful> hopefuls = new ArrayList<>(drafts.size());
            drafts.forEach(draft -> hopefuls.add(hopeful(draft)));
            return hopefuls;
        }

        private void draftAll() {
            boolean after = false;
            for (SortedBlocks.Block<Lane> block : queue.parkedLanes().blocks()) {
                LaneDemands demanded = demands.of(queue, block);
                if (asksForAsMuch(demanded.atLeast(), 0)) {
                    continue;
                }
                for (int index : demanded.lesser()) {
                    Lane lane = block.elements().get(index);
                    if (!after && keeper != null && lane.comesAfter(keeper)) {
                        after = true;
                        keep(keeper);
                    }
                    if (!asksForAsMuch(demanded.least(), index * numbers.length)) {
                        draft(lane, demanded, index, after);
                    }
                }
            }
        }

        private void keep(Lane first) {
            long[] before = Arrays.stream(numbers).mapToLong(this::usedAbove).toArray();
            claims = keepers.keep(queue, first);
            for (int index = 0; index < numbers.length; index++) {
                claimed[index] = Amounts.minus(usedAbove(numbers[index]), before[index]);
            }
            lookAtOwn();
        }

        /** Whether anybody of before asks for no more, so that whenever this one might start that one might, and sooner. */
        private boolean asksForAsMuch(long[] least, int from) {
            for (long[] before : beyondOwn) {
                if (Demand.isNoMore(before, 0, least, from, numbers.length)) {
                    return true;
                }
            }
            return false;
        }

        private void draft(Lane lane, LaneDemands demanded, int place, boolean afterKeeper) {
            long[] least = demanded.least();
            int from = place * numbers.length;
            Conditions conditions = new Conditions(demanded.priority(place));
            int index = 0;
            for (CompiledQueue.Group group : compiled.groups()) {
                int ways = 0;
                int way = index;
                for (int[] flavor : group.lines()) {
                    if (isWay(least, from + index, flavor.length)) {
                        ways++;
                        way = index;
                    }
                    index += flavor.length;
                }
                if (ways == 0) {
                    return;
                }
                if (ways == 1) {
                    int resources = group.resources().size();
                    for (int each = way; each < way + resources; each++) {
                        conditions.add(each, least[from + each]);
                    }
                }
            }
            if (conditions.areNeverMet) {
                return;
            }
            boolean isSure = conditions.mayBeSure && Reach.hasNoChoice(compiled, each -> demanded.whole()[from + each]);
            drafts.add(new Draft(lane, demanded, place, isSure, conditions.needs(), afterKeeper));
            long[] beyond = new long[numbers.length];
            for (int each = 0; each < beyond.length; each++) {
                beyond[each] = conditions.isOwn.get(each) ? 0 : least[from + each];
            }
            beyondOwn.add(beyond);
        }

        private boolean isWay(long[] least, int from, int resources) {
            for (int index = from; index < from + resources; index++) {
                if (least[index] == Demand.OUT) {
                    return false;
                }
            }
            return true;
        }

        /** It comes no earlier than with what it asks for where there is no choice. */
        private Hopeful hopeful(Draft draft) {
            long[] amounts = new long[numbers.length];
            int index = 0;
            boolean borrows = !draft.afterKeeper();
            for (CompiledQueue.Group group : compiled.groups()) {
                for (int each = 0; each < group.lineCount(); each++, index++) {
                    long amount = draft.demanded().least()[draft.place() * numbers.length + index];
                    if (group.lines().length == 1 && amount != Demand.OUT) {
                        amounts[index] = amount;
                        borrows |= amount > 0 && promised.wouldBorrow(node, numbers[index], amount);
                    }
                }
            }
            Share share = Share.of(promised, node, numbers, amounts);
            Precedence precedence = draft.demanded().precedence(draft.place(), borrows, share);
            return new Hopeful(draft.lane(), precedence, draft.isSure(), draft.needs());
        }

        /** Whether all of lower priorities may be taken, without a look at each, by one who borrows. */
        private boolean surelyTakesLower() {
            return compiled.preemption().withinClusterQueue() == WithinClusterQueue.LOWER_PRIORITY
                    && compiled.reclaims()
                    && claims.isEmpty()
                    && !tree.protectsForATime()
                    && !roster.settings.stuckVictims().choosesAnother();
        }

        private boolean isClaimed(int line) {
            for (Charge claim : claims) {
                if (claim.amount(line) > 0) {
                    return true;
                }
            }
            return false;
        }

        /** What must be left for one of a priority, line by line. */
        private final class Conditions {
            private final int priority;
            private final List<Needs.OfLine> ofLines = new ArrayList<>();
            /** Of the lines of the queue: those of which it asks for no more than the queue has of its own, and can take back. */
            private final BitSet isOwn = new BitSet();

            private boolean mayBeSure = true;
            private boolean areNeverMet;

            Conditions(int priority) {
                this.priority = priority;
            }

            void add(int index, long amount) {
                int line = numbers[index];
                if (amount == 0) {
                    return;
                }
                if (amount > quotas.potential(node, line)) {
                    areNeverMet = true;
                    return;
                }
                boolean preempts = compiled.preempts() && !isClaimed(line);
                long lower = preempts ? ownVictims(line) : 0;
                mayBeSure &= lower == 0 || surelyTakesLower();
                long needed = toBeLeft(Amounts.minus(amount, lower), index);
                boolean mayTakeBack = preempts && compiled.reclaims() && amount <= Amounts.plus(own[index], lower);
                // With what others keep it may be more than anybody demands, and of more nobody tells whether it is
                // left.
                long told = tree.parked.most(quotas.lineCount())[line];
                boolean isTold = needed <= told || needed == Long.MAX_VALUE;
                long toHope = amount <= lower || mayTakeBack ? Long.MIN_VALUE : isTold ? needed : told;
                isOwn.set(index, toHope == Long.MIN_VALUE && amount <= own[index]);
                boolean othersMayGive = toHope > Long.MIN_VALUE && preempts && compiled.reclaims();
                ofLines.add(new Needs.OfLine(
                        line,
                        toHope,
                        needed,
                        toBeLeft(amount, index),
                        othersMayGive ? leastShare(line, amount) : null));
            }

            /** What the cohort must have left, so that the queue can get so much more of a line. */
            private long toBeLeft(long amount, int index) {
                long beyond = Amounts.minus(amount, promised.localAvailable(node, numbers[index]));
                return beyond > mayBorrow(numbers[index]) ? Long.MAX_VALUE : Amounts.plus(beyond, claimed[index]);
            }

            private long ownVictims(int line) {
                return held.takenFor(priority, line, compiled.preemption().withinClusterQueue());
            }

            private long mayBorrow(int line) {
                long lendable = Amounts.minus(quotas.subtreeQuota(node, line), quotas.localQuota(node, line));
                return Amounts.plus(Amounts.minus(lendable, usedAbove(line)), quotas.borrowingLimit(node, line));
            }

            /** Its queue's share with the amount, and without all of its own that might go. */
            private Share leastShare(int line, long amount) {
                int[] lines = Arrays.copyOf(heldLines, heldLines.length + 1);
                long[] amounts = new long[lines.length];
                boolean isHeld = false;
                for (int each = 0; each < heldLines.length; each++) {
                    amounts[each] = -ownVictims(heldLines[each]);
                    if (heldLines[each] == line) {
                        amounts[each] = Amounts.plus(amounts[each], amount);
                        isHeld = true;
                    }
                }
                lines[heldLines.length] = line;
                amounts[heldLines.length] = isHeld ? 0 : amount;
                return Share.of(promised, node, lines, amounts);
            }

            Needs needs() {
                return new Needs(ofLines);
            }
        }
    }
}
