package dev.sluice.fleet;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The system's clock, with a daemon thread that sleeps until the next thing is due. */
public final class SystemFleetClock implements FleetClock {
    private static final Logger LOG = Logger.getLogger(SystemFleetClock.class.getName());

    private static final long PAUSE_AFTER_FAILURE_NANOS = 100_000_000;

    private final long origin = System.nanoTime();
    private final AtomicBoolean woken = new AtomicBoolean();
    private volatile boolean closed;
    private volatile @Nullable Thread thread;

    @Override
    public long nanos() {
        return System.nanoTime() - origin;
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public void start(Turn turn) {
        thread = Thread.ofPlatform().daemon().name("fleet").start(() -> turnUntilClosed(turn));
    }

    private void turnUntilClosed(Turn turn) {
        while (!closed) {
            woken.set(false);
            long next = turn(turn);
            if (!woken.get() && !closed) {
                sleepUntil(next);
            }
        }
    }

    /** The outermost loop of the thread: a failing observer must not stop the pods. */
    private long turn(Turn turn) {
        try {
            return turn.run();
        } catch (RuntimeException bug) {
            LOG.log(Level.SEVERE, "a turn of the fleet failed", bug);
            return nanos() + PAUSE_AFTER_FAILURE_NANOS;
        }
    }

    private void sleepUntil(long next) {
        if (next == Long.MAX_VALUE) {
            LockSupport.park(this);
        } else {
            long left = next - nanos();
            if (left > 0) {
                LockSupport.parkNanos(this, left);
            }
        }
    }

    @Override
    public void wake() {
        Thread sleeper = thread;
        if (!woken.getAndSet(true) && sleeper != null) {
            LockSupport.unpark(sleeper);
        }
    }

    @Override
    public void close() {
        closed = true;
        wake();
    }
}
