package dev.sluice.admission;

import dev.sluice.quota.Amounts;
import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaTree;
import dev.sluice.quota.Share;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * How much of each line one queue could get at the most, as used now: what is free to it, and what its rules of preemption might
 * bring. It never says that somebody cannot start who can; whoever might must still be looked at.
 *
 * <p>Looking at everybody would need no such bounds, and would make every end of work cost as much as there are different requests.
 * Bounds that are too high only cost looks in vain.
 */
final class Reach {
    private static final long UNKNOWN = -1;

    private final Ledger ledger;
    private final QuotaTree tree;
    private final QueueState state;
    private final CompiledQueue queue;
    private final boolean fairSharing;
    private final HighestShare highestShare;
    /** Per line of the queue; {@link #UNKNOWN} = not asked for yet. */
    private final long[] free;
    /** Per line of the queue: an amount that was found to be too much for a fair share, and for which priority. */
    private final long[] tooMuch;

    private final int[] tooMuchFor;
    /** Per line of the queue, once it was asked for: what of its own might go for somebody of a priority. */
    private final long[] own;

    private final int[] ownFor;
    private final BitSet ownKnown = new BitSet();
    /** Per line of the tree: whether those ahead keep any of it, so that nobody is preempted for it; empty = of none. */
    private final BitSet claimed = new BitSet();

    /** @param claims of those ahead, charged */
    Reach(Ledger ledger, QueueState state, boolean fairSharing, HighestShare highestShare, List<Charge> claims) {
        this.ledger = ledger;
        tree = ledger.tree();
        this.state = state;
        queue = state.compiled;
        this.fairSharing = fairSharing;
        this.highestShare = highestShare;
        int lines = queue.lineCount();
        free = new long[lines];
        Arrays.fill(free, UNKNOWN);
        tooMuch = new long[lines];
        Arrays.fill(tooMuch, Long.MAX_VALUE);
        tooMuchFor = new int[lines];
        own = new long[lines];
        ownFor = new int[lines];
        for (Charge claim : claims) {
            for (int each = 0; each < claim.lines().length; each++) {
                if (claim.amounts()[each] > 0) {
                    claimed.set(claim.lines()[each]);
                }
            }
        }
    }

    /** Whether one of whom this is demanded might start. */
    boolean covers(Demand demand) {
        return demand.isMet(queue, (index, line, amount) -> covers(amount, index, line, demand.priority()));
    }

    /**
     * The same of one among many.
     *
     * @param least of all of them, one after the other
     * @param from where the one begins
     */
    boolean covers(int priority, long[] least, int from) {
        return Demand.isMet(queue, least, from, (index, line, amount) -> covers(amount, index, line, priority));
    }

    /** Whether what one of whom this is demanded costs is known without choosing between flavors. */
    static boolean hasNoChoice(CompiledQueue queue, Demand demand) {
        return hasNoChoice(queue, index -> demand.whole()[index]);
    }

    /** @param whole {@link Demand#whole} */
    static boolean hasNoChoice(CompiledQueue queue, IntToLongFunction whole) {
        int index = 0;
        boolean asks = false;
        for (CompiledQueue.Group group : queue.groups()) {
            for (int[] flavor : group.lines()) {
                for (int line = 0; line < flavor.length; line++) {
                    boolean amount = whole.applyAsLong(index++) > 0;
                    if (amount && group.lines().length > 1) {
                        return false;
                    }
                    asks |= amount;
                }
            }
        }
        return asks;
    }

    /** Whether one of whom this is demanded might start within the queue's own quota, once its own that might go had gone. */
    boolean mayHoldWithin(Demand demand) {
        return !tree.hasParent(queue.node())
                || demand.isMet(queue, (index, line, amount) -> mayHoldWithin(amount, line, demand.priority()));
    }

    private boolean mayHoldWithin(long amount, int line, int priority) {
        return amount == 0
                || !ledger.wouldBorrow(queue.node(), line, amount)
                || (!claimed.get(line)
                        && !ledger.wouldBorrow(queue.node(), line, Amounts.minus(amount, ownVictims(priority, line))));
    }

    /** @param index of the line among the queue's own */
    long free(int index, int line) {
        if (free[index] == UNKNOWN) {
            free[index] = ledger.availableToQueue(queue.node(), line);
        }
        return free[index];
    }

    private boolean covers(long amount, int index, int line, int priority) {
        if (amount == 0) {
            return true;
        }
        if (amount > tree.potential(queue.node(), line)) {
            return false;
        }
        long available = free(index, line);
        if (amount <= available) {
            return true;
        }
        if (!queue.preempts() || claimed.get(line)) {
            return false;
        }
        long own = ownVictims(priority, index, line);
        if (amount <= Amounts.plus(available, own)) {
            return true;
        }
        if (!queue.reclaims() || !tree.hasParent(queue.node())) {
            return false;
        }
        long left = Amounts.minus(tree.subtreeQuota(queue.node(), line), ledger.used(queue.node(), line));
        return amount <= Amounts.plus(left, own) || mayTakeBeyondItsOwn(amount, index, line, priority);
    }

    /** Those that are asked after follow each other by priority. */
    private long ownVictims(int priority, int index, int line) {
        if (ownFor[index] != priority || !ownKnown.get(index)) {
            own[index] = ownVictims(priority, line);
            ownFor[index] = priority;
            ownKnown.set(index);
        }
        return own[index];
    }

    private long ownVictims(int priority, int line) {
        return state.holders
                .byPriority()
                .takenFor(priority, line, queue.preemption().withinClusterQueue());
    }

    /** Beyond what is its own quota it takes from others by shares, or while it borrows, or as part of a cohort that is within its. */
    private boolean mayTakeBeyondItsOwn(long amount, int index, int line, int priority) {
        if (!HighestShare.comparesIn(tree, queue.node())) {
            return true;
        }
        return fairSharing
                ? !hasTooMuch(amount, index, line, priority)
                : queue.preemption().borrowWithinCohort().allowed();
    }

    /** More is too much as well, and so is the same for a lower priority, which has fewer of its own to take. */
    private boolean hasTooMuch(long amount, int index, int line, int priority) {
        if (amount >= tooMuch[index] && priority <= tooMuchFor[index]) {
            return true;
        }
        boolean found = hasTooMuch(amount, line, priority);
        if (found) {
            tooMuch[index] = amount;
            tooMuchFor[index] = priority;
        }
        return found;
    }

    /** Whether its share with the amount, and without all of its own that might go, is above everybody's. */
    private boolean hasTooMuch(long amount, int line, int priority) {
        int node = queue.node();
        highestShare.look(tree.parent(node));
        try (Ledger.Trial trial = ledger.trial()) {
            ledger.charge(node, line, amount);
            for (int own : state.holders.byPriority().lines()) {
                ledger.release(node, own, ownVictims(priority, own));
            }
            boolean nothing = highestShare.leavesNothingTo(Share.of(ledger, node), new int[] {line});
            trial.rewind();
            return nothing;
        }
    }
}
