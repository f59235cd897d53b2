package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import dev.sluice.quota.Share;
import java.time.Instant;

/**
 * Whose turn it is under fair sharing, at one node: whoever stays within the node's quota of what it asks for comes first, then the
 * lower share with its request in it, then the order of a queue.
 *
 * @param priority of the head, as it was when this was told, like what follows: so it keeps its place among others
 */
record Precedence(boolean borrows, Share share, int priority, Instant queuedAt, long sequence, TrackedWorkload head)
        implements Comparable<Precedence> {
    /**
     * @param charge of the head; not charged yet
     * @param node the queue of the charge, or a cohort above it
     */
    static Precedence of(Ledger ledger, Charge charge, int node, TrackedWorkload head) {
        if (node == charge.queue()) {
            // Worked out without writing it down: of thousands of queues nothing would have to be ranked anew.
            return of(charge.wouldBorrowAny(ledger), charge.share(ledger), head);
        }
        try (Ledger.Trial trial = ledger.trial()) {
            charge.addTo(ledger);
            Precedence precedence = of(charge.isBorrowedAt(ledger, node), Share.of(ledger, node), head);
            trial.rewind();
            return precedence;
        }
    }

    private static Precedence of(boolean borrows, Share share, TrackedWorkload head) {
        return new Precedence(borrows, share, head.priority, head.queuedAt, head.workload.sequence(), head);
    }

    /** The same of one that has to borrow. */
    Precedence borrowing() {
        return new Precedence(true, share, priority, queuedAt, sequence, head);
    }

    /** The same, with one share for all that are alike. */
    Precedence sharing(Interned<Share> oneForAll) {
        return new Precedence(borrows, oneForAll.of(share), priority, queuedAt, sequence, head);
    }

    @Override
    public int compareTo(Precedence other) {
        if (borrows != other.borrows) {
            return borrows ? 1 : -1;
        }
        int order = share.compareTo(other.share);
        order = order != 0 ? order : Integer.compare(other.priority, priority);
        order = order != 0 ? order : queuedAt.compareTo(other.queuedAt);
        order = order != 0 ? order : Long.compare(sequence, other.sequence);
        return order != 0 ? order : head.id().compareTo(other.head.id());
    }
}
