package dev.sluice.scheduling;

import dev.sluice.admission.Decision;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.LocalQueueUsage;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One instant of the leader, to be committed whole or not at all.
 *
 * @param number position of the batch in the log, one more than the last
 * @param at engine time of the instant, in whole microseconds, as every time that is stored
 * @param configurationVersion on which it was computed
 * @param entries what goes into the event log, in order
 * @param changes the workloads' rows as they are after the instant, each workload once
 * @param outcomes of the commands that this batch processed; they leave the intake table
 * @param usages what LocalQueues used of late, each once; nothing consumed = it is forgotten
 */
public record Batch(
        long number,
        Instant at,
        long configurationVersion,
        List<Entry> entries,
        List<WorkloadChange> changes,
        List<Eviction> evictions,
        List<CommandOutcome> outcomes,
        List<LocalQueueUsage> usages) {
    public Batch {
        entries = List.copyOf(entries);
        changes = List.copyOf(changes);
        evictions = List.copyOf(evictions);
        outcomes = List.copyOf(outcomes);
        usages = List.copyOf(usages);
    }

    /** In which nothing is written down of what LocalQueues used. */
    public Batch(
            long number,
            Instant at,
            long configurationVersion,
            List<Entry> entries,
            List<WorkloadChange> changes,
            List<Eviction> evictions,
            List<CommandOutcome> outcomes) {
        this(number, at, configurationVersion, entries, changes, evictions, outcomes, List.of());
    }

    /** One line of the event log. Positions are given by the writer: contiguous, in order. */
    public sealed interface Entry {
        long position();

        record Input(long position, EngineEvent event) implements Entry {}

        record Decided(long position, Decision decision) implements Entry {}
    }

    /**
     * @param path every state that it passed in this instant, in order, the last is {@code status.state()}; empty = the state
     *     did not change
     * @param fence token that a release must carry to take effect
     * @param failure why it FAILED or was refused; null = not
     */
    public record WorkloadChange(
            WorkloadId workload,
            List<WorkloadState> path,
            WorkloadStatus status,
            long fence,
            @Nullable String jobUid,
            @Nullable Instant startedAt,
            @Nullable Instant finishedAt,
            @Nullable String failure) {
        public WorkloadChange {
            path = List.copyOf(path);
        }
    }

    /**
     * @param preemptor null = not a preemption
     * @param cohort the lowest above both queues; null = they are one, or it is no preemption
     */
    public record Eviction(
            WorkloadId victim,
            String reason,
            @Nullable WorkloadId preemptor,
            @Nullable String preemptorQueue,
            String victimQueue,
            @Nullable String cohort,
            Instant at) {}
}
