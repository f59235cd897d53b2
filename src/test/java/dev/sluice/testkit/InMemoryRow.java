package dev.sluice.testkit;

import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.LocalQueue;
import dev.sluice.scheduling.Batch.WorkloadChange;
import dev.sluice.scheduling.SchedulingStore.StoredWorkload;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A workload as the in-memory store keeps it. */
final class InMemoryRow {
    Workload workload;
    final @Nullable String manifest;
    WorkloadStatus status;
    long fence;

    @Nullable String jobUid;

    @Nullable Instant startedAt;

    @Nullable Instant finishedAt;

    @Nullable String failure;

    InMemoryRow(Workload workload, @Nullable String manifest, Configuration configuration) {
        this.workload = workload;
        this.manifest = manifest;
        LocalQueue queue = configuration.localQueues().get(LocalQueue.key(workload.namespace(), workload.localQueue()));
        this.status = new WorkloadStatus(
                WorkloadState.PENDING,
                workload.localQueue(),
                queue == null ? null : queue.clusterQueue(),
                workload.priorityClass(),
                workload.priority(),
                true,
                workload.createdAt(),
                null,
                null,
                0,
                false,
                List.of(),
                null,
                0,
                null,
                null);
    }

    /** Every step must be legal, as the trigger has it in the database. */
    void check(WorkloadChange change) {
        WorkloadState state = status.state();
        for (WorkloadState next : change.path()) {
            if (next != state && !state.canBecome(next)) {
                throw new IllegalStateException(
                        "workload " + workload.id() + " cannot become " + next + " from " + state);
            }
            state = next;
        }
        if (state != change.status().state()) {
            throw new IllegalStateException("workload " + workload.id() + " is "
                    + change.status().state() + " at the end of a path that ends in " + state);
        }
    }

    void take(WorkloadChange change) {
        status = change.status();
        workload = status.particulars().asksNow(workload);
        fence = change.fence();
        jobUid = change.jobUid();
        startedAt = change.startedAt();
        finishedAt = change.finishedAt();
        failure = change.failure();
    }

    StoredWorkload stored() {
        return new StoredWorkload(workload, status, fence, jobUid, manifest, startedAt);
    }
}
