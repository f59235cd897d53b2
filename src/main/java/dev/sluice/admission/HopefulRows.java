package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaTree;
import dev.sluice.quota.Share;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the hopefuls of many queues need, side by side: those of one queue after the other in a row, in the order of the queue. Of thousands
 * of queues none is at hand when it is asked for, but what stands in arrays is gone through as fast as it can be read.
 */
final class HopefulRows {
    /** Of a queue. Few have more, for each of them must ask for less of something than all before it. */
    static final int MOST = 24;
    /** Of one of them. */
    private static final int LINES = 4;

    private final TreeState tree;
    private final QuotaTree quotas;
    private int capacity = 16;
    /** Per row. */
    private int[] counts = new int[capacity];
    /** Per row and number. */
    private int[] lineCounts = new int[capacity * MOST];

    private boolean[] sure = new boolean[capacity * MOST];
    private Lane[] lanes = new Lane[capacity * MOST];
    /** Per row, number and line. */
    private int[] lines = new int[capacity * MOST * LINES];

    private long[] toHope = new long[capacity * MOST * LINES];
    private long[] toBeSure = new long[capacity * MOST * LINES];
    private long[] toFit = new long[capacity * MOST * LINES];
    /** Null = others give nothing. */
    private @Nullable Share[] leastShares = new Share[capacity * MOST * LINES];

    HopefulRows(TreeState tree, QuotaTree quotas) {
        this.tree = tree;
        this.quotas = quotas;
    }

    /**
     * Takes the place of what the row was before.
     *
     * @param one of it as many as there is place for: the last of those must stand for all that follow
     * @param oneForAll of shares that are alike
     */
    void put(int row, Borrower one, Interned<Share> oneForAll) {
        while (row >= capacity) {
            grow();
        }
        counts[row] = one.hopefuls().size();
        for (int number = 0; number < counts[row]; number++) {
            Hopeful hopeful = one.hopefuls().get(number);
            int at = row * MOST + number;
            lanes[at] = hopeful.lane();
            lineCounts[at] = Math.min(LINES, hopeful.needs().ofLines().size());
            sure[at] = hopeful.isSure() && hopeful.needs().ofLines().size() <= LINES;
            for (int index = 0; index < lineCounts[at]; index++) {
                Needs.OfLine needed = hopeful.needs().ofLines().get(index);
                int place = at * LINES + index;
                lines[place] = needed.line();
                toHope[place] = needed.toHope();
                toBeSure[place] = needed.toBeSure();
                toFit[place] = needed.toFit();
                Share least = needed.leastShare();
                leastShares[place] = least == null ? null : oneForAll.of(least);
            }
        }
    }

    private void grow() {
        capacity *= 2;
        counts = Arrays.copyOf(counts, capacity);
        lineCounts = Arrays.copyOf(lineCounts, capacity * MOST);
        sure = Arrays.copyOf(sure, capacity * MOST);
        lanes = Arrays.copyOf(lanes, capacity * MOST);
        lines = Arrays.copyOf(lines, capacity * MOST * LINES);
        toHope = Arrays.copyOf(toHope, capacity * MOST * LINES);
        toBeSure = Arrays.copyOf(toBeSure, capacity * MOST * LINES);
        toFit = Arrays.copyOf(toFit, capacity * MOST * LINES);
        leastShares = Arrays.copyOf(leastShares, capacity * MOST * LINES);
    }

    int count(int row) {
        return counts[row];
    }

    /** Whether it might start under some circumstances. */
    boolean hopes(int row, int number, Outside now) {
        int at = row * MOST + number;
        for (int place = at * LINES; place < at * LINES + lineCounts[at]; place++) {
            if (now.left(lines[place]) < toHope[place] && !mayBeGiven(place, now)) {
                return false;
            }
        }
        return true;
    }

    private boolean mayBeGiven(int place, Outside now) {
        Share share = leastShares[place];
        return share != null && now.mayGive(share, quotas.resourceOf(lines[place]));
    }

    /** Whether it surely starts if it comes to it. */
    boolean isSure(int row, int number, Outside now) {
        int at = row * MOST + number;
        boolean isSure = sure[at] && !(tree.lostAnybody() && tree.hasLost(lanes[at]));
        for (int place = at * LINES; place < at * LINES + lineCounts[at] && isSure; place++) {
            isSure = now.left(lines[place]) >= toBeSure[place];
        }
        return isSure;
    }

    /**
     * Whether whoever of a queue would start under some circumstances might fit as used now, and preempt nobody. To the queue the same is
     * charged as then.
     */
    boolean mightFit(int row, Outside then, Ledger ledger) {
        for (int number = 0; number < counts[row]; number++) {
            if (hopes(row, number, then)) {
                if (fits(row, number, ledger)) {
                    return true;
                }
                if (isSure(row, number, then)) {
                    return false;
                }
            }
        }
        return false;
    }

    private boolean fits(int row, int number, Ledger ledger) {
        int at = row * MOST + number;
        for (int place = at * LINES; place < at * LINES + lineCounts[at]; place++) {
            if (ledger.available(tree.root, lines[place]) < toFit[place]) {
                return false;
            }
        }
        return true;
    }
}
