package dev.sluice.admission;

import dev.sluice.workload.Assignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;

/**
 * How workloads come to hold quota, and how they lose it: the one place that moves a charge between the two ledgers of {@link
 * Forest}.
 */
final class Holdings {
    private final Roster roster;

    Holdings(Roster roster) {
        this.roster = roster;
    }

    /** A waiting workload starts to hold its assignment. */
    void admit(TrackedWorkload one, Assignment assignment, Charge charge, long sequence) {
        roster.dequeue(one);
        one.checks = Checks.open(queueOf(charge).compiled.config(), assignment, one.checks);
        roster.become(one, one.checks.isEmpty() ? WorkloadState.ADMITTED : WorkloadState.RESERVED);
        one.assignment = assignment;
        one.admittedAt = roster.treeOf(charge.queue()).timeOfAdmission(roster.now(), roster.settings);
        one.admissionSequence = sequence;
        one.charge = charge;
        one.requeueAt = null;
        one.memory = null;
        occupy(one, charge);
        roster.histories().begin(one);
        roster.starts(one);
        queueOf(charge).generation++;
    }

    /** A waiting workload gets its assignment set aside; victims, if any, have left already. */
    void earmark(TrackedWorkload one, Assignment assignment, Charge charge, List<WorkloadId> awaited) {
        roster.dequeue(one);
        one.assignment = assignment;
        one.admittedAt = roster.treeOf(charge.queue()).timeOfAdmission(roster.now(), roster.settings);
        one.charge = charge;
        one.requeueAt = null;
        one.memory = null;
        one.awaited.clear();
        one.awaited.addAll(awaited);
        charge.addTo(roster.promised());
        queueOf(charge).addHolder(one);
        queueOf(charge).earmarked.add(one);
        roster.treeOf(charge.queue()).earmarked.add(one);
    }

    /** An earmark's room is free: its workload starts to hold it. */
    void admitEarmarked(TrackedWorkload one, long sequence) {
        Charge charge = one.chargeOrThrow();
        queueOf(charge).earmarked.remove(one);
        roster.treeOf(charge.queue()).earmarked.remove(one);
        Assignment assignment = one.assignment;
        one.checks = assignment == null
                ? Collections.emptySortedMap()
                : Checks.open(queueOf(charge).compiled.config(), assignment, one.checks);
        roster.become(one, one.checks.isEmpty() ? WorkloadState.ADMITTED : WorkloadState.RESERVED);
        one.awaited.clear();
        one.admittedAt = roster.treeOf(charge.queue()).timeOfAdmission(roster.now(), roster.settings);
        one.admissionSequence = sequence;
        roster.starts(one);
        charge.addTo(roster.held());
        queueOf(charge).holdersReordered();
        roster.histories().begin(one);
        queueOf(charge).generation++;
    }

    /** The earmark ends; the workload waits, in no queue until it is enqueued again. */
    void dropEarmark(TrackedWorkload one) {
        Charge charge = one.chargeOrThrow();
        queueOf(charge).earmarked.remove(one);
        queueOf(charge).removeHolder(one);
        roster.treeOf(charge.queue()).earmarked.remove(one);
        charge.removeFrom(roster.promised());
        clearAssignment(one);
        roster.treeOf(charge.queue()).wake();
    }

    /** The earmark ends; the workload waits again. */
    void loseEarmark(TrackedWorkload one) {
        dropEarmark(one);
        roster.enqueue(one);
    }

    void startEviction(TrackedWorkload one, WorkloadState afterEviction) {
        roster.become(one, WorkloadState.EVICTING);
        one.afterEviction = afterEviction;
        one.evictionCount++;
        one.stopsAt = null;
        one.leavingSince = roster.settings.stuckVictims().isOn() ? roster.now() : null;
        Instant saved = one.savedUntil(true);
        if (saved != null) {
            one.lostTime = one.lostTime.plus(Duration.between(saved, roster.now()));
        }
        Charge charge = one.chargeOrThrow();
        leave(one, charge);
        roster.treeOf(charge.queue()).dirty = true;
    }

    /** Nothing of it ran: its charge ends at once, and it waits again or not. */
    void unreserve(TrackedWorkload one, WorkloadState next) {
        endCharge(one);
        one.evictionCount++;
        one.waitingSince = roster.now();
        roster.become(one, next);
        if (next.waits()) {
            roster.enqueue(one);
        }
    }

    /** @param preemptorQueue for whose workload it must go */
    void preempt(TrackedWorkload one, String preemptorQueue) {
        one.preemptedInARow = preemptorQueue.equals(one.preemptedBy) ? one.preemptedInARow + 1 : 1;
        one.preemptedBy = preemptorQueue;
        startEviction(one, WorkloadState.PENDING);
    }

    /** Its pods did not start: it leaves, and is tried again later, or is given up. */
    void failStart(TrackedWorkload one, String why) {
        StartRetries retries = roster.settings.startRetries();
        one.failedStarts++;
        one.failedStart = why;
        boolean givenUp = retries.givesUpAfter(one.failedStarts);
        one.active &= !givenUp;
        one.requeueAt = givenUp ? null : retries.retryAt(roster.now(), one.failedStarts);
        startEviction(one, givenUp ? WorkloadState.INACTIVE : WorkloadState.PENDING);
    }

