package dev.sluice.workload;

import dev.sluice.quota.Amounts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A set of pods that starts together or not at all, as it was submitted. What may change later (priority, queue, state)
 * is held by the engine and the store, not here.
 *
 * @param sequence order of submission, the tie-break after priority and queue time; unique
 * @param namespace where its Job lives
 * @param localQueue name of the LocalQueue in that namespace
 * @param priorityClass null = none named, priority 0
 * @param priority value that the class had when the workload was taken in, until a change of the class reaches it
 * @param createdAt when it was submitted, by the database's clock
 * @param expectedDuration how long it says it runs; null = unknown
 * @param maxDuration how long it may run; null = without limit
 */
public record Workload(
        WorkloadId id,
        long sequence,
        String name,
        String namespace,
        String localQueue,
        @Nullable String priorityClass,
        int priority,
        List<PodSet> podSets,
        Instant createdAt,
        @Nullable Duration expectedDuration,
        @Nullable Duration maxDuration) {
    public Workload {
        podSets = List.copyOf(podSets);
        if (podSets.isEmpty()) {
            throw new IllegalArgumentException("workload " + id + " has no pod set");
        }
    }

    /** The same workload, asking for something else. */
    public Workload asking(List<PodSet> others) {
        return new Workload(
                id,
                sequence,
                name,
                namespace,
                localQueue,
                priorityClass,
                priority,
                others,
                createdAt,
                expectedDuration,
                maxDuration);
    }

    /** The same workload in another queue of its namespace. */
    public Workload in(String otherQueue) {
        return new Workload(
                id,
                sequence,
                name,
                namespace,
                otherQueue,
                priorityClass,
                priority,
                podSets,
                createdAt,
                expectedDuration,
                maxDuration);
    }

    /** What all its pods cost, by quota resource, saturating. */
    public SortedMap<String, Long> charge() {
        SortedMap<String, Long> charge = new TreeMap<>();
        for (PodSet podSet : podSets) {
            podSet.charge().forEach((resource, amount) -> charge.merge(resource, amount, Amounts::add));
        }
        return charge;
    }
}
