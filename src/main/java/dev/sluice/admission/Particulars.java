package dev.sluice.admission;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered of a workload because of what it went through: most workloads have none of it. Kept with the workload
 * wherever it stands, so that a restored engine decides like the one that wrote it down.
 *
 * @param reclaimablePods pods that have succeeded and hold nothing any more, by pod set, as last told (Kueue's
 *     {@code status.reclaimablePods}); a pod set that is not named has none
 * @param activePods pods that the charge counts, by pod set, where that is not the number admitted; empty without an assignment
 */
public record Particulars(SortedMap<String, Integer> reclaimablePods, SortedMap<String, Integer> activePods) {
    public static final Particulars NONE = new Particulars(new TreeMap<>(), new TreeMap<>());

    public Particulars {
        reclaimablePods = copy(reclaimablePods);
        activePods = copy(activePods);
    }

    /** What an older form of the record lacks comes as null. */
    private static SortedMap<String, Integer> copy(@Nullable SortedMap<String, Integer> map) {
        return map == null || map.isEmpty()
                ? Collections.emptySortedMap()
                : Collections.unmodifiableSortedMap(new TreeMap<>(map));
    }

    public boolean isEmpty() {
        return equals(NONE);
    }
}
