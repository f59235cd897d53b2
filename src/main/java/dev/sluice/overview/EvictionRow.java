package dev.sluice.overview;

import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One eviction as recorded.
 *
 * @param id grows with time; the key for paging
 * @param reason Kueue's word, such as {@code InCohortReclamation}
 * @param preemptor null = not a preemption
 * @param cohort the lowest above both queues, the level in the tree at which the preemptor had its right; null = they are one
 *     queue, or it is no preemption
 */
public record EvictionRow(
        long id,
        WorkloadId victim,
        String victimName,
        String victimNamespace,
        String victimQueue,
        String reason,
        @Nullable WorkloadId preemptor,
        @Nullable String preemptorName,
        @Nullable String preemptorNamespace,
        @Nullable String preemptorQueue,
        @Nullable String cohort,
        Instant at) {}
