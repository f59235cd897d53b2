package dev.sluice.scheduling;

import dev.sluice.scheduling.LeadershipStore.Leadership;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Commits one term's batches in order, on a thread of its own, so that the next is computed meanwhile; after each commit, and only
 * then, carries out its effects and tells the observers. After the first failure nothing more is committed: what was computed later
 * stands on it.
 */
final class Committer implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger(Committer.class.getName());

    private final SchedulingStore store;
    private final Leadership leadership;
    private final Duration timeToLive;
    private final Cluster cluster;
    private final List<BatchObserver> observers;
    private final Consumer<Message> mailbox;
    private final BlockingQueue<Turn.Outcome> outcomes = new LinkedBlockingQueue<>();
    private final Thread thread;

    Committer(
            SchedulingStore store,
            Leadership leadership,
            Duration timeToLive,
            Cluster cluster,
            List<BatchObserver> observers,
            Consumer<Message> mailbox) {
        this.store = store;
        this.leadership = leadership;
        this.timeToLive = timeToLive;
        this.cluster = cluster;
        this.observers = observers;
        this.mailbox = mailbox;
        this.thread = Thread.ofPlatform().name("sluice-commit").daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    void submit(Turn.Outcome outcome) {
        outcomes.add(outcome);
    }

    private void run() {
        try {
            while (true) {
                commit(outcomes.take());
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException failure) {
            mailbox.accept(new Message.CommitFailed(failure));
        }
    }

    private void commit(Turn.Outcome outcome) {
        Instant databaseNow = store.commit(leadership, outcome.batch(), timeToLive);
        outcome.effects().forEach(effect -> effect.on(cluster));
        observers.forEach(observer -> tell(observer, outcome.batch()));
        mailbox.accept(new Message.Committed(outcome.batch(), databaseNow));
    }

    private static void tell(BatchObserver observer, Batch batch) {
        try {
            observer.committed(batch);
        } catch (RuntimeException broken) {
            // An observer's bug must not stop the commits of everybody; it is the observer's contract not to throw.
            LOG.log(Level.SEVERE, "an observer of batch " + batch.number() + " failed", broken);
        }
    }

    /** Returns when no commit runs any more. */
    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join(Duration.ofSeconds(10));
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }
}
