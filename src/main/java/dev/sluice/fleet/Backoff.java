package dev.sluice.fleet;

import java.util.concurrent.TimeUnit;

/** Pauses that double from 10 ms to 1 s. Belongs to one thread. */
final class Backoff {
    private static final long FIRST_MILLIS = 10;
    private static final long LAST_MILLIS = 1_000;

    private long millis = FIRST_MILLIS;

    private void pause() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(millis);
        millis = Math.min(LAST_MILLIS, millis * 2);
    }

    /** An interrupt is kept for the next call that can be interrupted. */
    void pauseUnlessInterrupted() {
        try {
            pause();
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    void reset() {
        millis = FIRST_MILLIS;
    }
}
