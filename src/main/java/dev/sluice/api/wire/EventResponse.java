package dev.sluice.api.wire;

import dev.sluice.overview.WorkloadReader.LoggedEvent;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One entry of the committed log.
 *
 * @param position grows without gaps in the order of commits
 * @param workload id; null = it is about no single workload
 * @param body what the kind says, with its version as {@code v}
 */
public record EventResponse(
        long position, Instant at, String kind, @Nullable String workload, Map<String, Object> body) {
    public static EventResponse of(LoggedEvent event) {
        return new EventResponse(
                event.position(),
                event.at(),
                event.kind(),
                event.workload() == null ? null : event.workload().value(),
                event.body());
    }
}
