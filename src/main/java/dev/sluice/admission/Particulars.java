package dev.sluice.admission;

import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
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
 * @param waitingSince since when it waits again after an eviction; null = since it was queued
 * @param checkpointAt when it last told, in its present run, that its work is saved; null = never
 * @param lostTime how long it held quota, over all its runs, for work that an eviction lost
 * @param preemptedBy queue for which it was last preempted; null = never
 * @param preemptedInARow how often without another queue's preemptions between
 * @param failedStarts how often in a row its pods did not start
 * @param failedStart why the last time; null = they did not fail
 * @param stopsAt when it is evicted unless its queue's quota covers it again; null = it is covered, or may stay
 * @param leavingSince when it was told to leave; null = it was not, or nobody is told when that takes long
 * @param stuck whether it left for longer than it should already, and somebody was told
 * @param checks the admission checks of its present or last reservation; empty = none was asked for
 * @param checkedAt when the last of those checks became ready, which is when it was admitted; null = it awaited none
 * @param preemptors who preempted it, as far as the brake of fair sharing must know
 * @param preemptedUnder version of the configuration under which they did; under another they do not count. 0 = nobody did
 * @param podSets what it asks for since its author changed that; empty = as it was submitted
 */
public record Particulars(
        SortedMap<String, Integer> reclaimablePods,
        SortedMap<String, Integer> activePods,
        @Nullable Instant waitingSince,
        @Nullable Instant checkpointAt,
        Duration lostTime,
        @Nullable String preemptedBy,
        int preemptedInARow,
        int failedStarts,
        @Nullable String failedStart,
        @Nullable Instant stopsAt,
        @Nullable Instant leavingSince,
        boolean stuck,
        SortedMap<String, CheckStatus> checks,
        @Nullable Instant checkedAt,
        List<WorkloadId> preemptors,
        long preemptedUnder,
        List<PodSet> podSets) {
    public static final Particulars NONE = new Particulars(
            Collections.emptySortedMap(),
            Collections.emptySortedMap(),
            null,
            null,
            Duration.ZERO,
            null,
            0,
            0,
            null,
            null,
            null,
            false,
            Collections.emptySortedMap(),
            null,
            List.of(),
            0,
            List.of());

    public Particulars {
        preemptors = copy(preemptors);
        podSets = copy(podSets);
        reclaimablePods = copy(reclaimablePods);
        activePods = copy(activePods);
        checks = copy(checks);
    }

    /** Null = stored before there was any. */
    private static <V> SortedMap<String, V> copy(@Nullable SortedMap<String, V> map) {
        return map == null || map.isEmpty()
                ? Collections.emptySortedMap()
                : Collections.unmodifiableSortedMap(new TreeMap<>(map));
    }

    private static <T> List<T> copy(@Nullable List<T> list) {
        return list == null ? List.of() : List.copyOf(list);
    }

    /** The workload as it stands after what its author changed. */
    public Workload asksNow(Workload submitted) {
        return podSets.isEmpty() ? submitted : submitted.asking(podSets);
    }

    public boolean isEmpty() {
        return equals(NONE);
    }
}
