package dev.sluice.admission;

import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the engine knows of one workload beyond its submission: enough to restore the engine after a start.
 *
 * @param clusterQueue the queue that it stands in or is charged to; null = its LocalQueue leads nowhere now
 * @param queuedAt its place in line among equal priorities
 * @param assignment what it holds or, while it waits for its victims, will hold; null = nothing
 * @param admittedAt when the assignment was decided (also while earmarked); null = no assignment
 * @param admissionSequence order of admissions, later first among victims; 0 = never admitted
 * @param charged whether its assignment counts as used; outlives the state until its pods are gone
 * @param awaitedVictims whom its earmark waits for; empty = no earmark
 * @param afterEviction where an evicting workload goes once its pods are gone; null = not evicting
 * @param evictionCount how often it was evicted
 * @param requeueAt not considered before; null = at once
 * @param scanMemory how far its flavor scan got, opaque text of the engine's own; null = nothing remembered
 * @param particulars what it went through
 */
public record WorkloadStatus(
        WorkloadState state,
        String localQueue,
        @Nullable String clusterQueue,
        @Nullable String priorityClass,
        int priority,
        boolean active,
        Instant queuedAt,
        @Nullable Assignment assignment,
        @Nullable Instant admittedAt,
        long admissionSequence,
        boolean charged,
        List<WorkloadId> awaitedVictims,
        @Nullable WorkloadState afterEviction,
        int evictionCount,
        @Nullable Instant requeueAt,
        @Nullable String scanMemory,
        Particulars particulars) {
    public WorkloadStatus {
        awaitedVictims = List.copyOf(awaitedVictims);
    }

    /** Of a workload with nothing particular about it. */
    public WorkloadStatus(
            WorkloadState state,
            String localQueue,
            @Nullable String clusterQueue,
            @Nullable String priorityClass,
            int priority,
            boolean active,
            Instant queuedAt,
            @Nullable Assignment assignment,
            @Nullable Instant admittedAt,
            long admissionSequence,
            boolean charged,
            List<WorkloadId> awaitedVictims,
            @Nullable WorkloadState afterEviction,
            int evictionCount,
            @Nullable Instant requeueAt,
            @Nullable String scanMemory) {
        this(
                state,
                localQueue,
                clusterQueue,
                priorityClass,
                priority,
                active,
                queuedAt,
                assignment,
                admittedAt,
                admissionSequence,
                charged,
                awaitedVictims,
                afterEviction,
                evictionCount,
                requeueAt,
                scanMemory,
                Particulars.NONE);
    }

    /** As it is remembered after its end: what it last held, charged no more. */
    public WorkloadStatus ended(WorkloadState end) {
        return new WorkloadStatus(
                end,
                localQueue,
                clusterQueue,
                priorityClass,
                priority,
                active,
                queuedAt,
                assignment,
                admittedAt,
                admissionSequence,
                false,
                List.of(),
                null,
                evictionCount,
                null,
                null,
                particulars);
    }
}
