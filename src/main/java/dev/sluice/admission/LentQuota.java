package dev.sluice.admission;

import dev.sluice.quota.Amounts;
import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaTree;

/**
 * How much of each queue's quota others use. A cohort's borrowers draw first on what the cohort owns itself, then on the
 * unused quota that its children show, each in proportion to what it shows; what a cohort lends outward is spread over its
 * children likewise.
 *
 * <p>Quota is not numbered, so whose unit a borrower uses is a convention; this one is symmetric and adds up: what is
 * borrowed is lent by somebody.
 */
final class LentQuota {
    private final Ledger ledger;
    private final QuotaTree tree;
    private final long[] lent;

    LentQuota(Ledger ledger) {
        this.ledger = ledger;
        tree = ledger.tree();
        lent = new long[tree.queueCount() * tree.lineCount()];
    }

    /** Indexed by queue × number of lines + line. */
    long[] byQueueAndLine() {
        for (int node = tree.queueCount(); node < tree.nodeCount(); node++) {
            if (!tree.hasParent(node)) {
                for (int line = 0; line < tree.lineCount(); line++) {
                    spread(node, line, 0);
                }
            }
        }
        return lent;
    }

    /** @param outward what of this cohort's quota is used outside of it */
    private void spread(int cohort, int line, long outward) {
        long asked = outward;
        long shown = 0;
        int[][] children = {tree.childCohorts(cohort), tree.childQueues(cohort)};
        for (int[] kind : children) {
            for (int child : kind) {
                asked = Amounts.add(asked, borrowed(child, line));
                shown = Amounts.add(shown, shows(child, line));
            }
        }
        long fromAbove = Math.max(0, Amounts.minus(ledger.used(cohort, line), tree.subtreeQuota(cohort, line)));
        long total = Math.min(shown, asked - Math.min(asked, Amounts.add(tree.nominal(cohort, line), fromAbove)));
        long left = total;
        long shownLeft = shown;
        for (int[] kind : children) {
            for (int child : kind) {
                long part = share(left, shows(child, line), shownLeft);
                left -= part;
                shownLeft -= shows(child, line);
                if (tree.isQueue(child)) {
                    lent[child * tree.lineCount() + line] = part;
                } else {
                    spread(child, line, part);
                }
            }
        }
    }

    /** Rounded so that the shares of all children add up to the total. */
    private static long share(long total, long weight, long weights) {
        return weight == 0 ? 0 : Math.min(total, Math.round((double) total / weights * weight));
    }

    private long borrowed(int child, int line) {
        return Math.max(0, Amounts.minus(ledger.used(child, line), tree.subtreeQuota(child, line)));
    }

    /** Unused quota that the parent may give to others. */
    private long shows(int child, int line) {
        long local = tree.localQuota(child, line);
        long lendable = Amounts.minus(tree.subtreeQuota(child, line), local);
        return Math.max(0, Amounts.minus(lendable, Math.max(0, Amounts.minus(ledger.used(child, line), local))));
    }
}
