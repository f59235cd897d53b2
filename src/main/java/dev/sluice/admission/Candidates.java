package dev.sluice.admission;

import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Predicate;

/** Those of one queue that a preemptor may take, the first to go first; each is looked at only when it comes to it. */
final class Candidates {
    private final List<TrackedWorkload> inOrder;
    private final Predicate<TrackedWorkload> mayBeTaken;
    private int next;

    /** @param inOrder as {@link CandidateOrder} has it */
    Candidates(List<TrackedWorkload> inOrder, Predicate<TrackedWorkload> mayBeTaken) {
        this.inOrder = inOrder;
        this.mayBeTaken = mayBeTaken;
    }

    static Candidates of(List<TrackedWorkload> inOrder) {
        return new Candidates(inOrder, each -> true);
    }

    boolean isEmpty() {
        while (next < inOrder.size() && !mayBeTaken.test(inOrder.get(next))) {
            next++;
        }
        return next == inOrder.size();
    }

    TrackedWorkload first() {
        if (isEmpty()) {
            throw new NoSuchElementException("nobody is left who may be taken");
        }
        return inOrder.get(next);
    }

    TrackedWorkload removeFirst() {
        TrackedWorkload first = first();
        next++;
        return first;
    }
}
