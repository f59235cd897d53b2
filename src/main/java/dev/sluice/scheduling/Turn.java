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
import java.util.SortedMap;
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
        Outcome preceded(Effect first) {
            List<Effect> all = new ArrayList<>(effects.size() + 1);
            all.add(first);
            all.addAll(effects);
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
        switch (observation) {
            case Observation.Capacity seen -> apply(new EngineEvent.CapacityChanged(seen.capacity()));
            case Observation.Namespaces seen -> namespaces(seen.labels());
            case Observation.Created created -> created(created);
            case Observation.Ready ready -> ready(ready);
            case Observation.Reclaimable done -> reclaimable(done);
            case Observation.ScaledDown scaled -> scaledDown(scaled);
            case Observation.Checkpointed reached ->
                ofThisRun(
                        reached.workload(),
                        reached.fence(),
                        new EngineEvent.CheckpointReached(reached.workload(), reached.at()));
            case Observation.StartRejected rejected ->
                ofThisRun(
                        rejected.workload(),
                        rejected.fence(),
                        new EngineEvent.StartRejected(rejected.workload(), rejected.reason()));
            case Observation.Finished finished -> finished(finished);
            case Observation.Deleted deleted -> deleted(deleted);
            case Observation.Gone gone -> gone(gone);
            case Observation.Refused refused -> refused(refused);
        }
    }

    private void created(Observation.Created created) {
        Roster.Entry entry = roster.find(created.workload());
        if (entry != null && !Objects.equals(entry.jobUid, created.uid())) {
            entry.jobUid = created.uid();
            touch(created.workload());
        }
    }

    private void ready(Observation.Ready ready) {
        Roster.Entry entry = roster.find(ready.workload());
        if (entry != null && entry.fence == ready.fence() && state(ready.workload()) == WorkloadState.ADMITTED) {
            apply(new EngineEvent.PodsReady(ready.workload()));
        }
    }

    /** The cluster is told the smaller number, by which it sees to it that no more come back. */
    private void scaledDown(Observation.ScaledDown scaled) {
        WorkloadId id = scaled.workload();
        Roster.Entry entry = roster.find(id);
        Assignment before = engine.status(id).map(WorkloadStatus::assignment).orElse(null);
        if (entry == null || entry.fence != scaled.fence() || before == null) {
            return;
        }
        apply(new EngineEvent.PodsScaledDown(id, scaled.counts()));
        WorkloadStatus after = engine.status(id).orElseThrow();
        if (after.assignment() != null && !after.assignment().equals(before)) {
            entry.workload = after.particulars().asksNow(entry.workload);
            touch(id);
            effects.add(release(entry, after.assignment()));
        }
    }

    private void ofThisRun(WorkloadId workload, long fence, EngineEvent event) {
        Roster.Entry entry = roster.find(workload);
        if (entry != null && entry.fence == fence) {
            apply(event);
            touch(workload);
        }
    }

    private void reclaimable(Observation.Reclaimable done) {
        Roster.Entry entry = roster.find(done.workload());
        if (entry != null && entry.fence == done.fence()) {
            learnReclaimable(entry, done.reclaimable());
        }
    }

    /** What the cluster says of pods that are done, if that is news; counts of pods that the workload has not are none. */
    void learnReclaimable(Roster.Entry entry, SortedMap<String, Integer> reclaimable) {
        WorkloadId id = entry.workload.id();
        if (engine.status(id)
                .filter(status -> !status.particulars().reclaimablePods().equals(reclaimable))
                .isPresent()) {
            apply(new EngineEvent.PodsReclaimable(id, reclaimable));
            touch(id);
        }
    }

    /** True whatever its fence: a job that ended cannot run again, so this tells of no older run. */
    private void finished(Observation.Finished finished) {
        Roster.Entry entry = roster.find(finished.workload());
        WorkloadState state = state(finished.workload());
        if (entry == null
                || (state != WorkloadState.ADMITTED
                        && state != WorkloadState.RUNNING
                        && state != WorkloadState.EVICTING)) {
            return;
        }
        if (!finished.succeeded()) {
            entry.failure = finished.message();
        }
        apply(new EngineEvent.WorkloadFinished(finished.workload(), finished.succeeded()));
    }

    /** Whoever deletes the job wants the workload no more. What it holds stays charged until its pods are gone. */
    private void deleted(Observation.Deleted deleted) {
        Roster.Entry entry = roster.find(deleted.workload());
        if (entry != null && engine.status(deleted.workload()).isPresent()) {
            entry.failure = "its Job was deleted";
            apply(new EngineEvent.CancelRequested(deleted.workload()));
            touch(deleted.workload());
        }
    }

    private void gone(Observation.Gone gone) {
        Roster.Entry entry = roster.find(gone.workload());
        if (entry != null && entry.fence == gone.fence() && state(gone.workload()) == WorkloadState.EVICTING) {
            apply(new EngineEvent.PodsGone(gone.workload()));
        }
    }

    private void refused(Observation.Refused refused) {
        Roster.Entry entry = roster.find(refused.workload());
        if (entry != null && engine.status(refused.workload()).isPresent()) {
            entry.failure = refused.reason();
            apply(new EngineEvent.WorkloadRefused(refused.workload(), refused.reason()));
        }
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
                effects.add(
                        release.create()
                                ? new Effect.Create(entry.workload, entry.manifest, entry.fence)
                                : new Effect.AdvanceFence(id, entry.fence));
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
        return new Effect.Release(entry.workload, assignment, Placement.of(assignment, configuration), entry.fence);
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

    private @Nullable WorkloadState state(WorkloadId workload) {
        return engine.status(workload).map(WorkloadStatus::state).orElse(null);
    }

    void apply(EngineEvent event) {
        entries.add(new Batch.Entry.Input(++position, event));
        engine.apply(event, at);
    }
}
