package dev.sluice.scheduling;

import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A checked wish to run something, before the store gives it a sequence and a time.
 *
 * @param id made by whoever took it in; unique
 * @param manifest the Kubernetes manifest as submitted (JSON), from which its Job is created; null = native JSON
 * @param caller who asks; idempotency keys are scoped to it
 * @param idempotencyKey null = none
 * @param bodyHash SHA-256 of the body, hexadecimal; a repeat of the key with another hash is refused
 */
public record Submission(
        WorkloadId id,
        String name,
        String namespace,
        String localQueue,
        @Nullable String priorityClass,
        int priority,
        List<PodSet> podSets,
        @Nullable Duration expectedDuration,
        @Nullable Duration maxDuration,
        @Nullable String manifest,
        String caller,
        @Nullable String idempotencyKey,
        String bodyHash) {
    public Submission {
        podSets = List.copyOf(podSets);
    }
}
