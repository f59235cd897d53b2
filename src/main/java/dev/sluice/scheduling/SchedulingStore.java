package dev.sluice.scheduling;

import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.LocalQueueUsage;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.LeadershipStore.Leadership;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** What the leader reads at a start and writes at every instant. */
public interface SchedulingStore {
    /** Everything the engine needs, of one consistent moment. */
    Snapshot load();

    /** The database's clock. */
    Instant now();

    /** Committed commands that wait, oldest id first, without those in {@code known}; {@link Command.Unreadable} if a row makes no sense. */
    List<QueuedCommand> commands(Set<Long> known, int limit);

    /** What the last leader that saw the cluster saw of it, by the event log; null = the log does not tell of either part. */
    @Nullable LastSeen lastSeen();

    /**
     * @param capacity what its nodes could hold
     * @param namespaces with their labels
     */
    record LastSeen(UsableCapacity capacity, SortedMap<String, SortedMap<String, String>> namespaces) {}

    /** The configuration now in force. */
    Configuration configuration();

    /** Its version alone; cheap enough to ask several times a second. */
    long configurationVersion();

    /**
     * Writes the batch in one transaction that first locks the leadership row and checks its epoch, then the configuration
     * version; extends the leadership by {@code timeToLive}. Returns the database's clock.
     *
     * @throws Deposed if {@code leadership} no longer leads
     * @throws ConfigurationMoved if the configuration version is another
     * @throws StoreUnavailable if the database failed; the batch may or may not be written
     */
    Instant commit(Leadership leadership, Batch batch, java.time.Duration timeToLive);

    /** Extends the leadership when there is nothing to commit. Same errors as {@link #commit}. Returns the clock. */
    Instant renew(Leadership leadership, java.time.Duration timeToLive);

    /**
     * @param configuration now in force
     * @param decidedOn the one that the last batch was computed on: what is restored was decided under it, and an edit made since,
     *     while nobody led, has yet to have its effect
     * @param batchNumber of the last committed batch; 0 = none
     * @param logPosition of the last log entry; 0 = none
     * @param lastDecidedAt engine time of the last batch; null = none
     * @param workloads every one that is not at its end or still charged, by sequence
     * @param unreadable those among them whose rows make no sense; nothing is known of what they hold
     * @param usages what LocalQueues used of late
     */
    record Snapshot(
            Configuration configuration,
            Configuration decidedOn,
            long batchNumber,
            long logPosition,
            @Nullable Instant lastDecidedAt,
            List<StoredWorkload> workloads,
            List<UnreadableWorkload> unreadable,
            List<LocalQueueUsage> usages) {
        public Snapshot {
            workloads = List.copyOf(workloads);
            unreadable = List.copyOf(unreadable);
            usages = List.copyOf(usages);
        }

        /** Leads a fresh engine to where the last batch left the leader's. */
        public void restore(Engine engine, Instant at) {
            engine.apply(new EngineEvent.ConfigurationReplaced(decidedOn), at);
            usages.forEach(usage -> engine.apply(new EngineEvent.UsageRestored(usage), at));
            for (StoredWorkload stored : workloads) {
                engine.apply(new EngineEvent.WorkloadRestored(stored.workload(), stored.status()), at);
            }
        }
    }

    /** A row that was damaged, or written by a later version. It stays as it is, and whoever asks about it is told why. */
    record UnreadableWorkload(WorkloadId workload, String why) {}

    /** @param manifest as in {@link Submission}; null = native */
    record StoredWorkload(
            Workload workload,
            WorkloadStatus status,
            long fence,
            @Nullable String jobUid,
            @Nullable String manifest,
            @Nullable Instant startedAt) {}
}
