package dev.sluice.scheduling;

import org.jspecify.annotations.Nullable;

/** The database cannot be reached or did not answer in time. Nothing is acknowledged; trying again is right. */
public final class StoreUnavailable extends RuntimeException {
    public StoreUnavailable(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
