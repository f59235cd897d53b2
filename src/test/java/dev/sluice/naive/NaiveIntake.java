package dev.sluice.naive;

import dev.sluice.admission.Decision;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.EvictionReason;
import dev.sluice.naive.NaiveWorkload.Shape;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.QuotaLine;
import dev.sluice.quota.StopPolicy;
import dev.sluice.simulation.PlainTree;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What each event changes before anything is decided. */
final class NaiveIntake {
    private final NaiveState state;

    NaiveIntake(NaiveState state) {
        this.state = state;
    }

    void take(EngineEvent event) {
        switch (event) {
            case EngineEvent.ConfigurationReplaced replaced -> reconfigure(replaced.configuration());
            case EngineEvent.WorkloadQueued queued -> {
                NaiveWorkload one = new NaiveWorkload(queued.workload(), queued.queuedAt());
                if (state.living.putIfAbsent(one.id(), one) == null) {
                    state.enqueue(one);
                }
            }
            case EngineEvent.EngineRestarted restarted -> restart(restarted);
            case EngineEvent.NamespacesChanged changed -> throw new IllegalArgumentException("left out: " + changed);
            case EngineEvent.CapacityChanged changed -> throw new IllegalArgumentException("left out: " + changed);
            case EngineEvent.WorkloadRestored restored -> throw new IllegalArgumentException("left out: " + restored);
            case EngineEvent.UsageRestored restored -> throw new IllegalArgumentException("left out: " + restored);
            case EngineEvent.CheckpointReached reached -> throw new IllegalArgumentException("left out: " + reached);
            case EngineEvent.PodsNotReady unready -> throw new IllegalArgumentException("left out: " + unready);
            case EngineEvent.StartRejected rejected -> throw new IllegalArgumentException("left out: " + rejected);
            case EngineEvent.PodSetsChanged changed -> throw new IllegalArgumentException("left out: " + changed);
            case EngineEvent.PodsScaledDown scaled -> throw new IllegalArgumentException("left out: " + scaled);
            case EngineEvent.CheckChanged changed -> throw new IllegalArgumentException("left out: " + changed);
            case EngineEvent.MaxDurationExceeded exceeded -> of(state.living.get(exceeded.workload()), exceeded);
            case EngineEvent.PodsReady ready -> of(state.living.get(ready.workload()), ready);
            case EngineEvent.PodsReclaimable done -> of(state.living.get(done.workload()), done);
            case EngineEvent.WorkloadFinished finished -> of(state.living.get(finished.workload()), finished);
            case EngineEvent.PodsGone gone -> of(state.living.get(gone.workload()), gone);
            case EngineEvent.WorkloadRefused refused -> of(state.living.get(refused.workload()), refused);
            case EngineEvent.CancelRequested cancel -> of(state.living.get(cancel.workload()), cancel);
            case EngineEvent.PriorityChanged changed -> of(state.living.get(changed.workload()), changed);
            case EngineEvent.QueueChanged changed -> of(state.living.get(changed.workload()), changed);
            case EngineEvent.ActivationChanged changed -> of(state.living.get(changed.workload()), changed);
        }
    }

    private void of(@Nullable NaiveWorkload one, EngineEvent event) {
        if (one == null) {
            return;
        }
        switch (event) {
            case EngineEvent.PodsReady ready
            when one.state == WorkloadState.ADMITTED -> become(one, WorkloadState.RUNNING);
            case EngineEvent.PodsReclaimable done -> reclaim(one, done.reclaimable());
            case EngineEvent.WorkloadFinished finished
            when one.runs() || one.isEvicting() ->
                end(one, finished.succeeded() ? WorkloadState.SUCCEEDED : WorkloadState.FAILED);
            case EngineEvent.WorkloadRefused refused
            when one.state != WorkloadState.INACTIVE -> end(one, WorkloadState.FAILED);
            case EngineEvent.MaxDurationExceeded exceeded
            when one.runs() -> {
                one.active = false;
                evict(one, EvictionReason.MAXIMUM_EXECUTION_TIME_EXCEEDED, WorkloadState.INACTIVE);
            }
            case EngineEvent.PodsGone gone when one.isEvicting() -> gone(one);
            case EngineEvent.CancelRequested cancel -> cancel(one);
            case EngineEvent.PriorityChanged changed
            when one.priority != changed.priority() -> reprioritise(one, changed.priority());
            case EngineEvent.QueueChanged changed -> move(one, changed.localQueue());
            case EngineEvent.ActivationChanged changed
            when one.active != changed.active() -> activate(one, changed.active());
            default -> {
                // Too late, or nothing new.
            }
        }
    }

