package dev.sluice.scheduling;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Engine;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.ConfigurationStore.Stored;
import dev.sluice.scheduling.LeadershipStore.Leadership;
import dev.sluice.scheduling.SchedulingStore.Snapshot;
import dev.sluice.scheduling.SchedulingStore.StoredWorkload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * One leadership, from taking the lead to losing it. Restores the engine from the store, reconciles with the cluster, then turns:
 * inputs → engine → batch → commit. It ends by an exception (deposed, store gone, configuration moved under a batch) or by a stop;
 * then everything here is thrown away, and a next term starts from the store.
 *
 * <p>Everything but the mailbox belongs to the leader's thread.
 */
final class Term {
    private static final Logger LOG = Logger.getLogger(Term.class.getName());

    /** Batches computed and not yet known to be committed: one that commits, one that is next. */
    private static final int IN_FLIGHT_MAX = 2;

    /** Above it the intake table is not polled: what is known already keeps the leader busy for longer than a poll interval. */
    private static final int KNOWN_COMMANDS_MAX = 20_000;

    /** A command read from the table may still be offered by the thread that stored it; after this it cannot. */
    private static final long OFFER_DELAY_MAX_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final SchedulingStore store;
    private final Cluster cluster;
    private final Leadership leadership;
    private final SchedulingSettings settings;
    private final Engine engine;
    private final BlockingQueue<Message> mailbox;
    private final Committer committer;
    private final LongSupplier nanoTime;
    private final Roster roster;
    private final EngineClock clock;

    /** By id: a command about a workload is enqueued after its submission committed, so it never has the lower id. */
    private final Queue<QueuedCommand> commands = new PriorityQueue<>(Comparator.comparingLong(QueuedCommand::id));

    private final Sightings sightings = new Sightings();
    private final Set<Long> known = new HashSet<>();
    private final Map<Long, Long> readFromTable = new HashMap<>();
    private final Deadlines deadlines = new Deadlines();
    private final Takeover takeover;

    private Configuration configuration = Configuration.EMPTY;
    private @Nullable Configuration nextConfiguration;
    private long batchNumber;
    private long logPosition;
    private int inFlight;
    private long polledAtNanos;
    private long heardAtNanos;
    private boolean stopped;

    Term(
            SchedulingStore store,
            Cluster cluster,
            Leadership leadership,
            AdmissionSettings admission,
            SchedulingSettings settings,
            BlockingQueue<Message> mailbox,
            Committer committer,
            Roster roster,
            LongSupplier nanoTime) {
        this.store = store;
        this.cluster = cluster;
        this.leadership = leadership;
        this.settings = settings;
        this.engine = new Engine(admission);
        this.mailbox = mailbox;
        this.committer = committer;
        this.roster = roster;
        this.takeover = new Takeover(store, cluster, roster, mailbox::add);
        this.nanoTime = nanoTime;
        this.clock = new EngineClock(nanoTime, store.now());
    }

    /** Returns after a stop, with everything committed that was decided. */
    void run(Runnable turned) throws InterruptedException {
        try {
            lead(turned);
        } finally {
            takeover.end();
        }
    }

    private void lead(Runnable turned) throws InterruptedException {
        restore();
        turned.run();
        while (!stopped || inFlight > 0) {
            Message first = mailbox.poll(patienceMillis(), TimeUnit.MILLISECONDS);
            for (Message next = first; next != null; next = mayReceive() ? mailbox.poll() : null) {
                receive(next);
            }
            if (!stopped) {
                poll();
                turn();
            }
            turned.run();
        }
    }

    /** How long there is nothing to do if no message comes. */
    private long patienceMillis() {
        long pollMillis = settings.pollInterval().toMillis();
        return engine.nextTimer()
                .map(due -> Math.clamp(Duration.between(clock.now(), due).toMillis() + 1, 0, pollMillis))
                .orElse(pollMillis);
    }

    /**
     * A full batch is reason to turn, but not while no turn can be made: what makes one possible again, the news of a commit, stands
     * at the end of the mailbox.
     */
    private boolean mayReceive() {
        return inFlight >= IN_FLIGHT_MAX || commands.size() + sightings.size() < settings.inputsMax();
    }

