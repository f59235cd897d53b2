package dev.sluice.api.wire;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a PATCH of a workload may change. What is left out stays.
 *
 * @param priorityClass null, if given = none, priority 0
 */
public record WorkloadChanges(
        @Nullable String priorityClass,
        @Nullable String queue,
        @Nullable Boolean active) {
    /** @throws Rejection naming what is not known or of the wrong type */
    public static WorkloadChanges of(JsonNode tree) {
        WorkloadChanges changes = JsonBody.bind(tree, WorkloadChanges.class);
        Mistakes mistakes = new Mistakes();
        if (tree.path("queue").isNull() || "".equals(changes.queue())) {
            mistakes.add("queue", null, "must name a LocalQueue");
        }
        if (tree.path("active").isNull()) {
            mistakes.add("active", null, "must be true or false");
        }
        mistakes.orThrow();
        return changes;
    }

    /** Deactivation first and activation last, so that nothing starts halfway through. */
    public List<Change> inOrder(JsonNode tree) {
        List<Change> changes = new ArrayList<>();
        if (Boolean.FALSE.equals(active)) {
            changes.add(new Active(false));
        }
        if (tree.has("priorityClass")) {
            changes.add(new PriorityClass(ClusterQueueBody.emptyIsNull(priorityClass)));
        }
        if (queue != null) {
            changes.add(new Queue(queue));
        }
        if (Boolean.TRUE.equals(active)) {
            changes.add(new Active(true));
        }
        return changes;
    }

    /** One thing to change. */
    public sealed interface Change {}

    /** @param name null = none */
    public record PriorityClass(@Nullable String name) implements Change {}

    public record Queue(String name) implements Change {}

    public record Active(boolean active) implements Change {}
}
