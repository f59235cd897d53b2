package dev.sluice.admission;

import dev.sluice.quota.Amounts;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** How much of each line of a queue is held by those of low priority: what the queue could get back from its own. */
final class HeldByPriority {
    /** Per line that any holder is charged to, now or before: by priority, what those of it hold. */
    private final SortedMap<Integer, SortedMap<Integer, Long>> held = new TreeMap<>();

    HeldByPriority(List<TrackedWorkload> holders) {
        holders.forEach(this::add);
    }

    void add(TrackedWorkload holder) {
        Charge charge = holder.chargeOrThrow();
        for (int index = 0; index < charge.lines().length; index++) {
            of(charge.lines()[index]).merge(holder.priority, charge.amounts()[index], Amounts::plus);
        }
    }

    /** Returns false if from now on all must be counted anew: of an amount without limit nobody knows what is left. */
    boolean remove(TrackedWorkload holder) {
        Charge charge = holder.chargeOrThrow();
        boolean known = true;
        for (int index = 0; index < charge.lines().length; index++) {
            SortedMap<Integer, Long> ofLine = of(charge.lines()[index]);
            long before = ofLine.getOrDefault(holder.priority, 0L);
            known &= before != Amounts.UNLIMITED;
            ofLine.put(holder.priority, before - charge.amounts()[index]);
        }
        return known;
    }

    private SortedMap<Integer, Long> of(int line) {
        return held.computeIfAbsent(line, added -> new TreeMap<>());
    }

    /** Ascending. */
    Iterable<Integer> lines() {
        return held.keySet();
    }

    /** @param most the highest priority that counts */
    long upTo(int most, int line) {
        long sum = 0;
        for (Map.Entry<Integer, Long> each :
                held.getOrDefault(line, Collections.emptySortedMap()).entrySet()) {
            if (each.getKey() > most) {
                break;
            }
            sum = Amounts.plus(sum, each.getValue());
        }
        return sum;
    }
}
