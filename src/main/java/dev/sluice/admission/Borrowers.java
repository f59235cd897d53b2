package dev.sluice.admission;

import dev.sluice.quota.Amounts;
import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The queues of a flat cohort in which somebody might start by borrowing under the same circumstances ({@link Outside}), in the order of
 * their turns under fair sharing.
 *
 * <p>A piece that gets free and that nobody has a right to is wanted by every queue that has work for it, and only the one whose share
 * would be the lowest gets it. To look into all of them for that is simple, and made one end of work in a cohort of 2,000 queues cost
 * 2,000 looks. Here each has its place by the lowest precedence that anybody in it could have, until it was looked into; then by that of
 * whom was found. So it is looked from the front, as far as somebody starts. What was found stays as long as nothing happens in the queue.
 */
final class Borrowers {
    private static final Comparator<Borrower> IN_TURN = Comparator.comparing(Borrower::precedence);

    private final NavigableSet<Borrower> inTurn = new TreeSet<>(IN_TURN);
    private final Map<Integer, Borrower> byNode = new HashMap<>();
    /** Their place is not true any more, but this is; without one they have none. */
    private Map<QueueState, @Nullable Borrower> changed = new LinkedHashMap<>();

    private final int cohort;
    /** Per line of the tree: none of them, now or before, asks for less. */
    private final long[] least;
    /** Per line of the tree: the most that any queue of the cohort has for itself alone, which does not show in what the cohort has left. */
    private final long[] local;

    /** @param cohort of all of them */
    Borrowers(QuotaTree tree, int cohort) {
        this.cohort = cohort;
        least = new long[tree.lineCount()];
        Arrays.fill(least, Long.MAX_VALUE);
        local = new long[tree.lineCount()];
        for (int queue : tree.childQueues(cohort)) {
            for (int line = 0; line < local.length; line++) {
                local[line] = Math.max(local[line], tree.localQuota(queue, line));
            }
        }
    }

    /**
     * Who is parked in a queue changed, what it holds, or who keeps room in it.
     *
     * @param atBest null = nobody there could start by borrowing
     */
    void note(QueueState queue, @Nullable Borrower atBest) {
        changed.put(queue, atBest);
    }

    /** To be said before anything is asked. */
    void refresh() {
        if (!changed.isEmpty()) {
            changed.keySet().forEach(this::remove);
            changed.values().forEach(this::add);
            // To clear one that was large once costs as much as it could hold, with every event.
            changed = new LinkedHashMap<>();
        }
    }

    /** Null = it is not one of them. */
    @Nullable Borrower of(int queue) {
        return byNode.get(queue);
    }

    /** Null = there is none. */
    @Nullable Borrower first() {
        return inTurn.isEmpty() ? null : inTurn.first();
    }

    /** Null = it was the last. */
    @Nullable Borrower after(Borrower one) {
        return inTurn.higher(one);
    }

    /** It was looked into: as long as nothing happens there, this one would start. Null = nobody would. */
    void settle(Borrower one, @Nullable Startable first) {
        remove(one.queue());
        add(first == null ? null : one.settled(first));
    }

    /** Those that are still to be looked into. */
    List<Borrower> open() {
        return open(inTurn);
    }

    /** Those of them that come after one. */
    List<Borrower> openAfter(Borrower last) {
        return open(inTurn.tailSet(last, false));
    }

    private static List<Borrower> open(Set<Borrower> some) {
        List<Borrower> open = new ArrayList<>();
        for (Borrower one : some) {
            if (one.first() == null) {
                open.add(one);
            }
        }
        return open;
    }

    /** Whether there might be room for any of them as used now, as far as that is known without going through all. */
    boolean mightFit(Ledger ledger) {
        for (int line = 0; line < least.length; line++) {
            if (least[line] > Amounts.plus(Math.max(0, ledger.available(cohort, line)), local[line])) {
                return false;
            }
        }
        return true;
    }

    private void remove(QueueState queue) {
        Borrower before = byNode.remove(queue.node());
        if (before != null) {
            inTurn.remove(before);
        }
    }

    private void add(@Nullable Borrower one) {
        if (one == null) {
            return;
        }
        byNode.put(one.queue().node(), one);
        inTurn.add(one);
        for (int line = 0; line < least.length; line++) {
            least[line] = Math.min(least[line], one.least().amount(line));
        }
    }
}
