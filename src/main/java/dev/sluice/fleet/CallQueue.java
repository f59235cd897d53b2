package dev.sluice.fleet;

import dev.sluice.fleet.FleetWire.Call;
import dev.sluice.fleet.FleetWire.Calls;
import dev.sluice.scheduling.ClusterUnavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Calls that are not known to have taken hold, numbered from 1 in the order given. Thread-safe. */
final class CallQueue {
    /** A fleet that has been away for this many calls is lost; the caller begins again from what is stored. */
    private static final int LENGTH_MAX = 1_000_000;

    private final String client = UUID.randomUUID().toString();
    private final int batchMax;
    private final List<Call> waiting = new ArrayList<>();
    /** Number of the last call that took hold. */
    private long sent;

    private boolean closed;

    CallQueue(int batchMax) {
        this.batchMax = batchMax;
    }

    /** @throws ClusterUnavailable if too many wait */
    synchronized void add(Call call) {
        if (waiting.size() >= LENGTH_MAX) {
            throw new ClusterUnavailable(LENGTH_MAX + " calls wait for the fleet to come back", null);
        }
        waiting.add(call);
        notifyAll();
    }

    /** The first calls that wait, at least one; the same again until they are {@link #sent}. */
    synchronized Calls next() throws InterruptedException {
        while (waiting.isEmpty() && !closed) {
            wait();
        }
        return new Calls(client, sent + 1, List.copyOf(waiting.subList(0, Math.min(batchMax, waiting.size()))));
    }

    synchronized void sent(long last) {
        if (last > sent) {
            waiting.subList(0, (int) (last - sent)).clear();
            sent = last;
            notifyAll();
        }
    }

    /** @throws ClusterUnavailable if what waits now has not taken hold by then */
    synchronized void awaitSent(Duration patience) {
        long last = sent + waiting.size();
        long deadline = System.nanoTime() + patience.toNanos();
        while (sent < last) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new ClusterUnavailable("the fleet did not take " + (last - sent) + " calls in time", null);
            }
            try {
                wait(left);
            } catch (InterruptedException stopping) {
                Thread.currentThread().interrupt();
                throw new ClusterUnavailable("interrupted while the fleet took calls", stopping);
            }
        }
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
