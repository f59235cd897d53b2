package dev.sluice.admission;

import java.time.Duration;
import java.time.Instant;

/**
 * What becomes of a workload whose pods do not start: it loses its quota and is tried again, later each time.
 *
 * @param readyTimeout its pods must be ready so long after its admission, or when they are looked at then; zero = there is no limit
 * @param behindByEviction who was not ready in time stands in its queue from then on; false = where it stood before
 * @param triesAtOnce failed starts that cost no wait
 * @param waitBase the wait after the first failed start that costs one; doubled with each after it
 * @param waitMax longest wait
 * @param startsMax failed starts after which it is deactivated; 0 = it is tried for ever
 * @param resetWhenReady the count begins anew once all pods were ready
 */
public record StartRetries(
        Duration readyTimeout,
        boolean behindByEviction,
        int triesAtOnce,
        Duration waitBase,
        Duration waitMax,
        int startsMax,
        boolean resetWhenReady) {
    public static final StartRetries DEFAULT =
            new StartRetries(Duration.ofMinutes(30), true, 0, Duration.ofSeconds(60), Duration.ofHours(1), 0, true);

    /** Kueue's numbers; without its timeout, which is no part of the scheduler. */
    public static final StartRetries KUEUE =
            new StartRetries(Duration.ZERO, true, 0, Duration.ofSeconds(60), Duration.ofHours(1), 0, false);

    public StartRetries {
        if (readyTimeout.isNegative()
                || triesAtOnce < 0
                || waitBase.isNegative()
                || waitMax.compareTo(waitBase) < 0
                || startsMax < 0) {
            throw new IllegalArgumentException(
                    "retries of a start cannot be negative, nor the longest wait less than the"
                            + " first: ready timeout " + readyTimeout + ", tries at once " + triesAtOnce
                            + ", waits from "
                            + waitBase + " to " + waitMax + ", starts " + startsMax);
        }
    }

    /** From when on it may be tried again after so many failed starts. */
    Instant retryAt(Instant now, int failedStarts) {
        int waits = failedStarts - triesAtOnce;
        if (waits < 1) {
            return now;
        }
        long factor = 1L << Math.min(waits - 1, 30);
        Duration wait = waitBase.compareTo(waitMax.dividedBy(factor)) > 0 ? waitMax : waitBase.multipliedBy(factor);
        return now.plus(wait);
    }

    boolean givesUpAfter(int failedStarts) {
        return startsMax > 0 && failedStarts >= startsMax;
    }
}
