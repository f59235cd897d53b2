package dev.sluice.bench;

import org.jspecify.annotations.Nullable;

/** The run could not be carried out or its result cannot be trusted; there are no figures. */
public final class BenchFailed extends RuntimeException {
    BenchFailed(String message) {
        super(message);
    }

    BenchFailed(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
