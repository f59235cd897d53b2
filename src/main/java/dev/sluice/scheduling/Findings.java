package dev.sluice.scheduling;

import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.util.Objects;

/** Makes engine events of what the cluster showed. What tells of a run that is over, or of nobody who is known, changes nothing. */
final class Findings {
    private final Turn turn;
    private final Engine engine;
    private final Roster roster;

    Findings(Turn turn, Engine engine, Roster roster) {
        this.turn = turn;
        this.engine = engine;
        this.roster = roster;
    }

    void takeIn(Observation observation) {
        switch (observation) {
            case Observation.Capacity seen -> turn.capacity(seen.capacity());
            case Observation.Namespaces seen -> turn.namespaces(seen.labels());
            case Observation.Created created -> created(created);
            case Observation.FencedOff ahead -> fencedOff(ahead);
            case Observation.Ready ready ->
                ofThisStart(ready.workload(), ready.fence(), new EngineEvent.PodsReady(ready.workload()));
            case Observation.Unready unready ->
                ofThisStart(unready.workload(), unready.fence(), new EngineEvent.PodsNotReady(unready.workload()));
            case Observation.Reclaimable done -> reclaimable(done);
            case Observation.ScaledDown scaled -> scaledDown(scaled);
            case Observation.ScaledUp scaled -> scaledUp(scaled);
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
            turn.touch(created.workload());
        }
    }

    /** To be written down it has to be committed, which a leader that was deposed cannot; so whoever can is right to go beyond it. */
    private void fencedOff(Observation.FencedOff ahead) {
        Roster.Entry entry = roster.find(ahead.workload());
        if (entry != null && entry.fence < ahead.fence()) {
            entry.fence = ahead.fence() + 1;
            turn.touch(ahead.workload());
            turn.follow(new Effect.AdvanceFence(ahead.workload(), entry.fence));
        }
    }

    private void ofThisStart(WorkloadId workload, long fence, EngineEvent event) {
        Roster.Entry entry = roster.find(workload);
        if (entry != null && entry.fence == fence && turn.state(workload) == WorkloadState.ADMITTED) {
            turn.apply(event);
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
        turn.apply(new EngineEvent.PodsScaledDown(id, scaled.counts()));
        WorkloadStatus after = engine.status(id).orElseThrow();
        if (after.assignment() != null && !after.assignment().equals(before)) {
            entry.workload = after.particulars().asksNow(entry.workload);
            turn.touch(id);
            turn.releaseAgain(entry, after.assignment());
        }
    }

    /** It loses nothing by being stopped, and gets its pods when there is quota for them. */
    private void scaledUp(Observation.ScaledUp scaled) {
        WorkloadId id = scaled.workload();
        Roster.Entry entry = roster.find(id);
        if (entry != null && entry.fence == scaled.fence()) {
            entry.workload = entry.workload.asking(entry.workload.podSets().stream()
                    .map(podSet -> podSet.withCount(scaled.counts().getOrDefault(podSet.name(), podSet.count())))
                    .toList());
            turn.apply(new EngineEvent.PodSetsChanged(id, entry.workload.podSets()));
            turn.touch(id);
        }
    }

    private void ofThisRun(WorkloadId workload, long fence, EngineEvent event) {
        Roster.Entry entry = roster.find(workload);
        if (entry != null && entry.fence == fence) {
            turn.apply(event);
            turn.touch(workload);
        }
    }

    /** If that is news; counts of pods that the workload has not are none. */
    private void reclaimable(Observation.Reclaimable done) {
        Roster.Entry entry = roster.find(done.workload());
        boolean isNews = engine.status(done.workload())
                .filter(status -> !status.particulars().reclaimablePods().equals(done.reclaimable()))
                .isPresent();
        if (entry != null && entry.fence == done.fence() && isNews) {
            turn.apply(new EngineEvent.PodsReclaimable(done.workload(), done.reclaimable()));
            turn.touch(done.workload());
        }
    }

    /** True whatever its fence: a job that ended cannot run again, so this tells of no older run. */
    private void finished(Observation.Finished finished) {
        Roster.Entry entry = roster.find(finished.workload());
        WorkloadState state = turn.state(finished.workload());
        if (entry == null
                || (state != WorkloadState.ADMITTED
                        && state != WorkloadState.RUNNING
                        && state != WorkloadState.EVICTING)) {
            return;
        }
        if (!finished.succeeded()) {
            entry.failure = finished.message();
        }
        turn.apply(new EngineEvent.WorkloadFinished(finished.workload(), finished.succeeded()));
    }

    /** Whoever deletes the job wants the workload no more. What it holds stays charged until its pods are gone. */
    private void deleted(Observation.Deleted deleted) {
        Roster.Entry entry = roster.find(deleted.workload());
        if (entry != null && engine.status(deleted.workload()).isPresent()) {
            entry.failure = "its Job was deleted";
            turn.apply(new EngineEvent.CancelRequested(deleted.workload()));
            turn.touch(deleted.workload());
        }
    }

    private void gone(Observation.Gone gone) {
        Roster.Entry entry = roster.find(gone.workload());
        if (entry != null && entry.fence == gone.fence() && turn.state(gone.workload()) == WorkloadState.EVICTING) {
            turn.apply(new EngineEvent.PodsGone(gone.workload()));
        }
    }

    private void refused(Observation.Refused refused) {
        Roster.Entry entry = roster.find(refused.workload());
        if (entry != null && engine.status(refused.workload()).isPresent()) {
            entry.failure = refused.reason();
            turn.apply(new EngineEvent.WorkloadRefused(refused.workload(), refused.reason()));
        }
    }
}
