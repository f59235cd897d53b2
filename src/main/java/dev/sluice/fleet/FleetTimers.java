package dev.sluice.fleet;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** What falls due when, one valid entry per job. Setting a new one voids the job's last. */
final class FleetTimers {
    private final PriorityQueue<Timer> queue = new PriorityQueue<>();
    private long count;

    void set(FleetJob job, long dueNanos, Step step) {
        count++;
        job.timer = count;
        queue.add(new Timer(dueNanos, count, job, step));
    }

    void cancel(FleetJob job) {
        count++;
        job.timer = count;
    }

    /** The first that is due; null = none. */
    @Nullable Timer poll(long nowNanos) {
        dropVoid();
        Timer first = queue.peek();
        return first != null && first.dueNanos <= nowNanos ? queue.poll() : null;
    }

    long nextNanos() {
        dropVoid();
        Timer first = queue.peek();
        return first == null ? Long.MAX_VALUE : first.dueNanos;
    }

    private void dropVoid() {
        Timer first = queue.peek();
        while (first != null && first.job.timer != first.number) {
            queue.poll();
            first = queue.peek();
        }
    }

    enum Step {
        BECOME_READY,
        END,
        BE_GONE,
        FORGET
    }

    record Timer(long dueNanos, long number, FleetJob job, Step step) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            int byTime = Long.compare(dueNanos, other.dueNanos);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }
}
