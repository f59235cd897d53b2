package dev.sluice.fleet;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A clock that stands still until it is moved. Whatever falls due on the way is done in order, each at its own time, on the
 * thread that moves the clock; that is also the thread on which observations arrive. Not thread-safe.
 */
public final class ManualFleetClock implements FleetClock {
    private static final Instant EPOCH = Instant.parse("2030-01-01T00:00:00Z");

    private long nanos;
    private @Nullable Turn turn;

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public Instant now() {
        return EPOCH.plusNanos(nanos);
    }

    @Override
    public void start(Turn turn) {
        this.turn = turn;
    }

    @Override
    public void wake() {
        // nothing happens before the clock is moved
    }

    /** Does what is due now, and all that follows from it without time passing. */
    public void settle() {
        advance(Duration.ZERO);
    }

    public void advance(Duration by) {
        long target = nanos + by.toNanos();
        while (true) {
            long next = turn == null ? Long.MAX_VALUE : turn.run();
            if (next > target) {
                break;
            }
            nanos = Math.max(nanos, next);
        }
        nanos = target;
    }

    @Override
    public void close() {
        turn = null;
    }
}