    /** It goes on with fewer pods, and asks for no more if it is evicted. */
    void scaleDown(TrackedWorkload one, Assignment smaller) {
        List<PodSet> podSets = new ArrayList<>();
        for (int index = 0; index < smaller.podSets().size(); index++) {
            PodSet asked = one.workload.podSets().get(index);
            podSets.add(asked.withCount(
                    Math.min(asked.count(), smaller.podSets().get(index).count())));
        }
        SortedMap<String, Integer> done = ActivePods.within(podSets, one.reclaimable);
        one.reshape(podSets);
        one.assignment = smaller;
        one.reclaimable = Collections.emptySortedMap();
        one.activePods = Collections.emptySortedMap();
        recharge(one, done);
    }

    /**
     * Some of its pods are done, or run again after they were: it is charged for those that are active, over quota if need
     * be, since they run.
     */
    void recharge(TrackedWorkload one, SortedMap<String, Integer> done) {
        Assignment holds = one.assignment;
        if (holds == null) {
            throw new IllegalStateException(one.id() + " in state " + one.state + " holds nothing");
        }
        Charge before = one.chargeOrThrow();
        SortedMap<String, Integer> active = ActivePods.after(
                holds, one.workload.podSets(), one.particulars(), done, roster.settings.reclaimFromPartial());
        one.reclaimable = done;
        one.activePods = active;
        Charge after = one.chargeOf(holds, roster.world().tree());
        boolean promises = !one.isEvicting() || one.givenUpOn || !roster.settings.earmarks();
        if (promises) {
            before.removeFrom(roster.promised());
            after.addTo(roster.promised());
        }
        if (roster.settings.earmarks() && !one.isEarmarked()) {
            before.removeFrom(roster.held());
            after.addTo(roster.held());
        }
        one.charge = after;
        queueOf(after).holdersChanged();
        if (!one.isEarmarked()) {
            roster.histories().change(one, before, after);
        }
        queueOf(after).generation++;
        TreeState tree = roster.treeOf(after.queue());
        tree.dirty = true;
        if (after.frees(before)) {
            tree.wake();
        }
    }

    /** The pods are gone: the charge ends, and whoever waited for it is looked at again. */
    void endCharge(TrackedWorkload one) {
        roster.startsNoMore(one);
        Charge charge = one.chargeOrThrow();
        TreeState tree = roster.treeOf(charge.queue());
        boolean wasLeaving = tree.leaving.remove(one);
        if (roster.settings.earmarks()) {
            charge.removeFrom(roster.held());
        }
        if (!roster.settings.earmarks() || !wasLeaving) {
            charge.removeFrom(roster.promised());
            queueOf(charge).removeHolder(one);
        }
        for (TrackedWorkload waiting : tree.earmarked) {
            waiting.awaited.remove(one.id());
        }
        queueOf(charge).generation++;
        roster.histories().end(one, charge);
        clearAssignment(one);
        tree.wake();
    }

    private void clearAssignment(TrackedWorkload one) {
        one.assignment = null;
        one.admittedAt = null;
        one.checkedAt = null;
        one.admissionSequence = 0;
        one.charge = null;
        one.activePods = Collections.emptySortedMap();
        one.checkpointAt = null;
        one.stopsAt = null;
        one.leavingSince = null;
        one.stuck = false;
        one.givenUpOn = false;
        one.awaited.clear();
        one.afterEviction = null;
        one.memory = null;
    }

    void occupy(TrackedWorkload one, Charge charge) {
        charge.addTo(roster.promised());
        if (roster.settings.earmarks()) {
            charge.addTo(roster.held());
        }
        roster.queue(charge.queue()).addHolder(one);
    }

    /** It is on its way out from now on, and counts as one that stays only if it is stuck and the policy says so. */
    void leave(TrackedWorkload one, Charge charge) {
        one.givenUpOn = one.stuck && givesUp();
        if (one.givenUpOn) {
            return;
        }
        roster.treeOf(charge.queue()).leaving.add(one);
        if (roster.settings.earmarks()) {
            charge.removeFrom(roster.promised());
            queueOf(charge).removeHolder(one);
        } else {
            queueOf(charge).holdersReordered();
        }
    }

    /** Nobody waits any longer for the end of one that is stuck, if the policy says so. Returns whether that is so. */
    boolean giveUpOn(TrackedWorkload one) {
        Charge charge = one.chargeOrThrow();
        if (givesUp() && roster.treeOf(charge.queue()).leaving.remove(one)) {
            one.givenUpOn = true;
            charge.addTo(roster.promised());
            queueOf(charge).addHolder(one);
        }
        return one.givenUpOn;
    }

    /** Without earmarks those on their way out count all the time. */
    private boolean givesUp() {
        return roster.settings.earmarks() && roster.settings.stuckVictims().choosesAnother();
    }

    private QueueState queueOf(Charge charge) {
        return roster.queue(charge.queue());
    }
}
