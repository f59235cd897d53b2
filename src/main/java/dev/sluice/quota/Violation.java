package dev.sluice.quota;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One broken rule, in the terms of the model; whoever speaks with people translates the place into the shape that they
 * wrote.
 *
 * @param object such as {@code cluster-queues/team-a}
 * @param line the quota line that it is about; null = the object as a whole
 * @param field of the line or the object, such as {@code borrowingLimit} or {@code preemption.borrowWithinCohort.policy}
 * @param value what stands there; null = nothing does
 * @param rule completes "the field …", such as {@code must not be negative}
 * @param nearest valid choices close to the value, closest first; may be empty
 */
public record Violation(
        String object,
        @Nullable Line line,
        String field,
        @Nullable String value,
        String rule,
        List<String> nearest) {
    public Violation {
        nearest = List.copyOf(nearest);
    }

    /** A quota line of an object is known by its flavor and resource. */
    public record Line(String flavor, String resource) {}
}
