package dev.sluice.scheduling;

import dev.sluice.admission.Decision;
import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.EvictionReason;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.WorkloadPriorityClass;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One instant of the leader: takes inputs, lets the engine decide, and comes out as a batch to commit and the effects that follow the
 * commit. Everything happens at one engine time. Used once, by the leader's thread.
 */
final class Turn {
    private final Engine engine;
    private final Roster roster;
    private final Instant at;
    private final long number;
    private Configuration configuration;
    private long position;

    private final List<Batch.Entry> entries = new ArrayList<>();
    private final Map<WorkloadId, List<WorkloadState>> touched = new LinkedHashMap<>();
    private final List<Batch.Eviction> evictions = new ArrayList<>();
    private final List<CommandOutcome> outcomes = new ArrayList<>();
    private final List<Effect> effects = new ArrayList<>();

    /** @param logPosition of the last entry before this turn */
    Turn(Engine engine, Roster roster, Configuration configuration, Instant at, long number, long logPosition) {
        this.engine = engine;
        this.roster = roster;
        this.configuration = configuration;
        this.at = at;
        this.number = number;
        this.position = logPosition;
    }

    /** @param effects in the order in which they are to be carried out, after the commit */
    record Outcome(Batch batch, List<Effect> effects, Configuration configuration, long logPosition) {
        Outcome between(List<Effect> first, List<Effect> last) {
            List<Effect> all =
                    Stream.of(first, effects, last).flatMap(List::stream).toList();
            return new Outcome(batch, all, configuration, logPosition);
        }

        boolean isEmpty() {
            return batch.entries().isEmpty()
                    && batch.changes().isEmpty()
                    && batch.outcomes().isEmpty();
        }
    }

    void restarted() {
        apply(new EngineEvent.EngineRestarted(engine.settings()));
        // Of one that leaves, the time may be counted from now on that was not counted before.
        for (Roster.Entry entry : roster.entries()) {
            WorkloadId id = entry.workload.id();
            if (entry.status.state() == WorkloadState.EVICTING
                    && !engine.status(id).equals(Optional.of(entry.status))) {
                touch(id);
            }
        }
    }

    /** Priority classes carry their new value to work that waits and runs; waiting work follows its LocalQueue. */
    void configure(Configuration next) {
        Configuration before = configuration;
        configuration = next;
        apply(new EngineEvent.ConfigurationReplaced(next));
        boolean queuesMoved = !before.localQueues().equals(next.localQueues());
        for (Roster.Entry entry : roster.entries()) {
            WorkloadId id = entry.workload.id();
            String name = entry.status.priorityClass();
            WorkloadPriorityClass priorityClass =
                    name == null ? null : next.priorityClasses().get(name);
            if (priorityClass != null && priorityClass.value() != entry.status.priority()) {
                apply(new EngineEvent.PriorityChanged(id, name, priorityClass.value()));
                touch(id);
            }
            if (queuesMoved) {
                touch(id);
            }
        }
    }

    void capacity(dev.sluice.topology.UsableCapacity capacity) {
        apply(new EngineEvent.CapacityChanged(capacity));
    }

    void namespaces(SortedMap<String, SortedMap<String, String>> labels) {
        apply(new EngineEvent.NamespacesChanged(labels));
    }

    void command(QueuedCommand queued) {
        String refusal = new Wishes(this, engine, roster, configuration, at).carryOut(queued.command());
        outcomes.add(new CommandOutcome(queued.id(), refusal));
    }

    void follow(Effect effect) {
        effects.add(effect);
    }

    void observation(Observation observation) {
        new Findings(this, engine, roster).takeIn(observation);
    }

    /** The cluster follows what its workload holds now, under the fence that it has. */
    void releaseAgain(Roster.Entry entry, Assignment assignment) {
        effects.add(release(entry, assignment));
    }

    void maxDurationExceeded(WorkloadId workload) {
        if (state(workload) == WorkloadState.RUNNING) {
            apply(new EngineEvent.MaxDurationExceeded(workload));
        }
    }

    /** What {@link Reconciliation} found for one workload at a start. */
    void reconcile(Roster.Entry entry, Reconciliation reconciliation) {
        WorkloadId id = entry.workload.id();
        switch (reconciliation) {
            case Reconciliation.Nothing nothing -> {}
            case Reconciliation.Create create ->
                effects.add(new Effect.Create(entry.workload, entry.manifest, entry.fence));
            case Reconciliation.ReleaseAnew release -> {
                entry.fence++;
                touch(id);
                if (release.create()) {
                    effects.add(new Effect.Create(entry.workload, entry.manifest, entry.fence));
                }
                // It may be there by now, created under an older fence.
                effects.add(new Effect.AdvanceFence(id, entry.fence));
                effects.add(release(entry, Objects.requireNonNull(entry.status.assignment())));
            }
            case Reconciliation.StopAgain stop -> effects.add(new Effect.Stop(id, entry.fence));
            case Reconciliation.StopUnadmitted stop -> stop(entry);
            case Reconciliation.Learn learn -> observation(learn.observation());
        }
    }

