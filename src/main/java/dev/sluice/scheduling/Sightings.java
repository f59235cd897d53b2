package dev.sluice.scheduling;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * What the cluster showed and is still to be taken in, in order. Those that would cost a workload its quota because its pods are not
 * ready come last: whatever came by the time they count, such as that the pods are ready after all, counts first.
 */
final class Sightings {
    private final Queue<Observation> plain = new ArrayDeque<>();
    private final Queue<Observation> grave = new ArrayDeque<>();

    void add(Observation observation) {
        (observation instanceof Observation.Unready ? grave : plain).add(observation);
    }

    int size() {
        return plain.size() + grave.size();
    }

    /** Whether all that has come has to be taken in at once. */
    boolean areGrave() {
        return !grave.isEmpty();
    }

    /** Null = there is none left. */
    @Nullable Observation next() {
        Observation next = plain.poll();
        return next == null ? grave.poll() : next;
    }
}