    private void restart(EngineEvent.EngineRestarted restarted) {
        if (!restarted.settings().equals(state.settings)) {
            throw new IllegalArgumentException("left out: a change of policies");
        }
        state.lastAdmission = 0;
        for (NaiveWorkload one : state.living.values()) {
            state.lastAdmission = Math.max(state.lastAdmission, one.admission);
            one.memory = null;
        }
        state.living.values().stream()
                .filter(one -> one.givenUp)
                .forEach(one -> state.givenUp.add(state.tree.root(one.chargedTo())));
        state.tree.roots().forEach(state::wakeEverybody);
    }

    private void become(NaiveWorkload one, WorkloadState next) {
        one.state = next;
        state.decisions.add(new Decision.Become(one.id(), next, ""));
    }

    private void end(NaiveWorkload one, WorkloadState last) {
        if (one.isEarmarked()) {
            state.dropEarmark(one);
            state.decisions.add(new Decision.DropEarmark(one.id(), ""));
        } else if (one.assignment != null) {
            state.endCharge(one);
        } else {
            state.dequeue(one);
        }
        state.living.remove(one.id());
        become(one, last);
    }

    private void evict(NaiveWorkload one, EvictionReason reason, WorkloadState after) {
        state.startEviction(one, after);
        state.wake(state.tree.root(one.chargedTo()));
        state.decisions.add(new Decision.Evict(one.id(), reason));
    }

    private void gone(NaiveWorkload one) {
        WorkloadState next = one.afterEviction;
        if (next.isFinal()) {
            end(one, next);
            return;
        }
        state.endCharge(one);
        become(one, next);
        if (next == WorkloadState.PENDING) {
            state.enqueue(one);
        }
    }

    private void cancel(NaiveWorkload one) {
        if (one.runs()) {
            evict(one, EvictionReason.CANCELLED, WorkloadState.CANCELLED);
        } else if (one.isEvicting()) {
            one.afterEviction = WorkloadState.CANCELLED;
        } else {
            end(one, WorkloadState.CANCELLED);
        }
    }

    private void activate(NaiveWorkload one, boolean active) {
        one.active = active;
        WorkloadState next = active ? WorkloadState.PENDING : WorkloadState.INACTIVE;
        if (one.isEvicting()) {
            one.afterEviction = one.afterEviction == WorkloadState.CANCELLED ? WorkloadState.CANCELLED : next;
        } else if (active && one.state == WorkloadState.INACTIVE) {
            become(one, next);
            state.enqueue(one);
        } else if (!active && one.state == WorkloadState.PENDING) {
            withdraw(one);
            become(one, next);
        } else if (!active && one.runs()) {
            evict(one, EvictionReason.DEACTIVATED, next);
        }
    }

    private void withdraw(NaiveWorkload one) {
        if (one.isEarmarked()) {
            state.dropEarmark(one);
            state.decisions.add(new Decision.DropEarmark(one.id(), ""));
        } else {
            state.dequeue(one);
        }
    }

    private void reprioritise(NaiveWorkload one, int priority) {
        if (one.state == WorkloadState.PENDING) {
            withdraw(one);
            one.priority = priority;
            state.enqueue(one);
            return;
        }
        one.priority = priority;
        if (one.assignment != null) {
            state.wake(state.tree.root(one.chargedTo()));
        }
    }

    private void move(NaiveWorkload one, String localQueue) {
        if (one.state == WorkloadState.PENDING) {
            withdraw(one);
            one.memory = null;
            one.localQueue = localQueue;
            state.enqueue(one);
        } else if (one.state == WorkloadState.INACTIVE) {
            one.localQueue = localQueue;
        }
    }

    // Pods that are done

    private void reclaim(NaiveWorkload one, SortedMap<String, Integer> told) {
        SortedMap<String, Integer> done = new TreeMap<>();
        for (PodSet podSet : one.workload.podSets()) {
            int number = Math.min(told.getOrDefault(podSet.name(), 0), podSet.count());
            if (number > 0) {
                done.put(podSet.name(), number);
            }
        }
        if (done.equals(one.done)) {
            return;
        }
        if (one.assignment == null) {
            boolean waits = one.state == WorkloadState.PENDING;
            if (waits) {
                state.dequeue(one);
            }
            one.done = done;
            if (waits) {
                state.enqueue(one);
            }
            return;
        }
        SortedMap<QuotaLine, Long> before = one.charge();
        for (int index = 0; index < one.workload.podSets().size(); index++) {
            PodSet podSet = one.workload.podSets().get(index);
            int isDone = done.getOrDefault(podSet.name(), 0);
            int charged = state.settings.reclaimFromPartial()
                    ? one.charged.getOrDefault(podSet.name(), 0) - isDone + one.done.getOrDefault(podSet.name(), 0)
                    : Math.min(one.assigned().podSets().get(index).count(), podSet.count() - isDone);
            one.charged.put(podSet.name(), Math.clamp(charged, 0, podSet.count()));
        }
        one.done = done;
        state.moved(one.chargedTo());
        String root = state.tree.root(one.chargedTo());
        state.touched.add(root);
        if (one.charge().entrySet().stream()
                .anyMatch(line -> line.getValue() < before.getOrDefault(line.getKey(), 0L))) {
            state.wake(root);
        }
    }

