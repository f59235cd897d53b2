package dev.sluice.scheduling;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Engine;
import dev.sluice.scheduling.ConfigurationStore.Stored;
import dev.sluice.scheduling.LeadershipStore.Leadership;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The one writer. Tries to take the lead; while it leads, it owns the engine, applies committed commands and what the cluster shows,
 * commits what was decided, and only then acts. When a commit fails or the lead is lost, the engine is thrown away and the next term
 * begins from the store.
 *
 * <p>One thread owns everything mutable. The public methods may be called by any thread and only put messages in its mailbox.
 */
public final class LeaderLoop implements CommandReceiver, ConfigurationCommands.EditGate, AutoCloseable {
    private static final Logger LOG = Logger.getLogger(LeaderLoop.class.getName());
    private static final int OFFERED_MAX = 100_000;
    private static final long RETRY_MILLIS = 250;

    private final String holder;
    private final SchedulingStore store;
    private final LeadershipStore leaderships;
    private final Cluster cluster;
    private final AdmissionSettings admission;
    private final SchedulingSettings settings;
    private final List<BatchObserver> observers;
    private final BlockingQueue<Message> mailbox = new LinkedBlockingQueue<>();
    private final Thread thread;
    private volatile boolean closed;
    private volatile @Nullable Leadership leading;
    private volatile Status status;
    private volatile Map<WorkloadId, String> setAside = Map.of();

    /** @param holder unique to this process */
    public LeaderLoop(
            String holder,
            SchedulingStore store,
            LeadershipStore leaderships,
            Cluster cluster,
            AdmissionSettings admission,
            SchedulingSettings settings,
            List<BatchObserver> observers) {
        this.holder = holder;
        this.store = store;
        this.leaderships = leaderships;
        this.cluster = cluster;
        this.admission = admission;
        this.settings = settings;
        this.observers = List.copyOf(observers);
        this.status = new Status(System.nanoTime(), 0, null);
        this.thread = Thread.ofPlatform().name("sluice-leader").daemon().unstarted(this::run);
    }

    /**
     * What a health check wants to know.
     *
     * @param turnedAtNanos when the loop last went round, on the monotonic clock
     * @param failures terms that ended by a failure, since the start
     * @param trouble why it does not lead or could not go on, in words; null = nothing is wrong
     */
    public record Status(
            long turnedAtNanos, long failures, @Nullable String trouble) {}

    public void start() {
        thread.start();
    }

    public boolean isLeading() {
        return leading != null;
    }

    public Optional<Leadership> leadership() {
        return Optional.ofNullable(leading);
    }

    public Status status() {
        return status;
    }

    /** Workloads whose stored rows cannot be read, to why. Their quota is not counted, so somebody has to look. */
    public Map<WorkloadId, String> setAside() {
        return setAside;
    }

    @Override
    public void offer(QueuedCommand command) {
        // Beyond the bound the command is found in the intake table instead.
        if (isLeading() && mailbox.size() < OFFERED_MAX) {
            mailbox.add(new Message.Offered(command));
        }
    }

    /**
     * Asks the engine on its own thread; empty if this process does not lead. The future fails with {@link StoreUnavailable} if the lead
     * is lost before the question's turn comes.
     */
    public <T> Optional<CompletableFuture<T>> ask(BiFunction<Engine, Instant, T> question) {
        if (!isLeading()) {
            return Optional.empty();
        }
        CompletableFuture<T> future = new CompletableFuture<>();
        mailbox.add(new Message.Question(
                (engine, now) -> {
                    try {
                        future.complete(question.apply(engine, now));
                    } catch (RuntimeException failed) {
                        future.completeExceptionally(failed);
                    }
                },
                future));
        return Optional.of(future);
    }

    @Override
    public Stored between(Supplier<Stored> edit) {
        if (!isLeading() || Thread.currentThread() == thread) {
            return edit.get();
        }
        CompletableFuture<Stored> future = new CompletableFuture<>();
        mailbox.add(new Message.Edit(edit, future));
        try {
            return future.join();
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw failed;
        }
    }

