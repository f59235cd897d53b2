package dev.sluice.quota;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What is used of every line at every node of a {@link QuotaTree}, and what follows: what a queue can still get, whether a
 * node borrows, how far away a request would have to be borrowed.
 *
 * <p>A charge is written at a queue; the part above the queue's own local quota bubbles up. Usage may exceed quota (after
 * a quota was cut), and then what is available inside the tree is negative and every queue below feels it.
 *
 * <p>A {@link #trial} remembers the old value of each cell that it changes and puts them back when it closes. Copying the
 * arrays would be simpler and is what a snapshot per cycle does; but a victim search tries hundreds of removals that
 * touch a handful of cells each.
 */
public final class Ledger {
    private final QuotaTree tree;
    private final long[] used;
    private int[] changedCells = new int[64];
    private long[] oldValues = new long[64];
    private int changes;
    private int openTrials;
    private boolean saturated;
    private long versions;
    private long version;
    private @Nullable ShareRanking ranking;

    public Ledger(QuotaTree tree) {
        this.tree = tree;
        used = new long[tree.nodeCount() * tree.lineCount()];
    }

    public QuotaTree tree() {
        return tree;
    }

    public void charge(int queue, int line, long amount) {
        int node = queue;
        long rest = amount;
        while (true) {
            long free = localAvailable(node, line);
            int cell = tree.cell(node, line);
            set(node, cell, Amounts.plus(used[cell], rest));
            if (rest <= free || !tree.hasParent(node)) {
                return;
            }
            rest = Amounts.minus(rest, free);
            node = tree.parent(node);
        }
    }

    public void release(int queue, int line, long amount) {
        int node = queue;
        long rest = amount;
        while (true) {
            int cell = tree.cell(node, line);
            long storedAbove = Amounts.minus(used[cell], tree.localQuota(node, line));
            set(node, cell, Amounts.minus(used[cell], rest));
            if (storedAbove <= 0 || !tree.hasParent(node)) {
                return;
            }
            rest = Math.min(rest, storedAbove);
            node = tree.parent(node);
        }
    }

    private void set(int node, int cell, long value) {
        if (openTrials > 0) {
            if (changes == changedCells.length) {
                changedCells = Arrays.copyOf(changedCells, changes * 2);
                oldValues = Arrays.copyOf(oldValues, changes * 2);
            }
            changedCells[changes] = cell;
            oldValues[changes++] = used[cell];
        }
        saturated |= value == Amounts.UNLIMITED || value == Long.MIN_VALUE;
        used[cell] = value;
        version = ++versions;
        if (ranking != null) {
            ranking.note(node);
        }
    }

    /** The same number is the same usage everywhere: it changes with every change, and a trial puts it back with what it changed. */
    public long version() {
        return version;
    }

    /** How often anything was written so far, in trials too: what it costs to find out what would be. */
    public long writes() {
        return versions;
    }

    public long used(int node, int line) {
        return used[tree.cell(node, line)];
    }

    /** What is left of the quota that its parent never sees. */
    public long localAvailable(int node, int line) {
        return Math.max(0, Amounts.minus(tree.localQuota(node, line), used(node, line)));
    }

    /** What more the node could use now; negative inside a tree that is over its quota. */
    public long available(int node, int line) {
        if (!tree.hasParent(node)) {
            return Amounts.minus(tree.subtreeQuota(node, line), used(node, line));
        }
        long local = tree.localQuota(node, line);
        long usedAbove = Math.max(0, Amounts.minus(used(node, line), local));
        long lendable = Amounts.minus(tree.subtreeQuota(node, line), local);
        long mayBorrow = Amounts.plus(Amounts.minus(lendable, usedAbove), tree.borrowingLimit(node, line));
        return Amounts.plus(localAvailable(node, line), Math.min(available(tree.parent(node), line), mayBorrow));
    }

    /** What a queue can still get, borrowing included; at least 0. */
    public long availableToQueue(int queue, int line) {
        return Math.max(0, available(queue, line));
    }

    public boolean isBorrowing(int node, int line) {
        return used(node, line) > tree.subtreeQuota(node, line);
    }

    public boolean wouldBorrow(int node, int line, long amount) {
        return Amounts.plus(used(node, line), amount) > tree.subtreeQuota(node, line);
    }

    /** Whether it uses no more than its own and its children's quota of all these lines. */
    public boolean isWithinNominal(int node, int[] lines) {
        for (int line : lines) {
            if (isBorrowing(node, line)) {
                return false;
            }
        }
        return true;
    }

    /**
     * The smallest subtree around a queue that holds the amount without borrowing.
     *
     * @param height 0 = the queue itself; the whole tree's height if even that would be over its quota. This is the
     *     borrowing level: a height, not a distance, so it may jump
     * @param smallerThanTree whether something outside could be asked to give back
     */
    public record Fitting(int height, boolean smallerThanTree) {}

    public Fitting lowestFitting(int queue, int line, long amount) {
        if (!tree.hasParent(queue) || !wouldBorrow(queue, line, amount)) {
            return new Fitting(0, tree.hasParent(queue));
        }
        long rest = Amounts.minus(amount, localAvailable(queue, line));
        int node = tree.parent(queue);
        while (true) {
            if (!wouldBorrow(node, line, rest) || !tree.hasParent(node)) {
                return new Fitting(tree.height(node), tree.hasParent(node));
            }
            rest = Amounts.minus(rest, localAvailable(node, line));
            node = tree.parent(node);
        }
    }

    /** Whether an amount was ever saturated: then a release does not undo what a charge did, and the ledger must be rebuilt. */
    public boolean sawSaturation() {
        return saturated;
    }

    /** Nothing is used. Not within a trial. */
    public void clear() {
        Arrays.fill(used, 0);
        saturated = false;
        version = ++versions;
        if (ranking != null) {
            ranking.noteAll();
        }
    }

    /** Of this ledger, kept up to date from now on. */
    public ShareRanking shareRanking() {
        ShareRanking known = ranking;
        if (known == null) {
            known = new ShareRanking(this);
            ranking = known;
        }
        return known;
    }

    /** Changes from now on are put back when it closes. Trials nest. */
    public Trial trial() {
        openTrials++;
        return new Trial(changes, version);
    }

    public final class Trial implements AutoCloseable {
        private final int mark;
        private final long versionBefore;

        private Trial(int mark, long versionBefore) {
            this.mark = mark;
            this.versionBefore = versionBefore;
        }

        /** Puts everything back that was changed since the trial began, and goes on. */
        public void rewind() {
            while (changes > mark) {
                changes--;
                used[changedCells[changes]] = oldValues[changes];
                if (ranking != null) {
                    ranking.note(tree.node(changedCells[changes]));
                }
            }
            version = versionBefore;
        }

        @Override
        public void close() {
            rewind();
            openTrials--;
        }
    }
}