    // Configuration

    private void reconfigure(Configuration configuration) {
        PlainTree before = state.tree;
        Map<String, Set<Shape>> parked = new TreeMap<>();
        for (String queue : before.queues()) {
            parked.put(
                    queue,
                    state.competing(queue).stream()
                            .filter(one -> one.parked)
                            .map(NaiveWorkload::shape)
                            .collect(Collectors.toSet()));
        }
        Map<NaiveWorkload, List<Object>> earmarks = new java.util.LinkedHashMap<>();
        before.roots().forEach(root -> state.earmarked(root).forEach(one -> earmarks.put(one, quotas(before, root))));
        state.tree = new PlainTree(configuration, retired(before, configuration));
        carryOver(before, parked);
        earmarks.forEach((one, decidedOn) -> {
            String queue = one.chargedTo();
            boolean stands = state.mayAdmit(queue)
                    && state.localStop(one) == StopPolicy.NONE
                    && quotas(state.tree, state.tree.root(queue)).equals(decidedOn);
            if (!stands) {
                state.dropEarmark(one);
                state.enqueue(one);
                state.decisions.add(new Decision.DropEarmark(one.id(), ""));
            }
        });
        drain();
    }

    /** A queue that is gone keeps its place as long as something is charged to it. */
    private SortedMap<String, String> retired(PlainTree before, Configuration configuration) {
        SortedMap<String, String> retired = new TreeMap<>();
        for (NaiveWorkload one : state.living.values()) {
            if (one.assignment != null && !configuration.clusterQueues().containsKey(one.chargedTo())) {
                String cohort = before.parent(one.chargedTo());
                retired.put(one.chargedTo(), cohort == null ? "" : cohort);
            }
        }
        return retired;
    }

    /** Where no quota of a tree moved, who was parked stays parked. */
    private void carryOver(PlainTree before, Map<String, Set<Shape>> parked) {
        Map<String, Long> cycles = new TreeMap<>(state.cycles);
        state.cycles.clear();
        state.generations.keySet().retainAll(state.tree.queues());
        state.sticky.entrySet().removeIf(entry -> !state.competes(entry.getValue()));
        state.living.values().forEach(one -> one.parked = false);
        state.touched.addAll(state.tree.roots());
        for (String queue : state.tree.queues()) {
            if (!before.queues().contains(queue)) {
                state.generations.remove(queue);
                continue;
            }
            state.cycles.put(state.tree.root(queue), cycles.getOrDefault(before.root(queue), 0L));
            if (quotas(before, before.root(queue)).equals(quotas(state.tree, state.tree.root(queue)))) {
                state.competing(queue).stream()
                        .filter(one -> parked.getOrDefault(queue, Set.of()).contains(one.shape()))
                        .forEach(one -> one.parked = true);
            } else {
                state.moved(queue);
            }
        }
    }

    /** Everything that quota of a tree hangs on: what is configured, and queues that are charged and are not any more. */
    private static List<Object> quotas(PlainTree tree, String node) {
        List<Object> all = new ArrayList<>();
        Configuration configuration = tree.configuration();
        ClusterQueue queue = configuration.clusterQueues().get(node);
        if (queue != null) {
            all.add(queue);
            queue.resourceGroups()
                    .forEach(group -> group.flavors()
                            .forEach(flavor -> all.add(String.valueOf(
                                    configuration.resourceFlavors().get(flavor.flavor())))));
        } else if (tree.isQueue(node)) {
            all.add(node);
        } else {
            all.add(node + " " + configuration.cohorts().get(node));
            tree.children(node).forEach(child -> all.addAll(quotas(tree, child)));
        }
        return all;
    }

    private void drain() {
        for (NaiveWorkload one : List.copyOf(state.living.values())) {
            if (!one.runs()) {
                continue;
            }
            ClusterQueue queue = state.config(one.chargedTo());
            if (queue != null && queue.stopPolicy() == StopPolicy.HOLD_AND_DRAIN) {
                evict(one, EvictionReason.CLUSTER_QUEUE_STOPPED, WorkloadState.PENDING);
            } else if (state.localStop(one) == StopPolicy.HOLD_AND_DRAIN) {
                evict(one, EvictionReason.LOCAL_QUEUE_STOPPED, WorkloadState.PENDING);
            }
        }
    }
}