    /** Decides, and closes the turn. The roster is left as after the instant. */
    Outcome finish() {
        for (Decision decision : engine.decide(at)) {
            entries.add(new Batch.Entry.Decided(++position, decision));
            follow(decision);
        }
        List<Batch.WorkloadChange> changes = new ArrayList<>(touched.size());
        touched.forEach((id, path) -> changes.add(change(id, path)));
        return new Outcome(
                new Batch(
                        number,
                        at,
                        configuration.version(),
                        entries,
                        changes,
                        evictions,
                        outcomes,
                        engine.drainUsage()),
                List.copyOf(effects),
                configuration,
                position);
    }

    private void follow(Decision decision) {
        switch (decision) {
            case Decision.Admit admit -> {
                touch(admit.workload()).add(WorkloadState.ADMITTED);
                Roster.Entry entry = roster.get(admit.workload());
                effects.add(release(entry, admit.assignment()));
            }
            case Decision.Preempt preempt -> {
                touch(preempt.workload());
                preempt.victims()
                        .forEach(victim -> evicted(
                                victim.workload(),
                                victim.reason().code(),
                                preempt.workload(),
                                preempt.assignment().clusterQueue(),
                                victim.cohort()));
            }
            case Decision.DropEarmark drop -> touch(drop.workload());
            case Decision.ScheduleStop stop -> touch(stop.workload());
            case Decision.Stuck stuck -> touch(stuck.workload());
            case Decision.Reserve reserve -> touch(reserve.workload()).add(WorkloadState.RESERVED);
            case Decision.ChangeChecks change -> touch(change.workload());
            case Decision.Unreserve unreserve -> unreserved(unreserve);
            case Decision.Evict evict ->
                evicted(evict.workload(), evict.reason().code(), null, null, null);
            case Decision.Become become -> become(become);
        }
    }

    private void evicted(
            WorkloadId victim,
            String reason,
            @Nullable WorkloadId preemptor,
            @Nullable String preemptorQueue,
            @Nullable String cohort) {
        touch(victim).add(WorkloadState.EVICTING);
        Roster.Entry entry = roster.get(victim);
        if (reason.equals(EvictionReason.CANCELLED.code())) {
            effects.add(new Effect.Retire(victim));
        }
        stop(entry);
        String queue = entry.status.clusterQueue();
        evictions.add(
                new Batch.Eviction(victim, reason, preemptor, preemptorQueue, queue == null ? "" : queue, cohort, at));
    }

    /** Its job was never released, so there is nothing to stop. */
    private void unreserved(Decision.Unreserve unreserve) {
        WorkloadId id = unreserve.workload();
        touch(id).add(unreserve.state());
        String queue = roster.get(id).status.clusterQueue();
        evictions.add(
                new Batch.Eviction(id, unreserve.reason().code(), null, null, queue == null ? "" : queue, null, at));
    }

    private void become(Decision.Become become) {
        touch(become.workload()).add(become.state());
        Roster.Entry entry = roster.get(become.workload());
        switch (become.state()) {
            case RUNNING -> entry.startedAt = at;
            case SUCCEEDED, FAILED -> entry.finishedAt = at;
            case CANCELLED -> {
                // A job that never ran exists all the same; the new fence makes sure that it never will.
                entry.finishedAt = at;
                effects.add(new Effect.Retire(become.workload()));
                if (entry.status.state() != WorkloadState.EVICTING) {
                    stop(entry);
                }
            }
            case PENDING, INACTIVE -> {
                entry.startedAt = null;
                entry.watched = false;
            }
            case RESERVED, ADMITTED, EVICTING -> {}
        }
    }

    private Effect release(Roster.Entry entry, Assignment assignment) {
        WorkloadStatus now = engine.status(entry.workload.id()).orElse(entry.status);
        return new Effect.Release(
                entry.workload.in(now.localQueue()),
                assignment,
                Placement.of(assignment, configuration, now.particulars().checks()),
                entry.fence);
    }

    private void stop(Roster.Entry entry) {
        entry.fence++;
        touch(entry.workload.id());
        effects.add(new Effect.Stop(entry.workload.id(), entry.fence));
    }

    private Batch.WorkloadChange change(WorkloadId id, List<WorkloadState> path) {
        Roster.Entry entry = roster.get(id);
        WorkloadState last = path.isEmpty() ? entry.status.state() : path.getLast();
        entry.status = engine.status(id).orElseGet(() -> entry.status.ended(last));
        if (last.isFinal()) {
            roster.remove(id);
        }
        return new Batch.WorkloadChange(
                id, path, entry.status, entry.fence, entry.jobUid, entry.startedAt, entry.finishedAt, entry.failure);
    }

    List<WorkloadState> touch(WorkloadId workload) {
        return touched.computeIfAbsent(workload, id -> new ArrayList<>(2));
    }

    @Nullable WorkloadState state(WorkloadId workload) {
        return engine.status(workload).map(WorkloadStatus::state).orElse(null);
    }

    void apply(EngineEvent event) {
        entries.add(new Batch.Entry.Input(++position, event));
        engine.apply(event, at);
    }
}
