package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import dev.sluice.quota.Share;

/**
 * Whose turn it is under fair sharing, at one node: whoever stays within the node's quota of what it asks for comes first, then the
 * lower share with its request in it, then the order of a queue.
 */
record Precedence(boolean borrows, Share share, TrackedWorkload head) implements Comparable<Precedence> {
    /**
     * @param charge of the head; not charged yet
     * @param node the queue of the charge, or a cohort above it
     */
    static Precedence of(Ledger ledger, Charge charge, int node, TrackedWorkload head) {
        try (Ledger.Trial trial = ledger.trial()) {
            charge.addTo(ledger);
            Precedence precedence = new Precedence(charge.isBorrowedAt(ledger, node), Share.of(ledger, node), head);
            trial.rewind();
            return precedence;
        }
    }

    @Override
    public int compareTo(Precedence other) {
        if (borrows != other.borrows) {
            return borrows ? 1 : -1;
        }
        int byShare = share.compareTo(other.share);
        return byShare != 0 ? byShare : QueueOrder.IN_QUEUE.compare(head, other.head);
    }
}
