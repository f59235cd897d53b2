package dev.sluice.admission;

import dev.sluice.quota.Configuration;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.PodSetUpdate;
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
 * Everything that can change what the engine decides, besides time. Every event is in the committed log, so that replaying
 * the log reproduces the decisions.
 */
public sealed interface EngineEvent {
    /** Quotas, queues, flavors or classes changed; running work stays and what waits is looked at again. */
    record ConfigurationReplaced(Configuration configuration) implements EngineEvent {}

    /** Nodes or devices came, went, or were tainted. */
    record CapacityChanged(UsableCapacity capacity) implements EngineEvent {}

    /** Namespaces came, went, or carry other labels: all that are known now, each with its labels. */
    record NamespacesChanged(SortedMap<String, SortedMap<String, String>> labels) implements EngineEvent {
        public NamespacesChanged {
            SortedMap<String, SortedMap<String, String>> copy = new TreeMap<>();
            labels.forEach((namespace, carried) ->
                    copy.put(namespace, Collections.unmodifiableSortedMap(new TreeMap<>(carried))));
            labels = Collections.unmodifiableSortedMap(copy);
        }
    }

    /** A new workload stands in its queue from {@code queuedAt} on. */
    record WorkloadQueued(Workload workload, Instant queuedAt) implements EngineEvent {}

    /** A workload as the store holds it, at a start. Says nothing new: it restores what was decided before. */
    record WorkloadRestored(Workload workload, WorkloadStatus status) implements EngineEvent {}

    /** What a LocalQueue used of late as the store holds it, at a start. Says nothing new; comes before the workloads. */
    record UsageRestored(LocalQueueUsage usage) implements EngineEvent {}

    /**
     * A leader restored the engine from the store, to decide by these settings from now on. What is remembered between instants for
     * speed alone (who is parked) is gone: everything that waits is looked at again. In the log, so that a replay forgets at the
     * same place, and changes its policies where the leader's changed.
     */
    record EngineRestarted(AdmissionSettings settings) implements EngineEvent {}

    /** It ran longer than it may: it is evicted and deactivated. */
    record MaxDurationExceeded(WorkloadId workload) implements EngineEvent {}

    /** All its pods are ready. */
    record PodsReady(WorkloadId workload) implements EngineEvent {}

    /**
     * Somebody looked at its pods just now, and not all are ready. Counts for nothing before their time is over ({@link
     * StartRetries#readyTimeout}); after it, the workload leaves.
     */
    record PodsNotReady(WorkloadId workload) implements EngineEvent {}

    /**
     * Of a job with several pods, some are done and hold nothing any more, or run again after the job began anew.
     *
     * @param reclaimable pods that are done, by pod set; a pod set that is not named has none
     */
    record PodsReclaimable(WorkloadId workload, SortedMap<String, Integer> reclaimable) implements EngineEvent {
        public PodsReclaimable {
            reclaimable = Collections.unmodifiableSortedMap(new TreeMap<>(reclaimable));
        }
    }

    /**
     * Its work is saved: an eviction loses only what comes after.
     *
     * @param at up to when; null = up to now, as what is still to come
     */
    record CheckpointReached(WorkloadId workload, @Nullable Instant at) implements EngineEvent {
        /** All its work up to now. */
        public CheckpointReached(WorkloadId workload) {
            this(workload, null);
        }
    }

    /** The cluster let none of its pods start this time, for a reason that may pass; it holds no device. */
    record StartRejected(WorkloadId workload, String reason) implements EngineEvent {}

    /**
     * Whoever does an admission check says how it stands.
     *
     * @param retryAfter of a {@code RETRY}: how long until the next try; null = by the number of tries
     * @param podSetUpdates of a {@code READY}: what is added to the pods when they are let go. Of one that was let go already they
     *     change nothing
     */
    record CheckChanged(
            WorkloadId workload,
            String check,
            CheckStatus.State state,
            String message,
            @Nullable Duration retryAfter,
            List<PodSetUpdate> podSetUpdates)
            implements EngineEvent {
        public CheckChanged {
            podSetUpdates = List.copyOf(podSetUpdates);
        }

        public CheckChanged(
                WorkloadId workload,
                String check,
                CheckStatus.State state,
                String message,
                @Nullable Duration retryAfter) {
            this(workload, check, state, message, retryAfter, List.of());
        }
    }

    /** It ended by itself and holds no device any more. */
    record WorkloadFinished(WorkloadId workload, boolean succeeded) implements EngineEvent {}

    /** An evicted workload's pods are gone: its charge ends. */
    record PodsGone(WorkloadId workload) implements EngineEvent {}

    /** The cluster refuses to run it, for good; it holds no device. */
    record WorkloadRefused(WorkloadId workload, String reason) implements EngineEvent {}

    record CancelRequested(WorkloadId workload) implements EngineEvent {}

    /** @param priorityClass null = none, priority 0 */
    record PriorityChanged(WorkloadId workload, @Nullable String priorityClass, int priority) implements EngineEvent {}

    /** Only what holds no quota can move; the engine ignores it otherwise (the command is refused before). */
    record QueueChanged(WorkloadId workload, String localQueue) implements EngineEvent {}

    /**
     * Its author asks for something else. What it only reserved it gives back. If it holds quota to run by, it leaves: what it was given
     * is not what it would take. Of one that leaves already, it counts from when it waits again.
     */
    record PodSetsChanged(WorkloadId workload, List<PodSet> podSets) implements EngineEvent {
        public PodSetsChanged {
            podSets = List.copyOf(podSets);
        }
    }

    /**
     * It runs with fewer pods from now on than it was admitted with, and the others are gone. It will not run with more without being
     * admitted anew.
     *
     * @param counts pods that are left, by pod set; a pod set that is not named keeps its own
     */
    record PodsScaledDown(WorkloadId workload, SortedMap<String, Integer> counts) implements EngineEvent {
        public PodsScaledDown {
            counts = Collections.unmodifiableSortedMap(new TreeMap<>(counts));
        }
    }

    /** Not active: evicted if it holds quota, and not considered until active again. */
    record ActivationChanged(WorkloadId workload, boolean active) implements EngineEvent {}
}
