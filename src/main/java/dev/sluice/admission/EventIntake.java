package dev.sluice.admission;

import dev.sluice.workload.Assignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What each event changes at once, before anything is decided. An event about a workload that is unknown, ended, or past the
 * state that the event speaks of is a late observation and changes nothing.
 */
final class EventIntake {
    private final Roster roster;
    private final DecisionLog log;
    private final Checks checks;
    private final Surroundings surroundings;

    EventIntake(Roster roster, DecisionLog log) {
        this.roster = roster;
        this.log = log;
        checks = new Checks(roster, log);
        surroundings = new Surroundings(roster, log, this::evict);
    }

    void take(EngineEvent event) {
        switch (event) {
            case EngineEvent.ConfigurationReplaced replaced -> {
                surroundings.reconfigure(replaced.configuration());
                checks.reconfigure();
            }
            case EngineEvent.CapacityChanged changed -> surroundings.changeCapacity(changed.capacity());
            case EngineEvent.NamespacesChanged changed -> surroundings.changeNamespaces(changed.labels());
            case EngineEvent.WorkloadQueued queued -> queue(queued);
            case EngineEvent.WorkloadRestored restored -> restore(restored);
            case EngineEvent.UsageRestored restored -> roster.histories().restore(restored.usage());
            case EngineEvent.EngineRestarted restarted -> restart(restarted.settings());
            case EngineEvent.MaxDurationExceeded exceeded -> known(exceeded.workload(), this::overrun);
            case EngineEvent.PodsReady ready -> known(ready.workload(), this::ready);
            case EngineEvent.PodsNotReady unready -> known(unready.workload(), roster::sawUnready);
            case EngineEvent.PodsReclaimable done -> known(done.workload(), one -> reclaim(one, done.reclaimable()));
            case EngineEvent.CheckChanged changed -> known(changed.workload(), one -> checks.tell(one, changed));
            case EngineEvent.CheckpointReached reached ->
                known(reached.workload(), one -> checkpoint(one, reached.at()));
            case EngineEvent.StartRejected rejected ->
                known(rejected.workload(), one -> rejectStart(one, rejected.reason()));
            case EngineEvent.WorkloadFinished finished ->
                known(finished.workload(), one -> finish(one, finished.succeeded()));
            case EngineEvent.PodsGone gone -> known(gone.workload(), this::gone);
            case EngineEvent.WorkloadRefused refused -> known(refused.workload(), one -> refuse(one, refused.reason()));
            case EngineEvent.CancelRequested cancel -> known(cancel.workload(), this::cancel);
            case EngineEvent.PriorityChanged changed -> known(changed.workload(), one -> reprioritise(one, changed));
            case EngineEvent.QueueChanged changed -> known(changed.workload(), one -> move(one, changed.localQueue()));
            case EngineEvent.PodSetsChanged changed ->
                known(changed.workload(), one -> reshape(one, changed.podSets()));
            case EngineEvent.PodsScaledDown scaled -> known(scaled.workload(), one -> scaleDown(one, scaled.counts()));
            case EngineEvent.ActivationChanged changed ->
                known(changed.workload(), one -> activate(one, changed.active()));
        }
    }

    private interface Change {
        void to(TrackedWorkload one);
    }

    private void known(WorkloadId id, Change change) {
        TrackedWorkload one = roster.find(id);
        if (one != null) {
            change.to(one);
        }
    }

    // Coming

    private void queue(EngineEvent.WorkloadQueued event) {
        if (roster.find(event.workload().id()) == null) {
            roster.add(new TrackedWorkload(event.workload(), event.queuedAt()));
        }
    }

    private void restore(EngineEvent.WorkloadRestored event) {
        WorkloadStatus status = event.status();
        if (roster.find(event.workload().id()) != null || status.state().isFinal()) {
            return;
        }
        TrackedWorkload one = new TrackedWorkload(event.workload(), status.queuedAt());
        one.state = status.state();
        one.localQueue = status.localQueue();
        one.priorityClass = status.priorityClass();
        one.priority = status.priority();
        one.active = status.active();
        one.assignment = status.assignment();
        one.admittedAt = status.admittedAt();
        one.admissionSequence = status.admissionSequence();
        one.awaited.addAll(status.awaitedVictims());
        one.afterEviction = status.afterEviction();
        one.evictionCount = status.evictionCount();
        one.requeueAt = status.requeueAt();
        one.recall(status.particulars());
        roster.recallPreemptors(one, status.particulars());
        log.sawAdmission(status.admissionSequence());
        if (one.assignment != null && !roster.world().knows(one.assignment)) {
            roster.addRetired(one);
        } else {
            roster.add(one);
        }
    }

