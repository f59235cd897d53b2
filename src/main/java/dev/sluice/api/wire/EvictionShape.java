package dev.sluice.api.wire;

import dev.sluice.overview.EvictionRow;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One recorded eviction.
 *
 * @param reason Kueue's word, such as {@code InCohortReclamation}
 * @param preemptor null = nobody took its place
 * @param cohort level in the tree at which the preemptor had its right: the lowest cohort above both queues; null = they are one
 *     queue
 */
public record EvictionShape(
        long id,
        Side victim,
        String reason,
        @Nullable Side preemptor,
        @Nullable String cohort,
        Instant at) {
    public record Side(
            String id,
            @Nullable String name,
            @Nullable String namespace,
            @Nullable String clusterQueue) {}

    public static EvictionShape of(EvictionRow row) {
        return new EvictionShape(
                row.id(),
                new Side(row.victim().value(), row.victimName(), row.victimNamespace(), row.victimQueue()),
                row.reason(),
                row.preemptor() == null
                        ? null
                        : new Side(
                                row.preemptor().value(),
                                row.preemptorName(),
                                row.preemptorNamespace(),
                                row.preemptorQueue()),
                row.cohort(),
                row.at());
    }
}
