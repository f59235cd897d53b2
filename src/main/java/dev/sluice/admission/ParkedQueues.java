package dev.sluice.admission;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The queues of a tree in which somebody is parked: which of them might start somebody without borrowing, and in which of them surely
 * nobody can start, remembered for as long as that is sure.
 *
 * <p>What a queue holds and who is parked in it changes with what happens in it; all else that matters is common to the queues of a
 * tree ({@link Outside}). So those that were found hopeless under the same circumstances are kept together, and passed over together
 * while there is no more to be had than then: however many there are, an event in one of them costs no look at the others. Circumstances
 * come and go, and few are more than the other in everything; so the last few of each queue are kept, as far as none tells what another
 * does.
 */
final class ParkedQueues {
    /** Of how many circumstances it is known that they are the same again. */
    private static final int RECOGNIZED = 64;

    private static final int CIRCUMSTANCES = 8;

    /** To be looked into: what is known of them, if anything, is not true any more. */
    private Set<QueueState> changed = new LinkedHashSet<>();
    /** Of which nothing is known. */
    private final Set<QueueState> open = new LinkedHashSet<>();
    /** Might start somebody without borrowing. */
    private final Set<QueueState> within = new LinkedHashSet<>();

    /** One for all that are alike: what is asked of one is then asked once for all queues. */
    private final Interned<Outside> recognized = new Interned<>(RECOGNIZED);

    private final Map<Set<Outside>, Hopeless> hopeless = new LinkedHashMap<>();
    private final Map<QueueState, Hopeless> known = new HashMap<>();
    /** Per line. */
    private long[] most = {};

    /** Queues of which nobody could start at any of some times. */
    private static final class Hopeless {
        /** The earliest first. */
        final Set<Outside> then;

        final Set<QueueState> queues = new LinkedHashSet<>();
        /** Where its queues went that were found hopeless once more, for that is the same for all of them. */
        private @Nullable Outside later;

        private @Nullable Set<Outside> withLater;

        Hopeless(Set<Outside> then) {
            this.then = then;
        }

        boolean covers(Outside now) {
            for (Outside one : then) {
                if (now.isNoMoreThan(one)) {
                    return true;
                }
            }
            return false;
        }

        Set<Outside> and(Outside now) {
            Set<Outside> known = withLater;
            if (known == null || !now.equals(later)) {
                known = new LinkedHashSet<>(then);
                known.removeIf(one -> one.isNoMoreThan(now));
                while (known.size() >= CIRCUMSTANCES) {
                    known.remove(known.iterator().next());
                }
                known.add(now);
                later = now;
                withLater = known;
            }
            return known;
        }
    }

    /** Who is parked in a queue changed, or what it holds. */
    void note(QueueState queue) {
        changed.add(queue);
    }

    /** What anybody who is or was parked demands at the most of each of so many lines. */
    long[] most(int lines) {
        if (most.length < lines) {
            most = Arrays.copyOf(most, lines);
        }
        return most;
    }

    /**
     * To be said before anything is asked.
     *
     * @param mayStartWithin whether any of those that are parked in a queue might start without borrowing
     * @param changedOf told of each queue of which what was known is not true any more, when all that is asked of it here is
     */
    void refresh(Predicate<QueueState> mayStartWithin, Consumer<QueueState> changedOf) {
        if (changed.isEmpty()) {
            return;
        }
        for (QueueState queue : changed) {
            open.remove(queue);
            within.remove(queue);
            forget(queue);
            if (queue.compiled.mayAdmit() && !queue.parkedLanes().isEmpty()) {
                open.add(queue);
                if (mayStartWithin.test(queue)) {
                    within.add(queue);
                }
            }
            changedOf.accept(queue);
        }
        // To clear one that was large once costs as much as it could hold, with every event.
        changed = new LinkedHashSet<>();
    }

    private void forget(QueueState queue) {
        Hopeless group = known.remove(queue);
        if (group != null) {
            group.queues.remove(queue);
        }
    }

    /** Nobody in it can start under these circumstances. */
    void ruleOut(QueueState queue, Outside now) {
        Outside then = recognized.of(now);
        Hopeless before = known.get(queue);
        Set<Outside> times = before == null ? Set.of(then) : before.and(then);
        forget(queue);
        open.remove(queue);
        Hopeless group = hopeless.computeIfAbsent(times, Hopeless::new);
        group.queues.add(queue);
        known.put(queue, group);
    }

    /** Whether it might start somebody without borrowing. */
    boolean mayStartWithin(QueueState queue) {
        return within.contains(queue);
    }

    /** Of those that might start somebody without borrowing: the ones that are not known to be hopeless. */
    List<QueueState> within(Outside now) {
        List<QueueState> asked = new ArrayList<>();
        for (QueueState queue : within) {
            Hopeless group = known.get(queue);
            if (group == null || !group.covers(now)) {
                asked.add(queue);
            }
        }
        return asked;
    }

    /** All others that are not known to be hopeless. */
    List<QueueState> beyond(Outside now) {
        List<QueueState> asked = new ArrayList<>();
        addBeyond(open, asked);
        hopeless.values().removeIf(group -> group.queues.isEmpty());
        for (Hopeless group : hopeless.values()) {
            if (!group.covers(now)) {
                addBeyond(group.queues, asked);
            }
        }
        return asked;
    }

    /** Whether anybody in it might start, and only by borrowing. */
    boolean mayBorrow(QueueState queue, Outside now) {
        Hopeless group = known.get(queue);
        return !within.contains(queue) && (group == null ? open.contains(queue) : !group.covers(now));
    }

    /** The same, while nothing is known of it yet. */
    boolean mayBorrow(QueueState queue) {
        return open.contains(queue) && !within.contains(queue);
    }

    private void addBeyond(Set<QueueState> queues, List<QueueState> asked) {
        for (QueueState queue : queues) {
            if (!within.contains(queue)) {
                asked.add(queue);
            }
        }
    }
}
