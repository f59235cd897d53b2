package dev.sluice.quota;

/** A taint of a flavor's nodes. Only {@code NoSchedule} and {@code NoExecute} keep work away. Value is empty, not null. */
public record Taint(String key, String value, String effect) {
    public boolean repels() {
        return effect.equals("NoSchedule") || effect.equals("NoExecute");
    }
}
