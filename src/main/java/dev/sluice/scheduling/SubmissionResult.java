package dev.sluice.scheduling;

import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;

/** What became of one submission, after the commit. */
public sealed interface SubmissionResult {
    /** Stored now. {@code commandId} is the command that carries it to the leader. */
    record Accepted(Workload workload, long commandId) implements SubmissionResult {}

    /** The key was seen with the same body: this is the workload that it made. */
    record AlreadySubmitted(WorkloadId existing) implements SubmissionResult {}

    /** The key was seen with another body. */
    record KeyReused(String idempotencyKey) implements SubmissionResult {}

    /** A workload of this namespace has the name and has not ended. */
    record NameTaken(WorkloadId holder) implements SubmissionResult {}
}
