package dev.sluice.kubernetes;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Pauses per key that double from 10 ms to 5 s until it is said that all is well. Thread-safe. */
final class Backoff<K> {
    static final Duration LONGEST = Duration.ofSeconds(5);
    private static final long FIRST_MILLIS = 10;
    private static final int DOUBLINGS_MAX = 9;

    private final Map<K, Integer> failures = new ConcurrentHashMap<>();

    Duration next(K key) {
        int failed = failures.merge(key, 1, Integer::sum);
        Duration pause = Duration.ofMillis(FIRST_MILLIS << Math.min(failed - 1, DOUBLINGS_MAX));
        return pause.compareTo(LONGEST) > 0 ? LONGEST : pause;
    }

    void reset(K key) {
        failures.remove(key);
    }
}
