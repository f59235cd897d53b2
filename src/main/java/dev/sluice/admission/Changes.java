package dev.sluice.admission;

import dev.sluice.admission.Explanation.Verdict;
import dev.sluice.quota.WorkloadPriorityClass;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Finds the smallest changes with which a workload would start now: fewer pods in one pod set, or the lowest priority class
 * that is enough. Each is tried before it is named.
 */
final class Changes {
    private final Roster roster;
    private final Explainer explainer;
    private final TrackedWorkload one;
    private final QueueState queue;

    Changes(Roster roster, Explainer explainer, TrackedWorkload one, QueueState queue) {
        this.roster = roster;
        this.explainer = explainer;
        this.one = one;
        this.queue = queue;
    }

    List<Explanation.Change> find() {
        List<Explanation.Change> changes = new ArrayList<>();
        if (!queue.compiled.mayAdmit() || one.held != null) {
            return changes;
        }
        if (mayGoFirst(one)) {
            for (int index = 0; index < one.podSets().size(); index++) {
                fewerPods(index, changes);
            }
        }
        higherPriority(changes);
        return changes;
    }

    /** A strict queue looks at nobody else than its head. */
    private boolean mayGoFirst(TrackedWorkload asked) {
        if (new ReasonLookup(roster).reason(one) instanceof WaitReason.BlockedByEarlier) {
            return false;
        }
        TrackedWorkload head = queue.head();
        return !queue.isStrict()
                || head == null
                || head.id().equals(one.id())
                || QueueOrder.IN_QUEUE.compare(asked, head) < 0;
    }

    /** The largest count that starts without anybody's eviction. More pods never fit better, so halving finds it. */
    private void fewerPods(int index, List<Explanation.Change> changes) {
        PodSet podSet = one.podSets().get(index);
        int enough = 0;
        int tooMany = podSet.count();
        while (tooMany - enough > 1) {
            int middle = (enough + tooMany) >>> 1;
            if (explainer.trial(one, queue, with(index, middle)).verdict == Verdict.ADMIT) {
                enough = middle;
            } else {
                tooMany = middle;
            }
        }
        if (enough > 0) {
            changes.add(new Explanation.Change("podSets." + podSet.name() + ".count = " + enough, List.of()));
        }
    }

    private List<PodSet> with(int index, int count) {
        List<PodSet> podSets = new ArrayList<>(one.podSets());
        podSets.set(index, podSets.get(index).withCount(count).allOrNothing());
        return podSets;
    }

    private void higherPriority(List<Explanation.Change> changes) {
        List<WorkloadPriorityClass> classes = roster.world().configuration().priorityClasses().values().stream()
                .filter(candidate -> candidate.value() > one.priority)
                .sorted(Comparator.comparingInt(WorkloadPriorityClass::value)
                        .thenComparing(WorkloadPriorityClass::name))
                .toList();
        for (WorkloadPriorityClass candidate : classes) {
            TrackedWorkload raised = new TrackedWorkload(one.workload, one.queuedAt);
            raised.priority = candidate.value();
            raised.localQueue = one.localQueue;
            if (!mayGoFirst(raised)) {
                continue;
            }
            Explainer.Trial trial = explainer.trial(raised, queue, one.podSets());
            if (trial.verdict == Verdict.ADMIT || trial.verdict == Verdict.ADMIT_BY_PREEMPTING) {
                List<WorkloadId> victims =
                        trial.victims.stream().map(Decision.Victim::workload).toList();
                changes.add(new Explanation.Change("priorityClass = " + candidate.name(), victims));
                return;
            }
        }
    }
}
