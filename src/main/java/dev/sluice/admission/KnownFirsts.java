package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who of one queue was found to start first, under circumstances that may come again: while nothing happens in the queue, it is not
 * looked for again.
 *
 * <p>Whoever stands before the one that was found could not start, and cannot while there is no more to be had than then
 * ({@link Outside#isNoMoreThan}). The one itself starts if it fits still; or, if it preempts in its own queue only, if as much is left
 * as then, or if there is enough to preempt. Circumstances come and go with each end of work, so the last few of each queue are kept.
 */
final class KnownFirsts {
    private static final int CIRCUMSTANCES = 8;

    /** The latest first. */
    private final Deque<Known> known = new ArrayDeque<>(CIRCUMSTANCES);

    private record Known(Outside then, Startable first) {}

    /** Who waits in the queue changed, or what it holds. */
    void forget() {
        known.clear();
    }

    /**
     * @param then when it was found, and all before it were ruled out by what {@link Outside} tells and nothing else
     * @param first found without nominating anybody; if it preempts, then in its own queue and under nobody's protection
     */
    void remember(Outside then, Startable first) {
        if (known.size() == CIRCUMSTANCES) {
            known.removeLast();
        }
        known.addFirst(new Known(then, first));
    }

    /**
     * Null = it must be looked for.
     *
     * @param startsOverOwn whether one that preempts would start all the same, over those of its own queue, and borrow
     */
    @Nullable Startable find(Outside now, Ledger promised, Predicate<Startable> startsOverOwn) {
        for (Known one : known) {
            if (now.isNoMoreThan(one.then)
                    && (now.isAsMuchAs(one.then)
                            || (!one.first.preempts() && one.first.charge().fits(promised)))) {
                return one.first;
            }
        }
        for (Known one : known) {
            if (one.first.preempts() && now.isNoMoreThan(one.then) && startsOverOwn.test(one.first)) {
                return one.first;
            }
        }
        return null;
    }
}