    @Override
    public void close() {
        closed = true;
        mailbox.add(new Message.Stop());
        try {
            thread.join(TimeUnit.SECONDS.toMillis(15));
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (!closed) {
            try {
                Optional<Leadership> leadership = leaderships.acquire(holder, settings.leadershipTimeToLive());
                if (leadership.isPresent()) {
                    lead(leadership.get());
                } else {
                    turned(null);
                    // What the cluster shows meanwhile is of no use: a term begins by looking at everything.
                    endTerm(new StoreUnavailable("this replica does not lead", null));
                    TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
                }
            } catch (InterruptedException stopping) {
                closed = true;
            } catch (RuntimeException failure) {
                failed(failure);
            }
        }
        endTerm(new StoreUnavailable("the service is stopping", null));
    }

    private void lead(Leadership leadership) throws InterruptedException {
        RuntimeException ending = new StoreUnavailable("the leader is stopping", null);
        Committer committer =
                new Committer(store, leadership, settings.leadershipTimeToLive(), cluster, observers, mailbox::add);
        try (committer) {
            committer.start();
            Roster roster = new Roster();
            setAside = roster.setAside();
            Term term = new Term(
                    store, cluster, leadership, admission, settings, mailbox, committer, roster, System::nanoTime);
            // From here on, not before: of several replicas only the leader may take what the cluster shows.
            cluster.observe(observation -> mailbox.add(new Message.Observed(observation)));
            leading = leadership;
            LOG.info(() -> holder + " leads, epoch " + leadership.epoch());
            term.run(() -> turned(null));
            leaderships.resign(leadership);
        } catch (RuntimeException failure) {
            ending = failure;
            throw failure;
        } finally {
            leading = null;
            endTerm(ending);
        }
    }

    /**
     * Messages of the term that ended: commands are in the store, observations are seen again by the next term's reconciliation, and
     * whoever waits for an answer is told.
     */
    private void endTerm(RuntimeException ending) {
        RuntimeException told = ending instanceof StoreUnavailable
                ? ending
                : new StoreUnavailable("this leader starts again from the store: " + ending.getMessage(), ending);
        for (Message message = mailbox.poll(); message != null; message = mailbox.poll()) {
            switch (message) {
                case Message.Question question -> question.future().completeExceptionally(told);
                case Message.Edit edit -> make(edit);
                case Message.Offered ignored -> {}
                case Message.Observed ignored -> {}
                case Message.Surveyed ignored -> {}
                case Message.Committed ignored -> {}
                case Message.CommitFailed ignored -> {}
                case Message.Stop ignored -> {}
            }
        }
    }

    /** Between two terms no batch is under way that it could outdate. */
    private static void make(Message.Edit edit) {
        try {
            edit.future().complete(edit.edit().get());
        } catch (RuntimeException refused) {
            edit.future().completeExceptionally(refused);
        }
    }

    private void failed(RuntimeException failure) {
        String trouble = String.valueOf(failure.getMessage());
        switch (failure) {
            case ConfigurationMoved moved ->
                LOG.info(() -> "the configuration was edited under a batch, which is computed again: " + trouble);
            // The same trouble, such as a database that stays away, is said once and not four times a second.
            case StoreUnavailable away
            when !trouble.equals(status.trouble()) -> LOG.warning(() -> "the leader waits for its store: " + trouble);
            case StoreUnavailable away -> LOG.log(Level.FINE, "the store is still away", away);
            case ClusterUnavailable away
            when !trouble.equals(status.trouble()) ->
                LOG.warning(() -> "the leader waits for its cluster, to see what runs before it decides: " + trouble);
            case ClusterUnavailable away -> LOG.log(Level.FINE, "the cluster is still away", away);
            case Deposed deposed -> LOG.warning(() -> "the lead is lost: " + trouble);
            default ->
                LOG.log(Level.SEVERE, "the leader's term ended by a bug; it starts again from the store", failure);
        }
        status = new Status(System.nanoTime(), status.failures() + 1, trouble);
        if (!(failure instanceof ConfigurationMoved)) {
            try {
                TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
            } catch (InterruptedException stopping) {
                closed = true;
            }
        }
    }

    private void turned(@Nullable String trouble) {
        status = new Status(System.nanoTime(), status.failures(), trouble);
    }
}
