package dev.sluice.api.wire;

import dev.sluice.overview.EvictionRow;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One recorded eviction.
 *
 * @param reason Kueue's word, such as {@code InCohortReclamation}
 * @param preemptor null = nobody took its place
 */
public record EvictionShape(
        long id, Side victim, String reason, @Nullable Side preemptor, Instant at) {
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
                row.at());
    }
}
