package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import dev.sluice.quota.Share;
import java.time.Instant;

/**
 * Whose turn it is under fair sharing, at one node: whoever stays within the node's quota of what it asks for comes first, then the
 * lower share with its request in it, then the order of a queue.
 *
 * @param priority of the head, as it was when this was told, like the time: it keeps its place among others though they change
 */
record Precedence(boolean borrows, Share share, int priority, Instant queuedAt, TrackedWorkload head)
        implements Comparable<Precedence> {
    /**
     * @param charge of the head; not charged yet
     * @param node the queue of the charge, or a cohort above it
     */
    static Precedence of(Ledger ledger, Charge charge, int node, TrackedWorkload head) {
        if (node == charge.queue()) {
            // Worked out without writing it down: of thousands of queues nothing would have to be ranked anew.
            return new Precedence(
                    charge.wouldBorrowAny(ledger), charge.share(ledger), head.priority, head.queuedAt, head);
        }
        try (Ledger.Trial trial = ledger.trial()) {
            charge.addTo(ledger);
            Precedence precedence = new Precedence(
                    charge.isBorrowedAt(ledger, node), Share.of(ledger, node), head.priority, head.queuedAt, head);
            trial.rewind();
            return precedence;
        }
    }

    /** The same of one that has to borrow. */
    Precedence borrowing() {
        return new Precedence(true, share, priority, queuedAt, head);
    }

    @Override
    public int compareTo(Precedence other) {
        if (borrows != other.borrows) {
            return borrows ? 1 : -1;
        }
        int order = share.compareTo(other.share);
        order = order != 0 ? order : Integer.compare(other.priority, priority);
        order = order != 0 ? order : queuedAt.compareTo(other.queuedAt);
        return order != 0 ? order : QueueOrder.compareSubmission(head, other.head);
    }
}
