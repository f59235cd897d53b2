package dev.sluice.api.wire;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.sluice.api.wire.ResourceFlavorBody.TolerationBody;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A workload as native JSON.
 *
 * @param namespace null = {@code default}
 * @param queue name of a LocalQueue of the namespace
 * @param priorityClass null = none, priority 0
 * @param expectedDuration ISO 8601, such as {@code PT2H}; null = unknown
 * @param maxDuration ISO 8601; null = without limit
 */
public record WorkloadRequest(
        @Nullable String name,
        @Nullable String namespace,
        @Nullable String queue,
        @Nullable String priorityClass,
        @Nullable List<PodSetRequest> podSets,
        @Nullable String expectedDuration,
        @Nullable String maxDuration) {
    /**
     * @param name null = {@code main}
     * @param count pods; null = 1
     * @param minCount fewest pods with which it may start; null = all of them
     * @param requests per pod, by resource
     * @param deviceRequests per pod
     */
    public record PodSetRequest(
            @Nullable String name,
            @Nullable Integer count,
            @Nullable Integer minCount,

            @JsonDeserialize(contentUsing = QuantityText.class) @Nullable Map<String, String> requests,

            @Nullable List<DeviceRequest> deviceRequests,
            @Nullable Map<String, String> nodeSelector,
            @Nullable List<TolerationBody> tolerations) {}

    /** @param count devices; null = 1 */
    public record DeviceRequest(
            @Nullable String deviceClass, @Nullable Long count) {}
}
