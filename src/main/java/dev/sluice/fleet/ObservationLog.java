package dev.sluice.fleet;

import dev.sluice.fleet.FleetWire.Seen;
import dev.sluice.fleet.FleetWire.Sight;
import dev.sluice.scheduling.Observation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * What was observed, by position, until a reader says that it has it. A reader that comes back after it was killed goes on at
 * what nobody acknowledged. Thread-safe.
 */
final class ObservationLog {
    /** Beyond it the oldest are dropped; a reader that far behind looks at all jobs instead. */
    private static final int LENGTH_MAX = 1_000_000;

    private final String instance = UUID.randomUUID().toString();
    private final List<Sight> sights = new ArrayList<>();
    /** Position of the first that is kept. */
    private long first = 1;

    private long acknowledged;
    private boolean open = true;

    synchronized void append(Observation observation) {
        sights.add(Sight.of(observation));
        if (sights.size() > LENGTH_MAX) {
            drop(LENGTH_MAX / 2);
        }
        notifyAll();
    }

    /**
     * Waits until there is something.
     *
     * @param after acknowledges all up to it; below 0 = what nobody has acknowledged
     */
    synchronized Seen read(long after, int limit, Duration patience) throws InterruptedException {
        if (after >= 0) {
            acknowledged = Math.max(acknowledged, after);
            drop((int) Math.min(sights.size(), Math.max(0, acknowledged + 1 - first)));
        }
        long from = after < 0 ? acknowledged + 1 : after + 1;
        long deadline = System.nanoTime() + patience.toNanos();
        long left = patience.toMillis();
        while (open && left > 0 && first + sights.size() <= from) {
            wait(left);
            left = (deadline - System.nanoTime()) / 1_000_000;
        }
        int start = (int) Math.max(0, from - first);
        int end = Math.min(sights.size(), start + limit);
        List<Sight> answer = start < end ? List.copyOf(sights.subList(start, end)) : List.of();
        return new Seen(instance, from >= first, Math.max(from, first), answer);
    }

    private void drop(int count) {
        if (count > 0) {
            sights.subList(0, count).clear();
            first += count;
            acknowledged = Math.max(acknowledged, first - 1);
        }
    }

    /** Sends waiting readers home, now and until {@link #open} is called. */
    synchronized void close() {
        open = false;
        notifyAll();
    }

    synchronized void open() {
        open = true;
    }
}
