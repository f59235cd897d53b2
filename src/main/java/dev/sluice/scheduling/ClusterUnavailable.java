package dev.sluice.scheduling;

import org.jspecify.annotations.Nullable;

/** The cluster cannot be reached or did not answer in time. Trying again is right. */
public final class ClusterUnavailable extends RuntimeException {
    public ClusterUnavailable(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
