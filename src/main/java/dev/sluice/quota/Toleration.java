package dev.sluice.quota;

/**
 * A pod's (or flavor's) toleration, with Kubernetes' meaning: an empty key with {@code Exists} tolerates everything, an
 * empty effect matches every effect. Absent parts are empty strings, an absent operator is {@code Equal}.
 */
public record Toleration(String key, String operator, String value, String effect) {
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
