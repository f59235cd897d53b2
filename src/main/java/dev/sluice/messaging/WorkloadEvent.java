package dev.sluice.messaging;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One fact, flat and versioned, without types of the core. Consumers drop repeats by {@code position}.
 *
 * @param schema version of this record
 * @param workload null = not about one workload
 */
public record WorkloadEvent(
        int schema,
        long position,
        Instant at,
        String kind,
        @Nullable String workload,
        Map<String, Object> body) {
    public static final int SCHEMA = 1;

    public WorkloadEvent {
        body = Map.copyOf(body);
    }
}