    /** What a restored engine cannot know is forgotten here as well, so that a replay goes on like it. */
    private void restart(AdmissionSettings settings) {
        roster.adopt(settings);
        log.forgetAdmissions();
        for (TrackedWorkload one : roster.everybody()) {
            log.sawAdmission(one.admissionSequence);
            one.memory = null;
            if (one.isEvicting()
                    && one.leavingSince == null
                    && settings.stuckVictims().isOn()) {
                one.leavingSince = roster.now();
                roster.treeOf(one.chargeOrThrow().queue()).leaving.add(one);
            }
            if (one.givenUpOn) {
                roster.treeOf(one.chargeOrThrow().queue()).givesUp();
            }
        }
        roster.trees().forEach(TreeState::wakeEverybody);
    }

    // Running and ending

    private void ready(TrackedWorkload one) {
        if (one.state == WorkloadState.ADMITTED) {
            roster.become(one, WorkloadState.RUNNING);
            if (roster.settings.startRetries().resetWhenReady()) {
                one.failedStarts = 0;
                one.failedStart = null;
            }
            log.become(one, WorkloadState.RUNNING, null);
        }
    }

    private void checkpoint(TrackedWorkload one, @Nullable Instant at) {
        Instant saved = at == null || at.isAfter(roster.now()) ? roster.now() : at;
        boolean news = one.checkpointAt == null || saved.isAfter(one.checkpointAt);
        if (news && (one.isRunning() || one.isEvicting())) {
            roster.changeOrder(one, () -> one.checkpointAt = saved);
        }
    }

    /** Nothing runs, but its job may be on its way to; so it is stopped like any other and its charge ends when that is done. */
    private void rejectStart(TrackedWorkload one, String reason) {
        if (one.state == WorkloadState.ADMITTED) {
            roster.holdings().failStart(one, reason);
            roster.treeOf(one.chargeOrThrow().queue()).wake();
            log.evict(one, EvictionReason.START_REJECTED);
        }
    }

    private void reclaim(TrackedWorkload one, SortedMap<String, Integer> told) {
        SortedMap<String, Integer> done = ActivePods.within(one.workload.podSets(), told);
        if (done.equals(one.reclaimable)) {
            return;
        }
        if (one.assignment != null) {
            roster.holdings().recharge(one, done);
        } else if (one.state.waits()) {
            roster.dequeue(one);
            one.reclaimable = done;
            roster.enqueue(one);
        } else {
            one.reclaimable = done;
        }
    }

    private void finish(TrackedWorkload one, boolean succeeded) {
        if (one.isRunning() || one.isEvicting()) {
            end(one, succeeded ? WorkloadState.SUCCEEDED : WorkloadState.FAILED, null);
        }
    }

    private void refuse(TrackedWorkload one, String reason) {
        if (one.state == WorkloadState.RESERVED) {
            checks.giveUp(one, EvictionReason.START_REJECTED, WorkloadState.PENDING);
        }
        if (one.state == WorkloadState.PENDING || one.isRunning() || one.isEvicting()) {
            end(one, WorkloadState.FAILED, reason);
        }
    }

    private void overrun(TrackedWorkload one) {
        if (one.isRunning()) {
            one.active = false;
            evict(one, EvictionReason.MAXIMUM_EXECUTION_TIME_EXCEEDED, WorkloadState.INACTIVE);
        }
    }

    private void gone(TrackedWorkload one) {
        if (!one.isEvicting()) {
            return;
        }
        WorkloadState next = one.afterEviction == null ? WorkloadState.PENDING : one.afterEviction;
        if (next.isFinal()) {
            end(one, next, null);
            return;
        }
        roster.holdings().endCharge(one);
        one.waitingSince = roster.now();
        roster.become(one, next);
        log.become(one, next, next == WorkloadState.INACTIVE ? one.failedStart : null);
        if (next.waits()) {
            roster.enqueue(one);
        }
    }

    private void end(TrackedWorkload one, WorkloadState last, @Nullable String why) {
        boolean wasEarmarked = one.isEarmarked();
        if (wasEarmarked) {
            roster.holdings().dropEarmark(one);
            log.dropEarmark(one, "the workload ended");
        } else if (one.charge != null) {
            roster.holdings().endCharge(one);
        } else {
            roster.dequeue(one);
        }
        roster.become(one, last);
        roster.forget(one);
        log.become(one, last, why);
    }

    // Wishes

