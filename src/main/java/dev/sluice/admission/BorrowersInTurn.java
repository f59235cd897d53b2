package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The turns of one flat cohort under fair sharing, as {@link FairTurns} has them, of thousands that would start, for whom most will find no
 * room: no more is asked of them than their precedence, the first is found without sorting, and what is left after it is sorted only as
 * far as turns are taken.
 */
final class BorrowersInTurn {
    private static final Comparator<Startable> FIRST = Comparator.comparing(BorrowersInTurn::precedence);

    private final Ledger ledger;
    /** Before the second turn in no order. */
    private Collection<Startable> left;

    private boolean begun;

    /** @param all at most one of each queue, with its precedence */
    BorrowersInTurn(List<Startable> all, Ledger ledger) {
        this.ledger = ledger;
        left = new ArrayList<>(all);
    }

    private static Precedence precedence(Startable one) {
        return Objects.requireNonNull(one.precedence());
    }

    /** Null = everybody had a turn, or was dropped. */
    @Nullable Startable next() {
        if (left instanceof PriorityQueue<Startable> sorted) {
            return sorted.poll();
        }
        if (!begun && !left.isEmpty()) {
            begun = true;
            Startable first = left.stream().min(FIRST).orElseThrow();
            left.remove(first);
            return first;
        }
        PriorityQueue<Startable> sorted = new PriorityQueue<>(Math.max(1, left.size()), FIRST);
        sorted.addAll(left);
        left = sorted;
        return sorted.poll();
    }

    /** What is charged to this queue changed. */
    void moved(int queue) {
        // Few move, and those that are left are few by then.
        List<Startable> ofQueue =
                left.stream().filter(one -> one.queue().node() == queue).toList();
        left.removeAll(ofQueue);
        for (Startable one : ofQueue) {
            left.add(one.with(
                    Precedence.of(ledger, one.charge(), queue, precedence(one).head())));
        }
    }

    void dropUnless(Predicate<Startable> stays) {
        left.removeIf(one -> !stays.test(one));
    }
}