    private void restore() throws InterruptedException {
        long began = nanoTime.getAsLong();
        Snapshot snapshot = store.load();
        long read = nanoTime.getAsLong();
        batchNumber = snapshot.batchNumber();
        logPosition = snapshot.logPosition();
        configuration = snapshot.decidedOn();
        if (snapshot.lastDecidedAt() != null) {
            clock.follow(snapshot.lastDecidedAt());
        }
        Instant at = clock.now();
        snapshot.restore(engine, at);
        for (StoredWorkload stored : snapshot.workloads()) {
            WorkloadStatus status = engine.status(stored.workload().id()).orElse(stored.status());
            Roster.Entry entry = roster.add(stored.workload(), stored.manifest(), status);
            entry.fence = stored.fence();
            entry.jobUid = stored.jobUid();
            entry.startedAt = stored.startedAt();
            deadlines.watch(entry);
        }
        snapshot.unreadable().forEach(row -> setAside(row.workload(), row.why()));
        long restored = nanoTime.getAsLong();
        Turn turn = turnNow();
        turn.restarted();
        configuration = snapshot.configuration();
        turn.configure(configuration);
        takeover.look(turn, settings.leadershipTimeToLive().dividedBy(3));
        long reconciled = nanoTime.getAsLong();
        Turn.Outcome outcome = turn.finish();
        submit(outcome.between(List.of(takeover.expectation(configuration)), looksAtStarts()));
        heardAtNanos = nanoTime.getAsLong();
        LOG.info(() ->
                "%d workloads: read in %d ms, restored in %d ms, reconciled with the cluster in %d ms, decided in %d ms"
                        .formatted(
                                snapshot.workloads().size(),
                                NANOSECONDS.toMillis(read - began),
                                NANOSECONDS.toMillis(restored - read),
                                NANOSECONDS.toMillis(reconciled - restored),
                                NANOSECONDS.toMillis(heardAtNanos - reconciled)));
        pollNow();
    }

    private void setAside(WorkloadId workload, String why) {
        LOG.severe(() ->
                "the stored row of workload " + workload + " cannot be read; it is left as it is and counts for nothing"
                        + " until the row is mended and the service started again: " + why);
        roster.setAside(workload, why);
    }

    private void receive(Message message) {
        switch (message) {
            case Message.Offered offered -> take(offered.command());
            case Message.Observed observed -> sightings.add(observed.observation());
            case Message.Question question -> question.answer().accept(engine, clock.now());
            case Message.Edit edit -> edit(edit);
            case Message.Committed committed -> committed(committed);
            case Message.CommitFailed failed -> throw failed.failure();
            case Message.Surveyed surveyed -> takeover.surveyed(surveyed);
            case Message.Stop stop -> stopped = true;
        }
    }

    private void take(QueuedCommand command) {
        if (readFromTable.remove(command.id()) == null && known.add(command.id())) {
            commands.add(command);
            if (!(command.command() instanceof Command.Submit)
                    && roster.find(command.command().workloadId()) == null) {
                // Its submission may have come through another replica and still wait in the table.
                pollNow();
            }
        }
    }

    private void pollNow() {
        polledAtNanos = nanoTime.getAsLong() - settings.pollInterval().toNanos();
    }

    /** Between two batches: waits until none is in flight, so that none was computed on the version before. */
    private void edit(Message.Edit edit) {
        try {
            while (inFlight > 0) {
                awaitCommit();
            }
        } catch (RuntimeException ending) {
            mailbox.add(edit);
            throw ending;
        }
        try {
            Stored stored = edit.edit().get();
            if (stored.configuration().version() != configuration.version()) {
                nextConfiguration = stored.configuration();
            }
            edit.future().complete(stored);
        } catch (RuntimeException refused) {
            edit.future().completeExceptionally(refused);
        }
    }

