package dev.sluice.quota;

import org.jspecify.annotations.Nullable;

/**
 * A pod's (or flavor's) toleration, with Kubernetes' meaning: an empty key with {@code Exists} tolerates everything, an
 * empty effect matches every effect. Absent parts are empty strings, an absent operator is {@code Equal}.
 *
 * @param tolerationSeconds how long a running pod stays on a node that gets a taint with {@code NoExecute}; null = for ever. No
 *     matter of placement
 */
public record Toleration(
        String key,
        String operator,
        String value,
        String effect,
        @Nullable Long tolerationSeconds) {
    /** For ever. */
    public Toleration(String key, String operator, String value, String effect) {
        this(key, operator, value, effect, null);
    }

    public boolean tolerates(Taint taint) {
        if (!effect.isEmpty() && !effect.equals(taint.effect())) {
            return false;
        }
        if (!key.isEmpty() && !key.equals(taint.key())) {
            return false;
        }
        return operator.equals("Exists") || (!key.isEmpty() && value.equals(taint.value()));
    }
}
