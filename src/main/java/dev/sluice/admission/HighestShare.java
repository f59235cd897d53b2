package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaTree;
import dev.sluice.quota.Share;
import dev.sluice.quota.ShareRanking;
import org.jspecify.annotations.Nullable;

/**
 * The highest share of any queue of a flat cohort, remembered until the ledger changes: whoever is not below it gets nothing from others by
 * shares.
 */
final class HighestShare {
    private final Ledger ledger;
    private final QuotaTree tree;
    private @Nullable Share known;
    /** {@link ShareRanking#onlyBorrowed}. */
    private int borrowed;

    private int cohort;
    private long version;

    HighestShare(Ledger ledger) {
        this.ledger = ledger;
        tree = ledger.tree();
    }

    /**
     * Whether a queue stands in a cohort without any above or below it: only there do all shares compare in one place.
     *
     * @param queue of a cohort
     */
    static boolean comparesIn(QuotaTree tree, int queue) {
        int cohort = tree.parent(queue);
        return !tree.hasParent(cohort) && comparesAllBelow(tree, cohort);
    }

    /** Whether a root is a cohort of queues alone. */
    static boolean comparesAllBelow(QuotaTree tree, int root) {
        return !tree.isQueue(root) && tree.childCohorts(root).length == 0;
    }

    /**
     * Looks who has it, as used now; to be said before the shares are asked that are compared with it.
     */
    void look(int root) {
        if (known != null && cohort == root && version == ledger.version()) {
            return;
        }
        known = ledger.shareRanking().highest(root);
        borrowed = ledger.shareRanking().onlyBorrowed(root);
        cohort = root;
        version = ledger.version();
    }

    /**
     * Whether nobody's workload is fair to take for one whose share would be this, even if all its own that might go had gone: others'
     * shares only fall by what is taken from them.
     */
    boolean leavesNothingTo(Share share, int[] contested) {
        Share highest = known;
        return highest != null && !mayTake(share, highest, contested);
    }

    /**
     * Whether one whose share would be this, even if all its own that might go had gone, may find it fair to take from one who has that
     * share: others' shares only fall by what is taken from them.
     */
    boolean mayTake(Share share, Share victim, int[] contested) {
        int order = share.compareTo(victim);
        return order < 0 || (order == 0 && !fallsByEachVictim(victim, contested));
    }

    /**
     * Whether the share of somebody who borrows the only contested line falls with each victim, so that to take from an equal share is
     * not fair: not if it is a share of another resource, or none at all because nothing can be lent.
     */
    boolean fallsByEachVictim(Share victim, int[] contested) {
        return contested.length == 1 && fallsByEachVictim(victim, tree.resourceOf(contested[0]), borrowed);
    }

    /**
     * The same.
     *
     * @param resource of the only contested line
     * @param onlyBorrowed {@link ShareRanking#onlyBorrowed}
     */
    static boolean fallsByEachVictim(Share victim, int resource, int onlyBorrowed) {
        return victim.dominantResource() != null && (onlyBorrowed == QuotaTree.NONE || resource == onlyBorrowed);
    }
}
