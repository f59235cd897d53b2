package dev.sluice.simulation;

import dev.sluice.admission.Decision;
import dev.sluice.admission.Engine;
import dev.sluice.admission.EvictionReason;
import dev.sluice.admission.WaitReason;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import dev.sluice.quota.QuotaLine;
import dev.sluice.workload.WorkloadId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Nobody is admitted or evicted twice in an instant, every victim is one that the policy allows and that is needed, and nobody
 * overtakes in a strict queue, unless the settings let those pass who need nothing that its head lacks.
 */
final class DecisionInvariants {
    private final Engine engine;
    /** After the events of the instant, before anything was decided. */
    private final Standing before;

    private final Standing after;
    private final List<Decision> decisions;

    /** Whether a strict queue's head holds up only those who need what it lacks. */
    private final boolean perLine;

    private final boolean fairSharing;

    DecisionInvariants(Engine engine, Standing before, Standing after, List<Decision> decisions) {
        this.engine = engine;
        perLine = engine.settings().orderKeeping().perLine();
        fairSharing = engine.settings().fairSharing().isOn();
        this.before = before;
        this.after = after;
        this.decisions = decisions;
    }

    void check() {
        Set<WorkloadId> admitted = new HashSet<>();
        Set<WorkloadId> evicted = new HashSet<>();
        for (Decision decision : decisions) {
            switch (decision) {
                case Decision.Admit admit -> once(admitted, admit.workload(), "admitted");
                case Decision.Evict evict -> once(evicted, evict.workload(), "evicted");
                case Decision.Preempt preempt -> {
                    preempt.victims().forEach(victim -> once(evicted, victim.workload(), "evicted"));
                    preempt.victims().forEach(victim -> checkAllowed(preempt.workload(), victim));
                }
                default -> {
                    // The life that follows decisions knows which changes of state are legal.
                }
            }
        }
        checkNeeded();
        decisions.forEach(this::checkOrder);
    }

    private static void once(Set<WorkloadId> already, WorkloadId id, String what) {
        if (!already.add(id)) {
            throw new BrokenInvariant(id + " was " + what + " twice in one instant");
        }
    }

    private void checkAllowed(WorkloadId preemptor, Decision.Victim victim) {
        String queue = after.queueOf(preemptor);
        ClusterQueue config = after.config(queue);
        if (config == null) {
            throw new BrokenInvariant(preemptor + " preempts from queue " + queue + ", which does not exist");
        }
        boolean own = after.queueOf(victim.workload()).equals(queue);
        int ours = after.known(preemptor).priority();
        int theirs = after.known(victim.workload()).priority();
        boolean newer = theirs == ours
                && after.known(preemptor)
                        .queuedAt()
                        .isBefore(after.known(victim.workload()).queuedAt());
        WithinClusterQueue within = config.preemption().withinClusterQueue();
        ReclaimWithinCohort reclaim = config.preemption().reclaimWithinCohort();
        boolean allowed = own
                ? (within != WithinClusterQueue.NEVER && theirs < ours)
                        || (within == WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY && newer)
                : reclaim == ReclaimWithinCohort.ANY
                        || (reclaim == ReclaimWithinCohort.LOWER_PRIORITY && theirs < ours);
        boolean sameTree = after.tree().root(queue).equals(after.tree().root(after.queueOf(victim.workload())));
        if (!allowed || !sameTree || own != (victim.reason() == EvictionReason.IN_CLUSTER_QUEUE)) {
            throw new BrokenInvariant("the policy of " + queue + " does not allow " + preemptor + " of priority " + ours
                    + " to take " + victim + " of priority " + theirs + " from " + after.queueOf(victim.workload()));
        }
    }

    /**
     * The first decision of a tree was made on how things stood before; there each victim can be checked to be needed. What follows
     * was nominated on a state that nobody recorded.
     */
    private void checkNeeded() {
        Set<String> moved = new HashSet<>();
        List<WorkloadId> takenOver = new ArrayList<>();
        for (Decision decision : decisions) {
            WorkloadId id = decision.workload();
            if (decision instanceof Decision.DropEarmark && before.isEarmarked(id)) {
                takenOver.add(id);
            } else if (decision instanceof Decision.Stuck stuck) {
                // It may count as one that stays from here on.
                moved.add(after.tree().root(stuck.clusterQueue()));
            } else if (decision instanceof Decision.Preempt preempt) {
                if (moved.add(after.tree().root(preempt.assignment().clusterQueue()))) {
                    checkNeeded(preempt, takenOver);
                }
                takenOver.clear();
            } else if (decision instanceof Decision.Admit admit && !before.isEarmarked(id)) {
                moved.add(after.tree().root(admit.assignment().clusterQueue()));
            }
        }
    }

    private void checkNeeded(Decision.Preempt preempt, List<WorkloadId> takenOver) {
        String queue = preempt.assignment().clusterQueue();
        SortedMap<QuotaLine, Long> charge = new TreeMap<>();
        preempt.assignment()
                .podSets()
                .forEach(podSet -> podSet.flavors()
                        .forEach((resource, flavor) -> charge.merge(
                                new QuotaLine(flavor, resource),
                                podSet.usage().getOrDefault(resource, 0L),
                                Long::sum)));
        PlainUsage usage = before.promised();
        boolean byShare = false;
        for (WorkloadId gone : takenOver) {
            usage = usage.minus(before.queueOf(gone), before.charge(gone));
            // An earmark that is taken over is a victim like others, and why it may be is not told.
            byShare |= fairSharing && !before.queueOf(gone).equals(queue);
        }
        for (Decision.Victim victim : preempt.victims()) {
            usage = usage.minus(before.queueOf(victim.workload()), before.charge(victim.workload()));
            byShare |= victim.reason() == EvictionReason.IN_COHORT_FAIR_SHARING;
        }
        if (!usage.fits(queue, charge)) {
            throw new BrokenInvariant(preempt + " does not fit even without its victims");
        }
        for (Decision.Victim victim : preempt.victims()) {
            PlainUsage with = usage.plus(before.queueOf(victim.workload()), before.charge(victim.workload()));
            // A share may ask for more than room, and a victim may be what keeps the preemptor from borrowing.
            if (!byShare && with.fits(queue, charge) && !with.borrows(queue, charge)) {
                throw new BrokenInvariant(victim + " can be spared by " + preempt);
            }
        }
    }

    private void checkOrder(Decision decision) {
        WorkloadId id = decision.workload();
        boolean starts = decision instanceof Decision.Admit || decision instanceof Decision.Preempt;
        if (!starts || before.isEarmarked(id) || after.status(id) == null) {
            return;
        }
        String queue = after.queueOf(id);
        if (perLine || !after.isStrict(queue)) {
            return;
        }
        for (WorkloadId waiting : engine.pending(queue)) {
            boolean competed = !after.isEarmarked(waiting)
                    && !before.isEarmarked(waiting)
                    && !wasEarmarked(waiting)
                    && !(engine.reason(waiting).orElse(null) instanceof WaitReason.QueueStopped);
            if (competed && after.inQueue().compare(waiting, id) < 0) {
                throw new BrokenInvariant(waiting + " was overtaken by " + decision + " in strict queue " + queue);
            }
        }
    }

    private boolean wasEarmarked(WorkloadId id) {
        return decisions.stream()
                .anyMatch(decision -> decision instanceof Decision.DropEarmark
                        && decision.workload().equals(id));
    }
}
