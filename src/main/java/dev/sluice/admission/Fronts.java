package dev.sluice.admission;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * When whoever stands first in a best-effort queue of a tree has waited for so long that it is looked at before those behind it
 * ({@link OrderKeeping#guardAfter}).
 */
final class Fronts {
    private final AdmissionSettings settings;
    private Set<QueueState> changed = new LinkedHashSet<>();
    private final Map<QueueState, Guard> known = new HashMap<>();
    private final SortedSet<Guard> earliestFirst = new TreeSet<>(Comparator.comparing(Guard::from)
            .thenComparingInt(guard -> guard.queue().node()));

    private record Guard(Instant from, QueueState queue) {}

    Fronts(AdmissionSettings settings) {
        this.settings = settings;
    }

    /** Another may stand first. */
    void note(QueueState queue) {
        changed.add(queue);
    }

    /** Those whose time has come are looked at. */
    void wake(Instant now) {
        refresh();
        List<QueueState> due = new ArrayList<>();
        for (Guard guard : earliestFirst) {
            if (guard.from().isAfter(now)) {
                break;
            }
            due.add(guard.queue());
        }
        for (QueueState queue : due) {
            Lane front = queue.front();
            if (front != null && !front.equals(queue.guard())) {
                queue.wake(front);
            }
        }
    }

    /** When the next one's time comes; null = nobody's does. */
    @Nullable Instant nextAfter(Instant now) {
        refresh();
        for (Guard guard : earliestFirst) {
            if (guard.from().isAfter(now)) {
                return guard.from();
            }
        }
        return null;
    }

    private void refresh() {
        if (changed.isEmpty()) {
            return;
        }
        for (QueueState queue : changed) {
            Lane front = queue.isStrict() ? null : queue.front();
            Instant from = front == null ? null : Keepers.guardedFrom(front.head(), settings);
            Guard before = known.get(queue);
            if (before != null && before.from().equals(from)) {
                continue;
            }
            if (before != null) {
                known.remove(queue);
                earliestFirst.remove(before);
            }
            if (from != null) {
                Guard guard = new Guard(from, queue);
                known.put(queue, guard);
                earliestFirst.add(guard);
            }
        }
        // To clear one that was large once costs as much as it could hold, with every event.
        changed = new LinkedHashSet<>();
    }
}