    private void cancel(TrackedWorkload one) {
        switch (one.state) {
            case PENDING, RESERVED, INACTIVE -> end(one, WorkloadState.CANCELLED, null);
            case ADMITTED, RUNNING -> evict(one, EvictionReason.CANCELLED, WorkloadState.CANCELLED);
            case EVICTING -> one.afterEviction = WorkloadState.CANCELLED;
            case SUCCEEDED, FAILED, CANCELLED -> {}
        }
    }

    private void activate(TrackedWorkload one, boolean active) {
        if (one.active == active) {
            return;
        }
        one.active = active;
        if (active) {
            resume(one);
            return;
        }
        switch (one.state) {
            case PENDING -> {
                withdraw(one, "deactivated");
                roster.become(one, WorkloadState.INACTIVE);
                log.become(one, WorkloadState.INACTIVE, null);
            }
            case RESERVED -> checks.giveUp(one, EvictionReason.DEACTIVATED, WorkloadState.INACTIVE);
            case ADMITTED, RUNNING -> evict(one, EvictionReason.DEACTIVATED, WorkloadState.INACTIVE);
            case EVICTING -> {
                if (one.afterEviction != WorkloadState.CANCELLED) {
                    one.afterEviction = WorkloadState.INACTIVE;
                }
            }
            case INACTIVE, SUCCEEDED, FAILED, CANCELLED -> {}
        }
    }

    private void resume(TrackedWorkload one) {
        if (one.state == WorkloadState.INACTIVE) {
            one.requeueAt = null;
            one.failedStarts = 0;
            one.failedStart = null;
            roster.become(one, WorkloadState.PENDING);
            log.become(one, WorkloadState.PENDING, null);
            roster.enqueue(one);
        } else if (one.isEvicting() && one.afterEviction == WorkloadState.INACTIVE) {
            one.afterEviction = WorkloadState.PENDING;
        }
    }

    private void evict(TrackedWorkload one, EvictionReason reason, WorkloadState afterEviction) {
        roster.holdings().startEviction(one, afterEviction);
        roster.treeOf(one.chargeOrThrow().queue()).wake();
        log.evict(one, reason);
    }

    private void reprioritise(TrackedWorkload one, EngineEvent.PriorityChanged event) {
        boolean moved = one.priority != event.priority();
        boolean waits = one.state.waits();
        if (!moved) {
            one.priorityClass = event.priorityClass();
            return;
        }
        if (waits) {
            withdraw(one, "its priority changed");
        }
        Runnable change = () -> {
            one.priorityClass = event.priorityClass();
            one.priority = event.priority();
        };
        roster.changeOrder(one, change);
        if (waits) {
            roster.enqueue(one);
        } else if (one.charge != null) {
            roster.treeOf(one.chargeOrThrow().queue()).wake();
        }
    }

    private void move(TrackedWorkload one, String localQueue) {
        if (one.state.waits()) {
            withdraw(one, "it moved to another queue");
            one.localQueue = localQueue;
            // How far it got among the flavors of one queue says nothing of another's.
            one.memory = null;
            roster.enqueue(one);
        } else if (one.state == WorkloadState.INACTIVE) {
            one.localQueue = localQueue;
        }
    }

    private void reshape(TrackedWorkload one, List<PodSet> podSets) {
        if (one.state == WorkloadState.RESERVED) {
            checks.giveUp(one, EvictionReason.REQUEST_CHANGED, WorkloadState.PENDING);
        }
        if (one.isRunning()) {
            evict(one, EvictionReason.REQUEST_CHANGED, WorkloadState.PENDING);
        }
        if (one.state.waits()) {
            withdraw(one, "it asks for something else");
            one.reshape(podSets);
            one.memory = null;
            roster.enqueue(one);
        } else if (one.state == WorkloadState.INACTIVE || one.isEvicting()) {
            one.reshape(podSets);
        }
    }

    private void scaleDown(TrackedWorkload one, SortedMap<String, Integer> counts) {
        Assignment holds = one.assignment;
        if (one.isRunning() && holds != null) {
            Assignment smaller = ActivePods.atMost(holds, counts);
            if (!smaller.equals(holds)) {
                roster.holdings().scaleDown(one, smaller);
            }
        }
    }

    /** Takes a waiting workload out of its queue, with its earmark if it has one. */
    private void withdraw(TrackedWorkload one, String why) {
        if (one.isEarmarked()) {
            roster.holdings().dropEarmark(one);
            log.dropEarmark(one, why);
        } else {
            roster.dequeue(one);
        }
    }
}
