package dev.sluice.admission;

import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a LocalQueue used of late, as of a time.
 *
 * @param localQueue {@code namespace/name}
 * @param consumed by resource, in cores, bytes, devices; empty = nothing is remembered of it any more
 */
public record LocalQueueUsage(String localQueue, SortedMap<String, Double> consumed, Instant at) {
    public LocalQueueUsage {
        consumed = Collections.unmodifiableSortedMap(new TreeMap<>(consumed));
    }
}
