package dev.sluice.scheduling;

/** The batch was computed on an older configuration. It was not written; compute it again. */
public final class ConfigurationMoved extends RuntimeException {
    public ConfigurationMoved(long expected, long actual) {
        super("computed on configuration version " + expected + ", the store has " + actual);
    }
}
