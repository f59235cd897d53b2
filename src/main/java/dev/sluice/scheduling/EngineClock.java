package dev.sluice.scheduling;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.LongSupplier;

/**
 * Engine time: the database's clock, carried on between answers of the database by the monotonic clock of the process, and never
 * backwards. The wall clock of a replica has no say, so it may jump as it likes.
 *
 * <p>Microseconds, as PostgreSQL keeps them: an instant must come back from the store as it went in. One thread sets, any reads.
 */
final class EngineClock {
    private final LongSupplier nanoTime;
    private volatile Reading reading;

    EngineClock(LongSupplier nanoTime, Instant databaseNow) {
        this.nanoTime = nanoTime;
        this.reading = new Reading(databaseNow.truncatedTo(ChronoUnit.MICROS), nanoTime.getAsLong());
    }

    Instant now() {
        Reading last = reading;
        return last.instant
                .plusNanos(Math.max(0, nanoTime.getAsLong() - last.nanos))
                .truncatedTo(ChronoUnit.MICROS);
    }

    /** Follows the database's clock forward; a database clock behind engine time is waited for, not followed. */
    void follow(Instant databaseNow) {
        Instant now = now();
        Instant next = databaseNow.isAfter(now) ? databaseNow : now;
        reading = new Reading(next.truncatedTo(ChronoUnit.MICROS), nanoTime.getAsLong());
    }

    private record Reading(Instant instant, long nanos) {}
}
