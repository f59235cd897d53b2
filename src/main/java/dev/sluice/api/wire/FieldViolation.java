package dev.sluice.api.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One broken rule of a request, as REST tells it.
 *
 * @param field path in the body as its author wrote it, such as {@code podSets[0].requests.cpu}
 * @param value what stands there; null = nothing
 * @param nearest valid choices that may have been meant
 */
public record FieldViolation(String field, @Nullable String value, String rule, List<String> nearest) {
    private static final int VALUE_LENGTH_MAX = 200;

    public FieldViolation {
        nearest = List.copyOf(nearest);
        value = value == null || value.length() <= VALUE_LENGTH_MAX
                ? value
                : value.substring(0, VALUE_LENGTH_MAX) + "…";
        field = field.length() <= VALUE_LENGTH_MAX ? field : field.substring(0, VALUE_LENGTH_MAX) + "…";
    }

    /** The same, said of a part of a larger body. */
    public FieldViolation within(String prefix) {
        return new FieldViolation(prefix + field, value, rule, nearest);
    }
}
