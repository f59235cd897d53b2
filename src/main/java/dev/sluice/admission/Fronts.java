package dev.sluice.admission;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * When whoever stands first in a best-effort queue of a tree has waited for so long that it is looked at before those behind it
 * ({@link OrderKeeping#guardAfter}).
 */
final class Fronts {
    private final AdmissionSettings settings;
    private Set<QueueState> changed = new LinkedHashSet<>();
    /** Whose front has a time that has not come, or has come and is not known to keep its order. */
    private final Map<QueueState, Instant> known = new HashMap<>();

    private final NavigableMap<Instant, Set<QueueState>> byTime = new TreeMap<>();

    Fronts(AdmissionSettings settings) {
        this.settings = settings;
    }

    /** Another may stand first, or the one that does keeps its order no longer. */
    void note(QueueState queue) {
        changed.add(queue);
    }

    /** Those whose time has come are looked at; not again, as long as they are known to keep their order. */
    void wake(Instant now) {
        refresh();
        List<QueueState> due = new ArrayList<>();
        byTime.headMap(now, true).values().forEach(due::addAll);
        for (QueueState queue : due) {
            Lane front = queue.front();
            if (front == null || front.equals(queue.guard())) {
                forget(queue);
            } else {
                queue.wake(front);
            }
        }
    }

    /** When the next one's time comes; null = nobody's does. */
    @Nullable Instant nextAfter(Instant now) {
        refresh();
        return byTime.higherKey(now);
    }

    private void refresh() {
        if (changed.isEmpty()) {
            return;
        }
        for (QueueState queue : changed) {
            Lane front = queue.isStrict() ? null : queue.front();
            Instant from =
                    front == null || front.equals(queue.guard()) ? null : Keepers.guardedFrom(front.head(), settings);
            if (!Objects.equals(known.get(queue), from)) {
                forget(queue);
                if (from != null) {
                    known.put(queue, from);
                    byTime.computeIfAbsent(from, time -> new LinkedHashSet<>()).add(queue);
                }
            }
        }
        // To clear one that was large once costs as much as it could hold, with every event.
        changed = new LinkedHashSet<>();
    }

    private void forget(QueueState queue) {
        Instant from = known.remove(queue);
        Set<QueueState> then = from == null ? null : byTime.get(from);
        if (from != null && then != null) {
            then.remove(queue);
            if (then.isEmpty()) {
                byTime.remove(from);
            }
        }
    }
}
