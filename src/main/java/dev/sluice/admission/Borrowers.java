package dev.sluice.admission;

import dev.sluice.quota.Amounts;
import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaTree;
import dev.sluice.quota.Share;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The queues of a flat cohort in which somebody might start by borrowing, and who of each comes earliest under fair sharing, for any amount
 * that is left.
 *
 * <p>A piece that gets free and that nobody has a right to is wanted by every queue that has work for it, and only the one whose share
 * would be the lowest gets it. To look into all of them for that is simple, and made one end of work in a cohort of 2,000 queues cost
 * 2,000 looks, each into memory that was not at hand. So what might come of a queue is worked out when something happens in it
 * ({@link Hopefuls}), for the last few circumstances ({@link Outside}) at once; and when its turn is asked for it is found in arrays.
 */
final class Borrowers {
    private static final int CIRCUMSTANCES = 8;
    /** How many shares are kept that may not be anybody's any more. */
    private static final int SHARES_MOST = 4096;

    private final TreeState tree;
    private final HopefulRows hopefuls;
    /** By node. */
    private final Map<Integer, Integer> rows = new HashMap<>();
    /** Per row; null = it is free. */
    private final List<@Nullable Borrower> borrowers = new ArrayList<>();

    private final Deque<Integer> freeRows = new ArrayDeque<>();

    private final Interned<Share> shares = new Interned<>(SHARES_MOST);
    private final Map<Outside, Standings> known = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Outside, Standings> eldest) {
            return size() > CIRCUMSTANCES;
        }
    };

    /** Per line of the tree: none of them, now or before, asks for less. */
    private final long[] least;
    /** Per line of the tree: the most that any queue of the cohort has for itself alone, which does not show in what the cohort has left. */
    private final long[] local;

    /** @param tree of one cohort with all its queues */
    Borrowers(TreeState tree, QuotaTree quotas) {
        this.tree = tree;
        hopefuls = new HopefulRows(tree, quotas);
        least = new long[quotas.lineCount()];
        Arrays.fill(least, Long.MAX_VALUE);
        local = new long[quotas.lineCount()];
        for (int queue : quotas.childQueues(tree.root)) {
            for (int line = 0; line < local.length; line++) {
                local[line] = Math.max(local[line], quotas.localQuota(queue, line));
            }
        }
    }

    boolean has(QueueState queue) {
        return rows.containsKey(queue.node());
    }

    void remove(QueueState queue) {
        Integer row = rows.remove(queue.node());
        if (row != null) {
            borrowers.set(row, null);
            known.values().forEach(standings -> standings.remove(row));
            freeRows.push(row);
        }
    }

    /** In the place of what was known of the queue. */
    void put(Borrower asFound) {
        Borrower one = asFound.atMost(HopefulRows.MOST, shares);
        int row = rows.computeIfAbsent(one.queue().node(), queue -> freeRow());
        borrowers.set(row, one);
        hopefuls.put(row, one, shares);
        known.forEach((now, standings) -> place(row, one, now, standings));
        for (int line = 0; line < least.length; line++) {
            least[line] = Math.min(least[line], one.least().amount(line));
        }
    }

    private int freeRow() {
        Integer free = freeRows.poll();
        if (free != null) {
            return free;
        }
        borrowers.add(null);
        return borrowers.size() - 1;
    }

    /** Where whoever of a queue comes earliest might stand under some circumstances. */
    private void place(int row, Borrower borrower, Outside now, Standings standings) {
        Precedence earliest = null;
        boolean isSure = false;
        for (int number = 0; number < hopefuls.count(row) && !isSure; number++) {
            if (hopefuls.hopes(row, number, now)) {
                Precedence one = borrower.hopefuls().get(number).precedence();
                earliest = earliest == null || one.compareTo(earliest) < 0 ? one : earliest;
                isSure = hopefuls.isSure(row, number, now);
            }
        }
        standings.set(row, earliest);
    }

    /** Of every queue in which somebody might start under these circumstances. */
    Turns turns(Outside now) {
        // Who loses what it would take loses it for one round only.
        Standings standings = tree.lostAnybody() ? null : known.get(now);
        if (standings == null) {
            standings = new Standings();
            for (int row = 0; row < borrowers.size(); row++) {
                Borrower borrower = borrowers.get(row);
                if (borrower != null) {
                    place(row, borrower, now, standings);
                }
            }
            if (!tree.lostAnybody()) {
                known.put(now, standings);
            }
        }
        return new Turns(now, standings);
    }

    private QueueState queueOf(int row) {
        return Objects.requireNonNull(borrowers.get(row)).queue();
    }

    /** Whether there might be room for any of them as used now, as far as that is known without going through all. */
    boolean mightFit(Ledger ledger) {
        for (int line = 0; line < least.length; line++) {
            if (least[line] > Amounts.plus(Math.max(0, ledger.available(tree.root, line)), local[line])) {
                return false;
            }
        }
        return true;
    }

    /** The queues that are still to be looked into, the one whose turn it is first. Not to be asked after anything changed among the queues. */
    final class Turns {
        private final Outside then;
        private final Standings standings;
        private final BitSet open;
        /** -1 = none is left, or it is still to be found. */
        private int first = -1;

        private Turns(Outside then, Standings standings) {
            this.then = then;
            this.standings = standings;
            open = standings.hopeful();
        }

        private int first() {
            if (first < 0 || !open.get(first)) {
                first = standings.first(open);
            }
            return first;
        }

        /** Nobody of the queue comes earlier; null = none is left. */
        @Nullable Precedence precedence() {
            return first() < 0 ? null : standings.precedence(first());
        }

        /** Null = none is left. */
        @Nullable QueueState queue() {
            return first() < 0 ? null : queueOf(first());
        }

        /**
         * Whether whoever of the first of them would start might fit as used now, and preempt nobody. Nothing was charged to that queue
         * meanwhile.
         */
        boolean mightFit(Ledger ledger) {
            return first() >= 0 && hopefuls.mightFit(first(), then, ledger);
        }

        /** All of them, in no order. */
        List<QueueState> queues() {
            return open.stream().mapToObj(Borrowers.this::queueOf).toList();
        }

        /** Null = it was not there. */
        @Nullable QueueState remove(int queue) {
            Integer row = rows.get(queue);
            if (row == null || !open.get(row)) {
                return null;
            }
            open.clear(row);
            return queueOf(row);
        }

        void clear() {
            open.clear();
        }
    }
}
