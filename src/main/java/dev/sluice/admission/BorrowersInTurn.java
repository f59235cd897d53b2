package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
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
    private final Function<QueueState, @Nullable Startable> look;
    private final Borrowers.Turns open;
    /** Those that are known. */
    private final PriorityQueue<Startable> known = new PriorityQueue<>(IN_TURN);

    private boolean onlyFitting;

    /**
     * @param others of queues that are not among the borrowers, at most one of each, with its precedence
     * @param now the circumstances, while nothing is tried
     * @param look for who of a queue would start, with its precedence, as things are while nothing is tried; null = nobody
     */
    BorrowersInTurn(
            Collection<Startable> others,
            Borrowers borrowers,
            Outside now,
            Function<QueueState, @Nullable Startable> look,
            Ledger ledger) {
        this.ledger = ledger;
        this.borrowers = borrowers;
        this.look = look;
        open = borrowers.turns(now);
        known.addAll(others);
    }

    /** The next whose turn it is; null = everybody had a turn, or was dropped. To be asked while nothing is tried. */
    @Nullable Startable next() {
        Startable next = nextKnown();
        for (QueueState queue = open(); next == null && queue != null; queue = open()) {
            lookInto(queue.node());
            next = nextKnown();
        }
        return next;
    }

    /** The same; null = a queue that is still to be looked into has its turn first, or there is none. */
    @Nullable Startable nextKnown() {
        while (open() == null) {
            Startable first = known.poll();
            if (first == null || stays(first)) {
                return first;
            }
        }
        return null;
    }

    /** The queue whose turn it is, if it is still to be looked into; null = it was, or none is left. */
    @Nullable QueueState open() {
        Startable first = known.peek();
        for (Precedence next = open.precedence(); next != null; next = open.precedence()) {
            if (first != null && first.precedenceOrThrow().compareTo(next) <= 0) {
                return null;
            }
            if (onlyFitting && !borrowers.mightFit(ledger)) {
                open.clear();
            } else if (onlyFitting && !open.mightFit(ledger)) {
                dropFirst();
            } else {
                return open.queue();
            }
        }
        return null;
    }

    private void dropFirst() {
        QueueState first = open.queue();
        if (first != null) {
            open.remove(first.node());
        }
    }

    /** Looks into a queue if that is still to be done; to be asked while nothing is tried. */
    void lookInto(int queue) {
        QueueState still = open.remove(queue);
        Startable first = still == null ? null : look.apply(still);
        if (first != null) {
            known.add(first);
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
            known.add(next);
        }
        return within;
    }

    /** From now on only those have a turn that fit as they come and preempt nobody. */
    void dropUnlessFitting() {
        onlyFitting = true;
    }

    private boolean stays(Startable one) {
        return !onlyFitting || (!one.preempts() && one.charge().fits(ledger));
    }

    /** What is charged to this queue changed; it is not open any more. */
    void moved(int queue) {
        List<Startable> moved =
                known.stream().filter(one -> one.queue().node() == queue).toList();
        known.removeAll(moved);
        for (Startable one : moved) {
            known.add(one.with(Precedence.of(
                    ledger, one.charge(), queue, one.precedenceOrThrow().head())));
        }
    }
}
