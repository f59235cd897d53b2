package dev.sluice.admission;

import dev.sluice.quota.Amounts;
import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaTree;

/**
 * What is whose own under fair sharing: of a queue, and of every cohort above it. Whoever stays within it, with the workload that asks,
 * takes it back from anybody outside; and what uses no more than that is taken by nobody outside. Shares divide only the rest, which is
 * lent. How much a cohort borrows of other lines says nothing of what it owns of this one.
 *
 * <p>Two queues, or two cohorts, compare below the lowest cohort above both: what that one owns belongs to both.
 */
final class OwnQuota {
    private final Ledger ledger;
    private final QuotaTree tree;
    private final int queue;
    private final int[] contested;
    private final boolean ofCohortsToo;
    private final int owner;

    /**
     * @param asked by the workload that asks; not in the ledger yet
     * @param ofCohortsToo false = only a queue owns anything, and takes it back but does not keep it (Kueue)
     */
    OwnQuota(Ledger ledger, Charge asked, int[] contested, boolean ofCohortsToo) {
        this.ledger = ledger;
        tree = ledger.tree();
        queue = asked.queue();
        this.contested = contested;
        this.ofCohortsToo = ofCohortsToo;
        try (Ledger.Trial trial = ledger.trial()) {
            asked.addTo(ledger);
            owner = lowestOwner();
            trial.rewind();
        }
    }

    /** Of the queue and the cohorts above it; {@link QuotaTree#NONE} = none stays within its own. */
    private int lowestOwner() {
        int node = queue;
        while (node != QuotaTree.NONE && !ledger.isWithinNominal(node, contested)) {
            node = ofCohortsToo ? tree.parent(node) : QuotaTree.NONE;
        }
        return node;
    }

    /** Whether it may take back from that queue what is its own, or was so before anybody was taken. */
    boolean isTakenBackFrom(int target) {
        int common = tree.lowestCommon(queue, target);
        for (int node = owner; node != QuotaTree.NONE && node != common; node = tree.parent(node)) {
            if (tree.parent(node) == common) {
                return true;
            }
        }
        return false;
    }

    /** Whether what runs in that queue uses, as things stand, no more than its own. */
    boolean isKeptBy(int target) {
        int common = ofCohortsToo ? tree.lowestCommon(queue, target) : target;
        for (int node = target; node != common; node = tree.parent(node)) {
            if (ledger.isWithinNominal(node, contested)) {
                return true;
            }
        }
        return false;
    }

    /** Whether one that was taken from there would come back, as things stand, for anything contested that is its own. */
    boolean returnsTo(Charge taken) {
        int common = tree.lowestCommon(queue, taken.queue());
        for (int line : contested) {
            long rest = taken.amount(line);
            for (int node = taken.queue(); rest > 0 && node != common; node = tree.parent(node)) {
                if (!ledger.wouldBorrow(node, line, rest)) {
                    return true;
                }
                rest = Amounts.minus(rest, Math.min(rest, ledger.localAvailable(node, line)));
            }
        }
        return false;
    }

    /** The child, toward another queue, of the lowest cohort above both. */
    int side(int target) {
        return tree.childToward(tree.lowestCommon(queue, target), target);
    }
}
