package dev.sluice.admission;

import dev.sluice.quota.Configuration;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides who is admitted. Apply events, then decide at a time; the decisions come back typed and in order.
 *
 * <p>Deciding repeats Kueue's cycle in memory, tree by tree, until a cycle changes nothing: all of that is one instant, in
 * which a workload is admitted at most once and evicted at most once. At rest nobody who waits would start if looked at
 * again; so an engine that is restored from what was stored decides nothing at first, and then what this one would.
 *
 * <p>Not thread-safe: one thread owns an engine. A {@link #fork} is independent and may be given to another thread.
 */
public final class Engine {
    private final Roster roster;
    private final DecisionLog log = new DecisionLog();
    private final EventIntake intake;
    private final Decider decider;

    public Engine(AdmissionSettings settings) {
        roster = new Roster(settings);
        intake = new EventIntake(roster, log);
        decider = new Decider(roster, log);
    }

    public AdmissionSettings settings() {
        return roster.settings;
    }

    /**
     * Takes the event in. State changes that follow at once are decisions, returned by the next {@link #decide}.
     *
     * @throws IllegalStateException if a workload would have to make a change that is not in the table of legal ones
     */
    public void apply(EngineEvent event, Instant at) {
        roster.advanceTo(at);
        intake.take(event);
    }

    /** Repeats cycles until nothing admits, evicts or parks any more. Returns every decision since the last call. */
    public List<Decision> decide(Instant at) {
        roster.advanceTo(at);
        roster.endBackOffs();
        decider.decide();
        return log.drain();
    }

    /** When {@link #decide} is due although no event comes; empty = not before the next event. */
    public Optional<Instant> nextTimer() {
        return Optional.ofNullable(roster.nextTimer());
    }

    /**
     * Whose pods should have been ready by the last {@link #decide}, each told once in a run. It loses its quota only when {@link
     * EngineEvent.PodsNotReady} says, by a look that began after this, that they are not.
     */
    public List<WorkloadId> drainOverdueStarts() {
        return roster.drainOverdue();
    }

    /** A copy that changes nothing here; for what-if. */
    public Engine fork() {
        return Fork.of(roster, log.lastAdmission(), roster.everybody());
    }

    /** Empty = not known (never was, or ended and was forgotten). */
    public Optional<WorkloadStatus> status(WorkloadId workload) {
        return Optional.ofNullable(roster.find(workload)).map(TrackedWorkload::status);
    }

    /** As submitted; empty = not known. */
    public Optional<Workload> workload(WorkloadId workload) {
        return Optional.ofNullable(roster.find(workload)).map(tracked -> tracked.workload);
    }

    /** The configuration in force. */
    public Configuration configuration() {
        return roster.world().configuration();
    }

    /** Why it waits, as last found; empty = it does not wait or is not known. */
    public Optional<WaitReason> reason(WorkloadId workload) {
        return Optional.ofNullable(roster.find(workload)).map(new ReasonLookup(roster)::reason);
    }

    public Optional<Explanation> explain(WorkloadId workload, Instant at) {
        return Optional.ofNullable(roster.find(workload)).map(new Explainer(roster)::explain);
    }

    /** What would be said of a workload that is not submitted, last in line among its equals. */
    public Explanation explain(Workload hypothetical, Instant at) {
        return new Explainer(roster).explainHypothetical(hypothetical, at);
    }

    /** The waiting workloads of a ClusterQueue in the order in which they are considered, earmarked ones first. */
    public List<WorkloadId> pending(String clusterQueue) {
        return pending(clusterQueue, Integer.MAX_VALUE);
    }

    /** The first of {@link #pending(String)}, at a cost that does not grow with the rest of the queue. */
    public List<WorkloadId> pending(String clusterQueue, int limit) {
        CompiledQueue compiled = roster.world().queue(clusterQueue);
        if (compiled == null) {
            return List.of();
        }
        QueueState queue = roster.queue(compiled.node());
        List<WorkloadId> pending = new ArrayList<>();
        take(queue.earmarked, limit, pending);
        take(queue.inOrder(), limit, pending);
        return pending;
    }

    private static void take(Iterable<TrackedWorkload> from, int limit, List<WorkloadId> to) {
        for (TrackedWorkload one : from) {
            if (to.size() >= limit) {
                return;
            }
            to.add(one.id());
        }
    }

    /** 1 = first in its ClusterQueue's true order; 0 = it does not wait. */
    public int position(WorkloadId workload) {
        TrackedWorkload one = roster.find(workload);
        return one == null || one.queue == null ? 0 : one.queue.position(one);
    }

    public QuotaUsage usage() {
        return new UsageReport(roster).usage();
    }

    /** Whoever holds devices, to the state in which; their charge ends when their pods are gone. */
    public Map<WorkloadId, WorkloadState> charged() {
        Map<WorkloadId, WorkloadState> charged = new HashMap<>();
        for (TrackedWorkload one : roster.everybody()) {
            if (one.assignment != null && !one.isEarmarked()) {
                charged.put(one.id(), one.state);
            }
        }
        return charged;
    }

    /** Totals that are not the sum of their parts; anything but an empty list is a bug. Costs a look at every workload. */
    public List<LedgerDrift> ledgerDrift() {
        return LedgerDrift.of(roster);
    }

    /** What LocalQueues used of late, as far as it was written down since the last call: to be stored with the decisions. */
    public List<LocalQueueUsage> drainUsage() {
        return roster.histories().drainChanged();
    }

    /** What a LocalQueue used of late, by resource; empty = nothing, or its ClusterQueue does not go by that. */
    public LocalQueueUsage usageOf(String localQueue) {
        return new LocalQueueUsage(localQueue, roster.histories().consumed(localQueue), roster.now());
    }

    Roster roster() {
        return roster;
    }

    DecisionLog log() {
        return log;
    }
}
