package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaTree;
import dev.sluice.quota.Share;
import dev.sluice.quota.ShareRanking;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What outside of a queue decides whether anybody in it could start, at one moment: what every cohort of its tree has left, and where
 * shares are compared in one place, the highest of them.
 *
 * <p>Of a line of which more is left than anybody demands, it does not matter how much: else every end of work would seem to change
 * things for everybody, whatever they lack.
 */
final class Outside {
    /** Per cohort of the tree and line; at most as much as anybody demands. */
    private final long[] left;
    /** Null = shares do not matter, or are compared in several places. */
    private final @Nullable Share highest;

    private final int onlyBorrowed;
    private final int hash;
    /** Who asked last, and what was said: the same is asked for every queue of a tree. */
    private @Nullable Outside askedBy;

    private boolean noMoreThanThis;

    private Outside(long[] left, @Nullable Share highest, int onlyBorrowed) {
        this.left = left;
        this.highest = highest;
        this.onlyBorrowed = onlyBorrowed;
        hash = 31 * Arrays.hashCode(left) + Objects.hashCode(highest);
    }

    /**
     * As used now.
     *
     * @param most what anybody demands at the most, per line
     */
    static Outside of(Ledger ledger, int root, long[] most, boolean fairSharing) {
        QuotaTree tree = ledger.tree();
        if (tree.isQueue(root)) {
            return new Outside(new long[0], null, QuotaTree.NONE);
        }
        long[] left = new long[cohorts(tree, root) * tree.lineCount()];
        fill(ledger, root, most, left, 0);
        if (!fairSharing || tree.childCohorts(root).length > 0) {
            return new Outside(left, null, QuotaTree.NONE);
        }
        ShareRanking shares = ledger.shareRanking();
        return new Outside(left, shares.highest(root), shares.onlyBorrowed(root));
    }

    private static int cohorts(QuotaTree tree, int cohort) {
        return 1
                + Arrays.stream(tree.childCohorts(cohort))
                        .map(child -> cohorts(tree, child))
                        .sum();
    }

    private static int fill(Ledger ledger, int cohort, long[] most, long[] left, int from) {
        int to = from;
        for (int line = 0; line < ledger.tree().lineCount(); line++) {
            left[to++] = Math.min(most[line], ledger.available(cohort, line));
        }
        for (int child : ledger.tree().childCohorts(cohort)) {
            to = fill(ledger, child, most, left, to);
        }
        return to;
    }

    /** Of a flat cohort: how much of a line is left, or as much as anybody demands if that is less. */
    long left(int line) {
        return left[line];
    }

    /**
     * Of a flat cohort that goes by shares: whether others might give anything of a line to one whose share would be at least this, as
     * {@link HighestShare#mayTake} has it.
     */
    boolean mayGive(Share share, int resource) {
        if (highest == null) {
            return true;
        }
        int order = share.compareTo(highest);
        return order < 0 || (order == 0 && !HighestShare.fallsByEachVictim(highest, resource, onlyBorrowed));
    }

    /** Whether nobody could start now who could not then, as long as nothing in its queue changed. */
    boolean isNoMoreThan(Outside then) {
        if (!equals(then.askedBy)) {
            then.noMoreThanThis = comparesAsNoMoreThan(then);
            then.askedBy = this;
        }
        return then.noMoreThanThis;
    }

    private boolean comparesAsNoMoreThan(Outside then) {
        for (int index = 0; index < left.length; index++) {
            if (left[index] > then.left[index]) {
                return false;
            }
        }
        return highest == null || then.highest == null || isNoHigher(highest, then.highest, then.onlyBorrowed);
    }

    /** Equal shares count as too high only in some cases ({@link HighestShare#fallsByEachVictim}): these must be the same. */
    private boolean isNoHigher(Share now, Share then, int onlyBorrowedThen) {
        int order = now.compareTo(then);
        boolean sameRule = onlyBorrowedThen == ShareRanking.SEVERAL
                || then.dominantResource() == null
                || (onlyBorrowedThen == onlyBorrowed && now.dominantResource() != null);
        return order < 0 || (order == 0 && sameRule);
    }

    /** Whether they are alike: then they are no more than each other. */
    @Override
    public boolean equals(@Nullable Object other) {
        if (other == this) {
            return true;
        }
        return other instanceof Outside outside
                && hash == outside.hash
                && onlyBorrowed == outside.onlyBorrowed
                && Arrays.equals(left, outside.left)
                && Objects.equals(highest, outside.highest)
                && Objects.equals(dominantResource(), outside.dominantResource());
    }

    private @Nullable String dominantResource() {
        return highest == null ? null : highest.dominantResource();
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
