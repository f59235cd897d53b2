package dev.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sluice.quota.WorkloadPriorityClass;
import org.jspecify.annotations.Nullable;

/** A named priority. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PriorityClassBody(
        @Nullable String name,
        @Nullable Integer value,
        @Nullable String description) {
    public WorkloadPriorityClass priorityClass(String key, Mistakes mistakes) {
        if (value == null) {
            mistakes.add("value", null, "is required");
        }
        return new WorkloadPriorityClass(key, value == null ? 0 : value, description == null ? "" : description);
    }

    public static PriorityClassBody of(WorkloadPriorityClass priorityClass) {
        return new PriorityClassBody(
                priorityClass.name(), priorityClass.value(), ClusterQueueBody.emptyIsNull(priorityClass.description()));
    }
}
