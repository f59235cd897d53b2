package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who of a queue was found to start first, under circumstances that may come again: while nothing happens in the queue, it is not
 * looked for again.
 *
 * <p>Whoever stands before the one that was found could not start, and cannot while there is no more to be had than then
 * ({@link Outside#isNoMoreThan}). The one itself starts if it fits still; or, if it preempts in its own queue only, if as much is left
 * as then, or if there is enough to preempt. Circumstances come and go with each end of work, so the last few of each queue are kept.
 */
final class KnownFirsts {
    private static final int CIRCUMSTANCES = 8;

    /** Of how many circumstances it is known that they are the same again. */
    private static final int RECOGNIZED = 64;

    private final Map<QueueState, Deque<Known>> known = new HashMap<>();
    /** One for all that are alike: what is asked of one is then asked once for all queues. */
    private final Map<Outside, Outside> recognized = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Outside, Outside> eldest) {
            return size() > RECOGNIZED;
        }
    };

    private record Known(Outside then, Startable first) {}

    /** Who waits in the queue changed, or what it holds. */
    void forget(QueueState queue) {
        known.remove(queue);
    }

    /**
     * @param then when it was found, and all before it were ruled out by what {@link Outside} tells and nothing else
     * @param first if it preempts, then in its own queue, and nobody else was thought of
     */
    void remember(Outside then, Startable first) {
        Deque<Known> ofQueue = known.computeIfAbsent(first.queue(), queue -> new ArrayDeque<>(CIRCUMSTANCES));
        if (ofQueue.size() == CIRCUMSTANCES) {
            ofQueue.removeLast();
        }
        Outside recognizedThen = recognized.computeIfAbsent(then, same -> same);
        ofQueue.addFirst(new Known(recognizedThen, first.withoutEntry()));
    }

    /**
     * Null = it must be looked for.
     *
     * @param startsOverOwn whether one that preempts would start all the same, over those of its own queue, and borrow
     */
    @Nullable Startable of(QueueState queue, Outside now, Ledger promised, Predicate<Startable> startsOverOwn) {
        Deque<Known> ofQueue = known.get(queue);
        if (ofQueue == null) {
            return null;
        }
        for (Known one : ofQueue) {
            if (now.isNoMoreThan(one.then) && startsStill(one, now, promised, startsOverOwn)) {
                return one.first;
            }
        }
        return null;
    }

    private static boolean startsStill(Known one, Outside now, Ledger promised, Predicate<Startable> startsOverOwn) {
        return one.first.preempts()
                ? now.isAsMuchAs(one.then) || startsOverOwn.test(one.first)
                : one.first.charge().fits(promised);
    }
}
