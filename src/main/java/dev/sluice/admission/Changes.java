package dev.sluice.admission;

import dev.sluice.admission.Explanation.Verdict;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.Taint;
import dev.sluice.quota.Toleration;
import dev.sluice.quota.WorkloadPriorityClass;
import dev.sluice.topology.NodeMatching;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the smallest changes with which a workload would start now: fewer pods in one pod set, another flavor, the lowest priority class
 * that is enough, or another queue of its namespace. A nomination finds what may do; a {@link Rehearsal} says whether it really does
 * before it is named.
 */
final class Changes {
    private static final int REHEARSALS_MOST = 3;

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
        if (queue.compiled.mayAdmit() && one.held == null) {
            if (mayGoFirst()) {
                for (int index = 0; index < one.podSets().size(); index++) {
                    fewerPods(index, changes);
                }
                otherFlavor(changes);
            }
            higherPriority(changes);
        }
        if (!(one.held instanceof WaitReason.BackingOff)) {
            otherQueue(changes);
        }
        return changes;
    }

    /** As it stands now; with another priority it may pass who is before it. */
    private boolean mayGoFirst() {
        return !(new ReasonLookup(roster).reason(one) instanceof WaitReason.BlockedByEarlier) && mayGoFirst(one, queue);
    }

    /** A strict queue looks at nobody else than its head. */
    private boolean mayGoFirst(TrackedWorkload asked, QueueState in) {
        TrackedWorkload head = in.head();
        return !in.isStrict()
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
            if (!mayGoFirst(raised, queue)) {
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

    /** The first flavor, in the order of the queue, that would do if the pods asked for its nodes and tolerated their taints. */
    private void otherFlavor(List<Explanation.Change> changes) {
        for (CompiledQueue.Group group : queue.compiled.groups()) {
            for (ResourceFlavor flavor : group.definitions()) {
                if (flavor != null && startsOn(flavor)) {
                    changes.add(new Explanation.Change("flavor = " + flavor.name(), List.of()));
                    return;
                }
            }
        }
    }

    private boolean startsOn(ResourceFlavor flavor) {
        List<PodSet> podSets =
                one.podSets().stream().map(podSet -> goingWith(flavor, podSet)).toList();
        if (podSets.equals(one.podSets())) {
            return false;
        }
        Explainer.Trial trial = explainer.trial(one, queue, podSets);
        return trial.verdict == Verdict.ADMIT
                && trial.nomination.assignment(false).podSets().stream()
                        .anyMatch(podSet -> podSet.flavors().containsValue(flavor.name()))
                && rehearsal.startsWith(podSets);
    }

    /** The same pods, asking for the flavor's labels and tolerating its taints; what they prefer otherwise goes if it speaks against it. */
    private static PodSet goingWith(ResourceFlavor flavor, PodSet podSet) {
        SortedMap<String, String> nodeSelector = new TreeMap<>(podSet.nodeSelector());
        nodeSelector.putAll(flavor.nodeLabels());
        List<Toleration> tolerations = new ArrayList<>(podSet.tolerations());
        for (Taint taint : flavor.nodeTaints()) {
            if (tolerations.stream().noneMatch(toleration -> toleration.tolerates(taint))) {
                tolerations.add(new Toleration(taint.key(), "Equal", taint.value(), taint.effect()));
            }
        }
        PodSet asking = podSet.on(nodeSelector, podSet.affinityTerms(), tolerations);
        return NodeMatching.matches(asking, flavor.nodeLabels(), flavor.nodeLabels()::containsKey)
                ? asking
                : podSet.on(nodeSelector, List.of(), tolerations);
    }

    /** The first by name in which it would start at nobody's cost. */
    private void otherQueue(List<Explanation.Change> changes) {
        int rehearsed = 0;
        for (LocalQueue door : roster.world().configuration().localQueues().values()) {
            QueueState other = behind(door);
            if (other != null
                    && hasRoom(other.compiled)
                    && mayGoFirst(one, other)
                    && explainer.trial(one, other, one.podSets()).verdict == Verdict.ADMIT
                    && rehearsed++ < REHEARSALS_MOST
                    && rehearsal.startsIn(other, door.name())) {
                changes.add(new Explanation.Change("queue = " + door.name(), List.of()));
                return;
            }
        }
    }

    /** Another queue than its own, which this LocalQueue lets it compete in; null = it does not. */
    private @Nullable QueueState behind(LocalQueue door) {
        World world = roster.world();
        String namespace = one.workload.namespace();
        if (!door.namespace().equals(namespace) || world.isStopped(namespace, door.name())) {
            return null;
        }
        CompiledQueue compiled = world.resolve(namespace, door.name());
        return compiled != null
                        && compiled.node() != queue.node()
                        && compiled.mayAdmit()
                        && world.admitsNamespace(compiled, one.workload)
                ? roster.queue(compiled.node())
                : null;
    }

    /** A quick look before a nomination, which searches for victims too: there may be a thousand queues. */
    private boolean hasRoom(CompiledQueue other) {
        PreparedRequest request = new PreparedRequest(other, roster.world().feasibility(), one.podSets());
        return Demand.of(one.priority, request)
                .isMet(
                        other,
                        (index, line, amount) -> amount <= roster.promised().availableToQueue(other.node(), line));
    }
}
