package dev.sluice.admission;

import dev.sluice.quota.Share;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Who uses what at this moment, per ClusterQueue and line. Amounts are milli-units for cpu and whole units otherwise.
 *
 * @param queues by ClusterQueue name
 * @param fairShares null = fair sharing is off
 */
public record QuotaUsage(
        SortedMap<String, Queue> queues, @Nullable FairShares fairShares) {
    public QuotaUsage {
        queues = Collections.unmodifiableSortedMap(new TreeMap<>(queues));
    }

    /** Without fair sharing. */
    public QuotaUsage(SortedMap<String, Queue> queues) {
        this(queues, null);
    }

    /** What each ClusterQueue and each Cohort, by name, borrows of what can be borrowed. */
    public record FairShares(SortedMap<String, Share> queues, SortedMap<String, Share> cohorts) {
        public FairShares {
            queues = Collections.unmodifiableSortedMap(new TreeMap<>(queues));
            cohorts = Collections.unmodifiableSortedMap(new TreeMap<>(cohorts));
        }
    }

    /**
     * @param admitted those that hold quota; of those that leave only such as are waited for no longer
     * @param stuck those that should have ended long since they were told to leave
     * @param inactiveBecause null = active
     */
    public record Queue(
            List<Line> lines,
            int pending,
            int admitted,
            int stuck,
            @Nullable String inactiveBecause) {
        public Queue {
            lines = List.copyOf(lines);
        }
    }

    /**
     * @param used charged now, earmarks included
     * @param earmarked the part of {@code used} that is set aside for preemptors
     * @param borrowed the part of {@code used} that is not the queue's own; 0 for a queue without a cohort
     * @param lent what of the queue's nominal others use now
     * @param overcommitted used above what the queue may ever use as configured now
     * @param available what it can still get, borrowing included, at least 0
     * @param potential what it could use if nothing ran anywhere in its tree
     * @param pending what its waiting workloads ask for
     */
    public record Line(
            String flavor,
            String resource,
            long nominal,
            long used,
            long earmarked,
            long borrowed,
            long lent,
            long overcommitted,
            long available,
            long potential,
            long pending) {}
}
