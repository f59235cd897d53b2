package dev.sluice.kubernetes;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keys that are to be looked at. A key that waits is held once however often it is added; one that is being looked at is never looked
 * at twice at a time, and if added meanwhile, comes again afterwards. Thread-safe; has threads of its own.
 */
final class KeyQueue<K> implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger(KeyQueue.class.getName());

    private final Consumer<K> look;
    private final Set<K> waiting = new LinkedHashSet<>();
    private final Set<K> busy = new HashSet<>();
    private final Set<K> again = new HashSet<>();
    private final PriorityQueue<Later<K>> later = new PriorityQueue<>(Comparator.comparingLong(Later::dueNanos));
    private final Map<K, Later<K>> laterByKey = new HashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private boolean closed;

    private record Later<K>(K key, long dueNanos) {}

    KeyQueue(String name, int workers, Consumer<K> look) {
        this.look = look;
        for (int number = 0; number < workers; number++) {
            threads.add(Thread.ofPlatform().daemon().name(name + "-" + number).unstarted(this::work));
        }
    }

    void start() {
        threads.forEach(Thread::start);
    }

    synchronized void add(K key) {
        if (busy.contains(key)) {
            again.add(key);
        } else if (waiting.add(key)) {
            notify();
        }
    }

    /** Of two times for one key the earlier counts. */
    synchronized void addAfter(K key, Duration delay) {
        Later<K> due = new Later<>(key, System.nanoTime() + delay.toNanos());
        Later<K> before = laterByKey.get(key);
        if (before == null || due.dueNanos - before.dueNanos < 0) {
            if (before != null) {
                later.remove(before);
            }
            laterByKey.put(key, due);
            later.add(due);
            notify();
        }
    }

    private void work() {
        for (K key = next(); key != null; key = next()) {
            try {
                look.accept(key);
            } catch (RuntimeException broken) {
                // One key's bug must not stop the others.
                LOG.log(Level.SEVERE, "looking at " + key + " failed", broken);
                addAfter(key, Backoff.LONGEST);
            } finally {
                done(key);
            }
        }
    }

    private synchronized void done(K key) {
        busy.remove(key);
        if (again.remove(key)) {
            add(key);
        }
    }

    private synchronized @Nullable K next() {
        while (!closed) {
            long now = System.nanoTime();
            while (!later.isEmpty() && later.element().dueNanos - now <= 0) {
                K due = later.remove().key;
                laterByKey.remove(due);
                add(due);
            }
            if (!waiting.isEmpty()) {
                K key = waiting.iterator().next();
                waiting.remove(key);
                busy.add(key);
                return key;
            }
            try {
                if (later.isEmpty()) {
                    wait();
                } else {
                    wait(Math.max(1, (later.element().dueNanos - now) / 1_000_000));
                }
            } catch (InterruptedException stopping) {
                Thread.currentThread().interrupt();
                return null;
            }
        }
        return null;
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        threads.forEach(Thread::interrupt);
    }
}
