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
        Instant at) {}
