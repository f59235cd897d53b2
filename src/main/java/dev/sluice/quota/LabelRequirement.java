package dev.sluice.quota;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One expression about labels (Kubernetes' LabelSelectorRequirement).
 *
 * @param values of In and NotIn, at least one; empty with the other two
 */
public record LabelRequirement(String key, Operator operator, List<String> values) {
    public LabelRequirement {
        values = List.copyOf(values);
    }

    /** Kubernetes' words are the same in camel case. */
    public enum Operator {
        IN,
        /** Holds also for who does not carry the label. */
        NOT_IN,
        EXISTS,
        DOES_NOT_EXIST
    }

    /** @param carried value of the label; null = it is not carried */
    boolean matches(@Nullable String carried) {
        return switch (operator) {
            case IN -> isOneOfValues(carried);
            case NOT_IN -> !isOneOfValues(carried);
            case EXISTS -> carried != null;
            case DOES_NOT_EXIST -> carried == null;
        };
    }

    private boolean isOneOfValues(@Nullable String carried) {
        return carried != null && values.contains(carried);
    }
}
