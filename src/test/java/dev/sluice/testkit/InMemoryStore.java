package dev.sluice.testkit;

import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.LocalQueueUsage;
import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.Command;
import dev.sluice.scheduling.CommandOutcome;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.ConfigurationMoved;
import dev.sluice.scheduling.ConfigurationStore;
import dev.sluice.scheduling.Deposed;
import dev.sluice.scheduling.IntakeStore;
import dev.sluice.scheduling.LeadershipStore;
import dev.sluice.scheduling.QueuedCommand;
import dev.sluice.scheduling.ReplayReader;
import dev.sluice.scheduling.SchedulingStore;
import dev.sluice.scheduling.StoreUnavailable;
import dev.sluice.scheduling.Submission;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A store that forgets with its process and otherwise keeps PostgreSQL's promises: everything of a call or nothing, one fence for
 * all commits, legal changes of state only, names and keys unique. {@code StoreContractTest} holds both to them.
 *
 * <p>Safe for use by any thread; one lock for everything.
 */
public final class InMemoryStore
        implements IntakeStore, SchedulingStore, LeadershipStore, ConfigurationStore, ReplayReader {
    private static final Duration KEY_KEPT = Duration.ofHours(24);

    private final InstantSource clock;
    private boolean available = true;

    final Map<WorkloadId, InMemoryRow> rows = new HashMap<>();
    final TreeMap<Long, QueuedCommand> commands = new TreeMap<>();
    final List<LoggedBatch> log = new ArrayList<>();
    final List<dev.sluice.overview.EvictionRow> evictions = new ArrayList<>();
    private final Map<Long, CommandOutcome> outcomes = new HashMap<>();
    private final Map<List<String>, Key> keys = new HashMap<>();
    private final List<Configuration> configurations = new ArrayList<>(List.of(Configuration.EMPTY));
    private final Map<String, ObjectVersion> versions = new TreeMap<>();

    private long lastSequence;
    private long lastCommand;
    private @Nullable Leadership leadership;
    private Instant leadershipExpires = Instant.MIN;
    private final java.util.TreeMap<String, LocalQueueUsage> usages = new java.util.TreeMap<>();
    private long batch;
    private long position;
    private @Nullable Instant decidedAt;
    private Configuration decidedOn = Configuration.EMPTY;

    private record Key(String bodyHash, WorkloadId workload, Instant expires) {}

    public InMemoryStore(InstantSource clock) {
        this.clock = clock;
    }

    /** While it is not, every call fails as if the database were away. */
    public synchronized void setAvailable(boolean available) {
        this.available = available;
    }

    void reach() {
        if (!available) {
            throw new StoreUnavailable("the in-memory store is switched off", null);
        }
    }

    private Instant clockNow() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    @Override
    public synchronized List<SubmissionResult> submit(List<Submission> submissions) {
        reach();
        return submissions.stream().map(this::submit).toList();
    }

    private SubmissionResult submit(Submission submission) {
        Instant now = clockNow();
        String idempotencyKey = submission.idempotencyKey();
        List<String> scoped = idempotencyKey == null ? List.of() : List.of(submission.caller(), idempotencyKey);
        Key held = idempotencyKey == null ? null : keys.get(scoped);
        if (idempotencyKey != null && held != null && held.expires().isAfter(now)) {
            return held.bodyHash().equals(submission.bodyHash())
                    ? new SubmissionResult.AlreadySubmitted(held.workload())
                    : new SubmissionResult.KeyReused(idempotencyKey);
        }
        for (InMemoryRow row : rows.values()) {
            if (row.workload.namespace().equals(submission.namespace())
                    && row.workload.name().equals(submission.name())
                    && !row.status.state().isFinal()) {
                return new SubmissionResult.NameTaken(row.workload.id());
            }
        }
        Workload workload = new Workload(
                submission.id(),
                ++lastSequence,
                submission.name(),
                submission.namespace(),
                submission.localQueue(),
                submission.priorityClass(),
                submission.priority(),
                submission.podSets(),
                now,
                submission.expectedDuration(),
                submission.maxDuration());
        if (rows.containsKey(workload.id())) {
            throw new IllegalStateException("workload " + workload.id() + " exists");
        }
        rows.put(workload.id(), new InMemoryRow(workload, submission.manifest(), configuration0()));
        if (idempotencyKey != null) {
            keys.put(scoped, new Key(submission.bodyHash(), workload.id(), now.plus(KEY_KEPT)));
        }
        Command command = new Command.Submit(workload, submission.manifest());
        return new SubmissionResult.Accepted(workload, add(command, submission.caller()));
    }

    private long add(Command command, String caller) {
        commands.put(++lastCommand, new QueuedCommand(lastCommand, command, caller));
        return lastCommand;
    }

    @Override
    public synchronized long enqueue(Command command, String caller) {
        reach();
        if (command instanceof Command.Submit) {
            throw new IllegalArgumentException("a submission is stored by submit");
        }
        return add(command, caller);
    }

    @Override
    public synchronized Optional<CommandOutcome> outcome(long commandId) {
        reach();
        return Optional.ofNullable(outcomes.get(commandId));
    }

    @Override
    public synchronized Snapshot load() {
        reach();
        Set<WorkloadId> submitted = new java.util.HashSet<>();
        commands.values().stream()
                .filter(queued -> queued.command() instanceof Command.Submit)
                .forEach(queued -> submitted.add(queued.command().workloadId()));
        List<StoredWorkload> workloads = rows.values().stream()
                .filter(row -> !submitted.contains(row.workload.id()))
                .filter(row -> !row.status.state().isFinal() || row.status.charged())
                .sorted((left, right) -> Long.compare(left.workload.sequence(), right.workload.sequence()))
                .map(InMemoryRow::stored)
                .toList();
        return new Snapshot(
                configuration0(),
                decidedOn,
                batch,
                position,
                decidedAt,
                workloads,
                List.of(),
                List.copyOf(usages.values()));
    }

    @Override
    public synchronized Instant now() {
        reach();
        return clockNow();
    }

    @Override
    public synchronized List<QueuedCommand> commands(Set<Long> known, int limit) {
        reach();
        return commands.values().stream()
                .filter(queued -> !known.contains(queued.id()))
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized Configuration configuration() {
        reach();
        return configuration0();
    }

    Configuration configuration0() {
        return configurations.getLast();
    }

    @Override
    public synchronized long configurationVersion() {
        return configuration().version();
    }

    @Override
    public synchronized Instant commit(Leadership by, Batch written, Duration timeToLive) {
        reach();
        fence(by);
        if (written.configurationVersion() != configuration0().version()) {
            throw new ConfigurationMoved(
                    written.configurationVersion(), configuration0().version());
        }
        written.changes()
                .forEach(change -> Objects.requireNonNull(rows.get(change.workload()), "no such workload")
                        .check(change));
        for (CommandOutcome outcome : written.outcomes()) {
            QueuedCommand command = commands.remove(outcome.commandId());
            if (command != null && (!(command.command() instanceof Command.Submit) || outcome.refusal() != null)) {
                outcomes.put(outcome.commandId(), outcome);
            }
        }
        if (!written.entries().isEmpty()) {
            log.add(new LoggedBatch(written.number(), written.at(), written.entries()));
            position = written.entries().getLast().position();
        }
        written.changes()
                .forEach(change ->
                        Objects.requireNonNull(rows.get(change.workload())).take(change));
        written.evictions().forEach(this::record);
        for (LocalQueueUsage usage : written.usages()) {
            if (usage.consumed().isEmpty()) {
                usages.remove(usage.localQueue());
            } else {
                usages.put(usage.localQueue(), usage);
            }
        }
        batch = written.number();
        decidedAt = written.at();
        decidedOn = configuration0();
        leadershipExpires = clockNow().plus(timeToLive);
        return clockNow();
    }

    private void record(Batch.Eviction eviction) {
        InMemoryRow victim = Objects.requireNonNull(rows.get(eviction.victim()), "no such victim");
        InMemoryRow preemptor = eviction.preemptor() == null ? null : rows.get(eviction.preemptor());
        evictions.add(new dev.sluice.overview.EvictionRow(
                evictions.size() + 1L,
                eviction.victim(),
                victim.workload.name(),
                victim.workload.namespace(),
                eviction.victimQueue(),
                eviction.reason(),
                eviction.preemptor(),
                preemptor == null ? null : preemptor.workload.name(),
                preemptor == null ? null : preemptor.workload.namespace(),
                eviction.preemptorQueue(),
                eviction.cohort(),
                eviction.at()));
    }

    @Override
    public synchronized Instant renew(Leadership by, Duration timeToLive) {
        reach();
        fence(by);
        leadershipExpires = clockNow().plus(timeToLive);
        return clockNow();
    }

    private void fence(Leadership by) {
        if (!by.equals(leadership)) {
            throw new Deposed(by + " no longer leads: " + leadership + " does");
        }
        if (!leadershipExpires.isAfter(clockNow())) {
            throw new Deposed(by + " let the lead expire at " + leadershipExpires);
        }
    }

    @Override
    public synchronized Optional<Leadership> acquire(String holder, Duration timeToLive) {
        reach();
        Leadership led = leadership;
        if (led != null && !led.holder().equals(holder) && leadershipExpires.isAfter(clockNow())) {
            return Optional.empty();
        }
        Leadership taken = new Leadership(holder, led == null ? 1 : led.epoch() + 1);
        leadership = taken;
        leadershipExpires = clockNow().plus(timeToLive);
        return Optional.of(taken);
    }

    @Override
    public synchronized void resign(Leadership by) {
        reach();
        if (by.equals(leadership)) {
            leadershipExpires = clockNow();
        }
    }

    @Override
    public synchronized Optional<Leadership> current() {
        reach();
        return Optional.ofNullable(leadership);
    }

    @Override
    public synchronized Stored read() {
        reach();
        return new Stored(configuration0(), Map.copyOf(versions));
    }

    @Override
    public synchronized Stored edit(String author, Function<Stored, List<ConfigurationChange>> edit) {
        Stored before = read();
        Map<List<Object>, ConfigurationChange> net = new java.util.LinkedHashMap<>();
        for (ConfigurationChange change : edit.apply(before)) {
            net.put(List.of(change.kind(), change.key()), change);
        }
        // Quantities are equal by value, but their text says how they were written.
        net.values()
                .removeIf(change -> InMemoryConfiguration.text(before.configuration(), change)
                        .equals(InMemoryConfiguration.text(
                                ConfigurationChange.applied(before.configuration(), List.of(change)), change)));
        if (net.isEmpty()) {
            return before;
        }
        long version = before.configuration().version() + 1;
        Configuration after = ConfigurationChange.applied(before.configuration(), List.copyOf(net.values()));
        configurations.add(InMemoryConfiguration.withVersion(after, version));
        net.values().forEach(change -> {
            String path = change.kind().path() + "/" + change.key();
            ObjectVersion old = versions.get(path);
            if (change instanceof ConfigurationChange.Delete) {
                versions.remove(path);
            } else {
                Instant now = clockNow();
                versions.put(path, new ObjectVersion(version, old == null ? now : old.createdAt(), now));
            }
        });
        return read();
    }

    @Override
    public synchronized void replay(Consumer<LoggedBatch> receiver) {
        log.forEach(receiver);
    }

    @Override
    public synchronized @Nullable LastSeen lastSeen() {
        EngineEvent.CapacityChanged capacity = last(EngineEvent.CapacityChanged.class);
        EngineEvent.NamespacesChanged namespaces = last(EngineEvent.NamespacesChanged.class);
        return capacity == null || namespaces == null ? null : new LastSeen(capacity.capacity(), namespaces.labels());
    }

    private <T extends EngineEvent> @Nullable T last(Class<T> kind) {
        return log.stream()
                .flatMap(batch -> batch.entries().stream())
                .filter(Batch.Entry.Input.class::isInstance)
                .map(entry -> ((Batch.Entry.Input) entry).event())
                .filter(kind::isInstance)
                .map(kind::cast)
                .reduce((before, after) -> after)
                .orElse(null);
    }
}
