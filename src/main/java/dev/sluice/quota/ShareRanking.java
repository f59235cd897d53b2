package dev.sluice.quota;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The queues of every cohort that borrow, the highest share first, as used now.
 *
 * <p>To work out all shares when they are asked for is simple, and is what a search for victims did: but most searches ask for the
 * first few, and from one to the next the usage of one or two queues changed. So the ledger notes whose usage it changes or puts
 * back, and only those are ranked anew when somebody asks.
 */
public final class ShareRanking {
    private static final Comparator<Ranked> HIGHEST_FIRST = (left, right) -> {
        int order = right.share().compareTo(left.share());
        order = order != 0 ? order : compareTies(left.tie(), right.tie());
        return order != 0 ? order : Integer.compare(left.queue(), right.queue());
    };
    /** Far more than two roundings can differ by. */
    private static final double ROUNDED = 1e-9;

    private static final double UNKNOWN = -1;
    /** Of {@link #onlyBorrowed}: of more than one resource something is borrowed. */
    public static final int SEVERAL = -2;

    private final Ledger ledger;
    private final QuotaTree tree;
    /** Per queue; null = it does not borrow. */
    private final @Nullable Ranked[] ranked;
    /** Per cohort, numbered as nodes less the queues; null = none of its queues borrowed yet. */
    private final @Nullable Standing[] standings;

    private final boolean[] moved;
    /** As many of them as are counted. */
    private final int[] movedQueues;

    private int movedCount;

    private IntFunction<@Nullable Tie> ties = queue -> null;
    private WithoutOne withoutOne = Share::of;
    /** Per queue: the nearest double of the most that its share could be without any one of those that hold it; less than 0 = nobody asked. */
    private final double[] mostWithoutOne;

    /** Tells what a queue's share could be at the most if any one of those that hold it went. */
    @FunctionalInterface
    public interface WithoutOne {
        Share of(Ledger ledger, int queue);
    }

    /** What puts queues of the same share in an order, the smallest first. Must not change while somebody keeps it. */
    public interface Tie extends Comparable<Tie> {}

    /**
     * @param resources of which it borrows, each once, by number
     * @param tie null = it is not known, so it comes before all of the same share
     */
    public record Ranked(
            int queue,
            Share share,
            List<Integer> resources,
            @Nullable Tie tie) {}

    private static final class Standing {
        final NavigableSet<Ranked> queues = new TreeSet<>(HIGHEST_FIRST);
        /** Per resource: how many of the queues borrow some. */
        final int[] borrowers;

        Standing(int resources) {
            borrowers = new int[resources];
        }
    }

    ShareRanking(Ledger ledger) {
        this.ledger = ledger;
        tree = ledger.tree();
        ranked = new Ranked[tree.queueCount()];
        standings = new Standing[tree.nodeCount() - tree.queueCount()];
        moved = new boolean[tree.queueCount()];
        mostWithoutOne = new double[tree.queueCount()];
        movedQueues = new int[tree.queueCount()];
        noteAll();
    }

    private static int compareTies(@Nullable Tie left, @Nullable Tie right) {
        if (left == null || right == null) {
            return Boolean.compare(left != null, right != null);
        }
        return left.compareTo(right);
    }

    /**
     * From now on. Otherwise those of the same share stand by their numbers.
     *
     * @param ties of a queue as it is now
     */
    public void breakTiesBy(IntFunction<@Nullable Tie> ties) {
        this.ties = ties;
        noteAll();
    }

    /** From now on. Otherwise it is taken for what it is with all of them. */
    public void tellWithoutOne(WithoutOne withoutOne) {
        this.withoutOne = withoutOne;
        noteAll();
    }

    /** Whether a queue that borrows would be below a share without any one of those that hold it; false = unknown, too. */
    public boolean fallsBelow(Share share, int queue) {
        refresh();
        if (mostWithoutOne[queue] < 0) {
            mostWithoutOne[queue] = withoutOne.of(ledger, queue).value() * (1 + ROUNDED);
        }
        return mostWithoutOne[queue] < share.value() * (1 - ROUNDED);
    }

    /** To be said of every node whose usage changes, and of every queue that has another tie. */
    public void note(int node) {
        if (node < moved.length && !moved[node]) {
            moved[node] = true;
            movedQueues[movedCount++] = node;
        }
    }

    void noteAll() {
        for (int queue = 0; queue < moved.length; queue++) {
            note(queue);
        }
    }

    /**
     * Those of a cohort's queues that borrow, as long as usage does not change.
     *
     * @param after whom they follow, null = all of them; usage may have changed since, and who stands lower by that may come once more
     */
    public Iterator<Ranked> after(int cohort, @Nullable Ranked after) {
        Standing standing = standing(cohort);
        if (standing == null) {
            return Collections.emptyIterator();
        }
        return (after == null ? standing.queues : standing.queues.tailSet(after, false)).iterator();
    }

    /** The highest share of any queue of a cohort; share 0 if none borrows. */
    public Share highest(int cohort) {
        Iterator<Ranked> all = after(cohort, null);
        return all.hasNext() ? all.next().share() : Share.NONE;
    }

    /**
     * The one resource of which any queue of a cohort borrows; {@link QuotaTree#NONE} = nobody borrows; {@link #SEVERAL}.
     */
    public int onlyBorrowed(int cohort) {
        Standing standing = standing(cohort);
        int only = QuotaTree.NONE;
        for (int resource = 0; standing != null && resource < standing.borrowers.length; resource++) {
            if (standing.borrowers[resource] > 0) {
                only = only == QuotaTree.NONE ? resource : SEVERAL;
            }
        }
        return only;
    }

    private @Nullable Standing standing(int cohort) {
        refresh();
        return standings[cohort - ranked.length];
    }

    private void refresh() {
        while (movedCount > 0) {
            int queue = movedQueues[--movedCount];
            moved[queue] = false;
            mostWithoutOne[queue] = UNKNOWN;
            if (tree.hasParent(queue)) {
                rank(queue);
            }
        }
    }

    private void rank(int queue) {
        Share share = Share.of(ledger, queue);
        List<Integer> resources = share.isBorrowing() ? borrowedBy(queue) : List.of();
        Tie tie = share.isBorrowing() ? ties.apply(queue) : null;
        Ranked before = ranked[queue];
        if (before == null
                ? !share.isBorrowing()
                : share.isSame(before.share())
                        && resources.equals(before.resources())
                        && Objects.equals(tie, before.tie())) {
            return;
        }
        int cohort = tree.parent(queue) - ranked.length;
        Standing standing = standings[cohort];
        if (standing == null) {
            standing = new Standing(tree.resourceCount());
            standings[cohort] = standing;
        }
        if (before != null) {
            standing.queues.remove(before);
            for (int resource : before.resources()) {
                standing.borrowers[resource]--;
            }
        }
        Ranked now = share.isBorrowing() ? new Ranked(queue, share, resources, tie) : null;
        if (now != null) {
            standing.queues.add(now);
            for (int resource : resources) {
                standing.borrowers[resource]++;
            }
        }
        ranked[queue] = now;
    }

    private List<Integer> borrowedBy(int queue) {
        List<Integer> resources = new ArrayList<>();
        for (int line : tree.listedLines(queue)) {
            int resource = tree.resourceOf(line);
            if (ledger.isBorrowing(queue, line) && !resources.contains(resource)) {
                resources.add(resource);
            }
        }
        return resources;
    }
}
