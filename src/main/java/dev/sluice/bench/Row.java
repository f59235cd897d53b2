package dev.sluice.bench;

import org.jspecify.annotations.Nullable;

/**
 * One measured figure.
 *
 * @param target what was promised; null = nothing was
 * @param better which way is better; null = it is told, not judged
 */
public record Row(
        String name,
        double value,
        String unit,
        @Nullable Double target,
        @Nullable Better better) {
    public enum Better {
        LOWER,
        HIGHER
    }

    static Row told(String name, double value, String unit) {
        return new Row(name, value, unit, null, null);
    }

    static Row atMost(String name, double value, String unit, double target) {
        return new Row(name, value, unit, target, Better.LOWER);
    }

    static Row atLeast(String name, double value, String unit, double target) {
        return new Row(name, value, unit, target, Better.HIGHER);
    }

    boolean met() {
        if (target == null || better == null) {
            return true;
        }
        return switch (better) {
            case LOWER -> value <= target;
            case HIGHER -> value >= target;
        };
    }
}
