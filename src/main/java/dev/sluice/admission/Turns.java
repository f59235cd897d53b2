package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** In which order the heads of a tree's queues are dealt with in one cycle. */
sealed interface Turns permits Turns.ByBorrowing, FairTurns {
    static Turns of(List<Entry> entries, TreeState tree, Ledger ledger, AdmissionSettings settings) {
        return settings.fairSharing().isOn() ? new FairTurns(entries, tree.root, ledger) : new ByBorrowing(entries);
    }

    /** Null = everybody had a turn. */
    @Nullable Entry next();

    /** What is charged to this queue changed since the last turn. */
    void moved(int queue);

    /** Who would borrow from less far away first, then as in a queue. What is charged meanwhile does not matter. */
    final class ByBorrowing implements Turns {
        private static final Comparator<Entry> ORDER = Comparator.comparingInt(
                        (Entry entry) -> entry.nomination.borrowing())
                .thenComparing(entry -> entry.head, QueueOrder.IN_QUEUE);

        private final Deque<Entry> left;

        ByBorrowing(List<Entry> entries) {
            List<Entry> sorted = new ArrayList<>(entries);
            sorted.sort(ORDER);
            left = new ArrayDeque<>(sorted);
        }

        @Override
        public @Nullable Entry next() {
            return left.poll();
        }

        @Override
        public void moved(int queue) {}
    }
}
