package dev.sluice.admission;

import dev.sluice.admission.Explanation.Verdict;
import dev.sluice.quota.WorkloadPriorityClass;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Finds the smallest changes with which a workload would start now: fewer pods in one pod set, or the lowest priority class
 * that is enough. A nomination finds what may do; a {@link Rehearsal} says whether it really does before it is named.
 */
final class Changes {
    private final Roster roster;
    private final Explainer explainer;
    private final TrackedWorkload one;
    private final QueueState queue;
    private final Rehearsal rehearsal;

    Changes(Roster roster, Explainer explainer, TrackedWorkload one, QueueState queue) {
        this.roster = roster;
        this.explainer = explainer;
        this.one = one;
        this.queue = queue;
        rehearsal = new Rehearsal(roster, one, queue);
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

    /** The largest count that starts without anybody's eviction. */
    private void fewerPods(int index, List<Explanation.Change> changes) {
        PodSet podSet = one.podSets().get(index);
        int enough =
                most(podSet.count(), count -> explainer.trial(one, queue, with(index, count)).verdict == Verdict.ADMIT);
        if (enough > 0 && !rehearsal.startsWith(with(index, enough))) {
            enough = most(enough, count -> rehearsal.startsWith(with(index, count)));
        }
        if (enough > 0) {
            changes.add(new Explanation.Change("podSets." + podSet.name() + ".count = " + enough, List.of()));
        }
    }

    /** More pods never fit better, so halving finds the most that do; 0 = none. */
    private static int most(int lessThan, IntPredicate does) {
        int enough = 0;
        int tooMany = lessThan;
        while (tooMany - enough > 1) {
            int middle = (enough + tooMany) >>> 1;
            if (does.test(middle)) {
                enough = middle;
            } else {
                tooMany = middle;
            }
        }
        return enough;
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
            raised.preemptors.addAll(one.preemptors);
            if (!mayGoFirst(raised)) {
                continue;
            }
            Explainer.Trial trial = explainer.trial(raised, queue, one.podSets());
            boolean starts = trial.verdict == Verdict.ADMIT || trial.verdict == Verdict.ADMIT_BY_PREEMPTING;
            if (starts && rehearsal.startsAt(candidate.name(), candidate.value())) {
                List<WorkloadId> victims =
                        trial.victims.stream().map(Decision.Victim::workload).toList();
                changes.add(new Explanation.Change("priorityClass = " + candidate.name(), victims));
                return;
            }
        }
    }
}
