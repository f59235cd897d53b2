package dev.sluice.admission;

import dev.sluice.workload.PodSetUpdate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where one admission check of a workload stands.
 *
 * @param message what whoever checks says about it; empty = nothing
 * @param retryCount how often it asked for another try
 * @param podSetUpdates what it adds to the pods when they are let go; empty unless it is ready
 */
public record CheckStatus(State state, String message, int retryCount, List<PodSetUpdate> podSetUpdates) {
    private static final Duration RETRY_BASE = Duration.ofSeconds(60);
    private static final Duration RETRY_MAX = Duration.ofMinutes(30);

    /** What an older form of the record lacks comes as null. */
    public CheckStatus {
        podSetUpdates = copy(podSetUpdates);
    }

    /** Of one that adds nothing to the pods. */
    public CheckStatus(State state, String message, int retryCount) {
        this(state, message, retryCount, List.of());
    }

    private static List<PodSetUpdate> copy(@Nullable List<PodSetUpdate> given) {
        return given == null ? List.of() : List.copyOf(given);
    }

    public enum State {
        PENDING,
        READY,
        /** The quota is given back, and all checks begin anew after a while. */
        RETRY,
        /** The workload is deactivated. */
        REJECTED
    }

    static CheckStatus pending(int retryCount) {
        return new CheckStatus(State.PENDING, "", retryCount);
    }

    /** When it may be tried again if it does not say: a minute after the first time, doubled with each, half an hour at most. */
    static Instant retryAt(Instant now, int retryCount) {
        long factor = 1L << Math.min(Math.max(retryCount - 1, 0), 10);
        Duration wait = RETRY_BASE.multipliedBy(factor);
        return now.plus(wait.compareTo(RETRY_MAX) > 0 ? RETRY_MAX : wait);
    }
}