    private void awaitCommit() {
        List<Message> others = new ArrayList<>();
        try {
            while (true) {
                Message message = mailbox.take();
                if (message instanceof Message.Committed || message instanceof Message.CommitFailed) {
                    receive(message);
                    break;
                }
                others.add(message);
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            stopped = true;
        } catch (RuntimeException ending) {
            // Whoever waits for an answer gets it from whoever ends the term.
            mailbox.addAll(others);
            throw ending;
        }
        for (Message other : others) {
            if (other instanceof Message.Edit later) {
                mailbox.add(later);
            } else {
                receive(other);
            }
        }
    }

    private void committed(Message.Committed committed) {
        inFlight--;
        clock.follow(committed.databaseNow());
        heardAtNanos = nanoTime.getAsLong();
        committed.batch().outcomes().forEach(outcome -> known.remove(outcome.commandId()));
        for (Batch.WorkloadChange change : committed.batch().changes()) {
            Roster.Entry entry = roster.find(change.workload());
            if (entry != null) {
                deadlines.watch(entry);
            }
        }
    }

    private void poll() {
        long now = nanoTime.getAsLong();
        if (now - polledAtNanos < settings.pollInterval().toNanos()) {
            return;
        }
        polledAtNanos = now;
        for (Iterator<Map.Entry<Long, Long>> old = readFromTable.entrySet().iterator(); old.hasNext(); ) {
            if (now - old.next().getValue() > OFFER_DELAY_MAX_NANOS) {
                old.remove();
            }
        }
        if (known.size() < KNOWN_COMMANDS_MAX) {
            for (QueuedCommand command : store.commands(known, settings.inputsMax())) {
                known.add(command.id());
                readFromTable.put(command.id(), now);
                if (command.command() instanceof Command.Unreadable unreadable) {
                    setAside(unreadable.workloadId(), unreadable.why());
                } else {
                    commands.add(command);
                }
            }
        }
        // Counted from here, so that slow looks at the table cannot follow each other without a pause.
        polledAtNanos = nanoTime.getAsLong();
        if (nextConfiguration == null && store.configurationVersion() != configuration.version()) {
            nextConfiguration = store.configuration();
        }
        if (inFlight == 0
                && now - heardAtNanos > settings.leadershipTimeToLive().toNanos() / 3) {
            clock.follow(store.renew(leadership, settings.leadershipTimeToLive()));
            heardAtNanos = now;
        }
    }

    private void turn() {
        if (inFlight >= IN_FLIGHT_MAX) {
            return;
        }
        int inputs = settings.inputsMax();
        if (sightings.areGrave()) {
            for (int left = mailbox.size(); left > 0; left--) {
                receive(Objects.requireNonNull(mailbox.poll(), "only the leader takes from its mailbox"));
            }
            inputs = Math.max(inputs, sightings.size());
        }
        Turn turn = turnNow();
        if (nextConfiguration != null) {
            configuration = nextConfiguration;
            nextConfiguration = null;
            turn.configure(configuration);
        }
        takeover.catchUp(turn);
        for (; inputs > 0 && sightings.size() > 0; inputs--) {
            turn.observation(Objects.requireNonNull(sightings.next()));
        }
        for (; inputs > 0 && !commands.isEmpty(); inputs--) {
            turn.command(commands.remove());
        }
        deadlines.passed(clock.now(), roster).forEach(turn::maxDurationExceeded);
        Turn.Outcome outcome = turn.finish();
        List<Effect> looks = looksAtStarts();
        if (outcome.isEmpty()) {
            // A look changes nothing, so nothing has to be committed before it.
            looks.forEach(look -> look.on(cluster));
        } else {
            submit(outcome.between(List.of(), looks));
        }
    }

    private List<Effect> looksAtStarts() {
        List<Effect> looks = new ArrayList<>();
        for (WorkloadId overdue : engine.drainOverdueStarts()) {
            Roster.Entry entry = roster.find(overdue);
            if (entry != null && entry.status.state() == WorkloadState.ADMITTED) {
                looks.add(new Effect.LookAtStart(overdue, entry.fence));
            }
        }
        return looks;
    }

    private Turn turnNow() {
        return new Turn(engine, roster, configuration, clock.now(), batchNumber + 1, logPosition);
    }

    private void submit(Turn.Outcome outcome) {
        batchNumber = outcome.batch().number();
        logPosition = outcome.logPosition();
        inFlight++;
        committer.submit(outcome);
    }
}
