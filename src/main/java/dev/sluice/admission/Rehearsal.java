package dev.sluice.admission;

import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Lets an instant happen in which one workload is other than it is, and sees whether it starts. What stands in its way is then
 * minded without being listed here: room that the head of a strict queue or a starving front keeps, others that take its
 * room in the same instant, whom it may not preempt again.
 *
 * <p>On the stage is one tree only, its own or the one that it would come to: all that is charged there, and of those that wait with
 * equal requests the first few, since more of them would have to start in the same instant to matter. So it costs what the tree holds
 * and the number of its shapes, and is asked only about changes that a cheaper look already found to be good.
 */
final class Rehearsal {
    private static final int OF_EACH_LANE = 10;

    private final Roster roster;
    private final TrackedWorkload one;
    private final QueueState queue;

    /** @param one need not be known to the roster */
    Rehearsal(Roster roster, TrackedWorkload one, QueueState queue) {
        this.roster = roster;
        this.one = one;
        this.queue = queue;
    }

    /** Whether it would start, or be set aside room, if it came anew with these pods and its old place in line. */
    boolean startsWith(List<PodSet> podSets) {
        return startsAnew(queue, one.localQueue, podSets);
    }

    /** Whether it would if it came to another queue, with its old place in line. */
    boolean startsIn(QueueState other, String localQueue) {
        return startsAnew(other, localQueue, one.podSets());
    }

    private boolean startsAnew(QueueState in, String localQueue, List<PodSet> podSets) {
        Workload old = one.workload;
        Workload changed = new Workload(
                old.id(),
                old.sequence(),
                old.name(),
                old.namespace(),
                localQueue,
                one.priorityClass,
                one.priority,
                podSets,
                old.createdAt(),
                old.expectedDuration(),
                old.maxDuration());
        return starts(
                in, new EngineEvent.CancelRequested(one.id()), new EngineEvent.WorkloadQueued(changed, one.queuedAt));
    }

    /** Whether it would start, or be set aside room, with another priority. */
    boolean startsAt(String priorityClass, int priority) {
        return starts(
                queue,
                new EngineEvent.WorkloadQueued(one.workload, one.queuedAt),
                new EngineEvent.PriorityChanged(one.id(), priorityClass, priority));
    }

    private boolean starts(QueueState in, EngineEvent... events) {
        Instant now = roster.now();
        Engine stage = Fork.of(roster, 0, onStage(in));
        for (EngineEvent event : events) {
            stage.apply(event, now);
        }
        stage.decide(now);
        TrackedWorkload then = stage.roster().find(one.id());
        return then != null && (then.isEarmarked() || then.isRunning() || then.state == WorkloadState.RESERVED);
    }

    private Set<TrackedWorkload> onStage(QueueState in) {
        TreeState tree = roster.treeOf(in.node());
        Set<TrackedWorkload> on = new LinkedHashSet<>(tree.leaving.all());
        for (QueueState each : tree.queues) {
            on.addAll(each.holders.all);
            each.activeLanes().forEach(lane -> takeFirst(lane, on));
            each.parkedLanes().forEach(lane -> takeFirst(lane, on));
        }
        if (one.lane != null) {
            on.add(one);
        }
        return on;
    }

    private static void takeFirst(Lane lane, Set<TrackedWorkload> on) {
        int taken = 0;
        for (TrackedWorkload member : lane.members) {
            if (taken++ == OF_EACH_LANE) {
                return;
            }
            on.add(member);
        }
    }
}
