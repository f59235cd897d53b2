package dev.sluice.api;

import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.BatchObserver;
import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Wakes those who tail the log when this process has committed a batch; others' batches are found by looking. */
@Singleton
public class LogSignal implements BatchObserver {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition grown = lock.newCondition();
    private long batches;

    @Override
    public void committed(Batch batch) {
        lock.lock();
        try {
            batches++;
            grown.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** How many batches were seen; to be given to {@link #await}. */
    long seen() {
        lock.lock();
        try {
            return batches;
        } finally {
            lock.unlock();
        }
    }

    /** Returns when more than {@code seen} batches were seen, or the time is over. */
    void await(long seen, long millis) throws InterruptedException {
        long left = TimeUnit.MILLISECONDS.toNanos(millis);
        lock.lockInterruptibly();
        try {
            while (batches == seen && left > 0) {
                left = grown.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
