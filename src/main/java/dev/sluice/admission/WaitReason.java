package dev.sluice.admission;

import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Why a workload waits: one typed reason with its numbers. Text is made at the edge. Amounts are milli-units for cpu and
 * whole units otherwise.
 */
public sealed interface WaitReason {
    /** Upper-case code that REST carries. */
    String code();

    /** Whether nothing but a change of configuration or capacity can make it start. */
    default boolean isNever() {
        return false;
    }

    /**
     * @param available what its queue can still get of this flavor, borrowing included
     * @param shortBy what is missing, at least 1
     */
    record QuotaExhausted(String resource, String flavor, long requested, long available, long shortBy)
            implements WaitReason {
        @Override
        public String code() {
            return "QUOTA_EXHAUSTED";
        }
    }

    /** @param largestPossible what the queue could reach if nothing ran anywhere in its tree */
    record ExceedsMaximum(String resource, String flavor, long requested, long largestPossible) implements WaitReason {
        @Override
        public String code() {
            return "EXCEEDS_MAXIMUM";
        }

        @Override
        public boolean isNever() {
            return true;
        }
    }

    /** @param mismatches one per flavor that was tried: what of it the pods do not match or tolerate */
    record NoMatchingFlavor(String resource, List<Mismatch> mismatches) implements WaitReason {
        public NoMatchingFlavor {
            mismatches = List.copyOf(mismatches);
        }

        @Override
        public String code() {
            return "NO_MATCHING_FLAVOR";
        }

        @Override
        public boolean isNever() {
            return true;
        }
    }

    record Mismatch(String flavor, String what) {}

    /** The queue has no line for the resource at all. */
    record ResourceNotCovered(String resource, String clusterQueue, long requested) implements WaitReason {
        @Override
        public String code() {
            return "RESOURCE_NOT_COVERED";
        }

        @Override
        public boolean isNever() {
            return true;
        }
    }

    /** Quota would allow it, the usable devices cannot hold it. */
    record NotPlaceable(String resource, String flavor, long requested, long usable) implements WaitReason {
        @Override
        public String code() {
            return "NOT_PLACEABLE";
        }
    }

    /**
     * It has an earmark and starts when these are gone.
     *
     * @param stuck those of them that should have ended by now, and when they were told to leave
     */
    record AwaitingVictims(List<WorkloadId> victims, SortedMap<WorkloadId, Instant> stuck) implements WaitReason {
        public AwaitingVictims {
            victims = List.copyOf(victims);
            stuck = Collections.unmodifiableSortedMap(new TreeMap<>(stuck));
        }

        public AwaitingVictims(List<WorkloadId> victims) {
            this(victims, Collections.emptySortedMap());
        }

        /** The one that was told to leave first; empty = none is stuck. */
        public Optional<WorkloadId> longestStuck() {
            return stuck.entrySet().stream().min(Map.Entry.comparingByValue()).map(Map.Entry::getKey);
        }

        @Override
        public String code() {
            return "AWAITING_VICTIMS";
        }
    }

    /** The head of its strict queue waits, and nobody may pass it. */
    record BlockedByEarlier(WorkloadId ahead, WaitReason aheadWaitsFor) implements WaitReason {
        @Override
        public String code() {
            return "BLOCKED_BY_EARLIER";
        }
    }

    /** @param localQueue null = the ClusterQueue itself is stopped */
    record QueueStopped(String clusterQueue, @Nullable String localQueue) implements WaitReason {
        @Override
        public String code() {
            return "QUEUE_STOPPED";
        }
    }

    /** The LocalQueue, its ClusterQueue or a flavor that it names does not exist (any more), or its cohorts form a cycle. */
    record QueueInactive(String queue, String why) implements WaitReason {
        @Override
        public String code() {
            return "QUEUE_INACTIVE";
        }
    }

    record NamespaceNotAllowed(String namespace, String clusterQueue) implements WaitReason {
        @Override
        public String code() {
            return "NAMESPACE_NOT_ALLOWED";
        }
    }

    /** @param why its last start failed; null = it was evicted for another reason */
    record BackingOff(
            Instant until, int evictionCount, @Nullable String why) implements WaitReason {
        @Override
        public String code() {
            return "BACKING_OFF";
        }
    }

    /**
     * It is INACTIVE.
     *
     * @param why it was given up; null = somebody deactivated it
     */
    record Deactivated(@Nullable String why) implements WaitReason {
        @Override
        public String code() {
            return "DEACTIVATED";
        }
    }

    /** It has its quota and starts when these say so. */
    record AwaitingChecks(SortedMap<String, String> messages) implements WaitReason {
        public AwaitingChecks {
            messages = Collections.unmodifiableSortedMap(new TreeMap<>(messages));
        }

        @Override
        public String code() {
            return "AWAITING_CHECKS";
        }
    }

    /** It arrived after the last decision. */
    record NotYetConsidered() implements WaitReason {
        @Override
        public String code() {
            return "NOT_YET_CONSIDERED";
        }
    }
}
