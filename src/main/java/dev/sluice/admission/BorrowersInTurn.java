package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The turns of one flat cohort under fair sharing, as {@link FairTurns} has them, of all who would start by borrowing, for most of whom
 * there will be no room. A queue is looked into when its turn comes.
 */
final class BorrowersInTurn {
    private static final Comparator<Startable> IN_TURN = Comparator.comparing(Startable::precedenceOrThrow);

    private final Ledger ledger;
    private final Borrowers borrowers;
    private final Function<QueueState, Looked> look;
    /** Those that have no place among the borrowers, or another one than there. */
    private final PriorityQueue<Startable> others = new PriorityQueue<>(IN_TURN);
    /** Of the borrowers, those that are not dealt with in the place that they have there. */
    private final Set<QueueState> apart = new HashSet<>();
    /** The last of the borrowers that had a turn; null = none yet. */
    private @Nullable Borrower last;

    private boolean onlyFitting;

    /**
     * What came of a look into a queue.
     *
     * @param first who would start, with its precedence; null = nobody
     * @param lasts whether the same would come of it as long as nothing happens in the queue and circumstances are the same
     */
    record Looked(@Nullable Startable first, boolean lasts) {}

    /**
     * @param others of queues that are not among the borrowers, at most one of each, with its precedence
     * @param look for who of a queue would start, as things are while nothing is tried
     */
    BorrowersInTurn(
            Collection<Startable> others, Borrowers borrowers, Function<QueueState, Looked> look, Ledger ledger) {
        this.ledger = ledger;
        this.borrowers = borrowers;
        this.look = look;
        this.others.addAll(others);
    }

    /** Null = everybody had a turn, or was dropped. */
    @Nullable Startable next() {
        while (true) {
            Borrower next = nextBorrower();
            Startable other = others.peek();
            if (next == null || (other != null && isBefore(other, next))) {
                others.poll();
                if (other == null || stays(other)) {
                    return other;
                }
            } else {
                last = next;
                Startable first = apart.contains(next.queue()) || isTooMuch(next) ? null : first(next);
                if (first != null && stays(first)) {
                    return first;
                }
            }
        }
    }

    /** Those that need not borrow after all, since it is others of their queue who keep what is theirs. To be asked first. */
    List<Startable> withoutBorrowing() {
        List<Startable> within = new ArrayList<>();
        Startable next = next();
        while (next != null && !next.borrows()) {
            within.add(next);
            next = next();
        }
        if (next != null) {
            others.add(next);
        }
        return within;
    }

    private @Nullable Borrower nextBorrower() {
        if (onlyFitting && !borrowers.mightFit(ledger)) {
            return null;
        }
        return last == null ? borrowers.first() : borrowers.after(last);
    }

    private static boolean isBefore(Startable one, Borrower other) {
        return one.precedenceOrThrow().compareTo(other.precedence()) < 0;
    }

    /** Null = nobody of its queue, or it is not its turn yet. */
    private @Nullable Startable first(Borrower next) {
        if (next.first() != null) {
            return next.first();
        }
        Looked looked = look.apply(next.queue());
        Startable first = looked.first();
        if (looked.lasts()) {
            borrowers.settle(next, first);
        }
        if (first == null || first.precedenceOrThrow().compareTo(next.precedence()) == 0) {
            return first;
        }
        if (!looked.lasts()) {
            others.add(first);
        }
        return null;
    }

    /** From now on only those have a turn that fit as they come and preempt nobody. */
    void dropUnlessFitting() {
        onlyFitting = true;
    }

    private boolean stays(Startable one) {
        return !onlyFitting || (!one.preempts() && one.charge().fits(ledger));
    }

    private boolean isTooMuch(Borrower one) {
        return onlyFitting && !one.least().fits(ledger);
    }

    /** Those of the rest that are still to be looked into, as far as there might be room for them now. */
    List<Borrower> stillOpen() {
        if (!borrowers.mightFit(ledger)) {
            return List.of();
        }
        List<Borrower> open = last == null ? borrowers.open() : borrowers.openAfter(last);
        return open.stream().filter(one -> one.least().fits(ledger)).toList();
    }

    /** To be said of those that are still open while nothing is tried. */
    void lookInto(List<Borrower> open) {
        for (Borrower one : open) {
            Looked looked = look.apply(one.queue());
            if (looked.lasts()) {
                borrowers.settle(one, looked.first());
            } else {
                apart.add(one.queue());
                if (looked.first() != null) {
                    others.add(looked.first());
                }
            }
        }
    }

    /** What is charged to this queue changed. */
    void moved(int queue) {
        List<Startable> moved =
                others.stream().filter(one -> one.queue().node() == queue).toList();
        others.removeAll(moved);
        moved.forEach(this::addAnew);
        Borrower one = borrowers.of(queue);
        if (one != null && one.first() != null && isAhead(one) && apart.add(one.queue())) {
            addAnew(one.first());
        }
    }

    private boolean isAhead(Borrower one) {
        return last == null || one.precedence().compareTo(last.precedence()) > 0;
    }

    private void addAnew(Startable one) {
        others.add(one.with(Precedence.of(
                ledger,
                one.charge(),
                one.queue().node(),
                one.precedenceOrThrow().head())));
    }
}
