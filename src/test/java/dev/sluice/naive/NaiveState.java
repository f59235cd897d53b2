package dev.sluice.naive;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Decision;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.NamespaceSelector;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import dev.sluice.quota.QueueingStrategy;
import dev.sluice.quota.StopPolicy;
import dev.sluice.simulation.PlainTree;
import dev.sluice.simulation.PlainUsage;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Everybody who lives, and where they stand: who competes, who is parked, who holds what. */
final class NaiveState {
    AdmissionSettings settings;
    PlainTree tree = new PlainTree(Configuration.EMPTY, Map.of());
    final Map<WorkloadId, NaiveWorkload> living = new TreeMap<>();
    /** Per queue: how often its own charges or a quota of its tree moved; dates scan memory. */
    final Map<String, Long> generations = new TreeMap<>();
    /** Per root. */
    final Map<String, Long> cycles = new TreeMap<>();
    /** Per queue: a preemptor that waits for its victims stays first (parity). */
    final Map<String, NaiveWorkload> sticky = new TreeMap<>();
    /** Roots of trees in which something moved since whoever could start by it was looked for. */
    final Set<String> moved = new TreeSet<>();
    /** Roots of trees in which somebody is given up, and whose earmarks were not looked at since. */
    final Set<String> givenUp = new TreeSet<>();
    /** Roots of trees in which something happened since they were last decided. */
    final Set<String> touched = new TreeSet<>();
    /** Per queue: who lost its room to what others keep since anything was decided. */
    final Map<String, Set<NaiveWorkload.Shape>> lost = new TreeMap<>();
    /** Per queue: who was found to start on none of its flavors since then. */
    final Map<String, Set<NaiveWorkload.Shape>> sawAllFlavors = new TreeMap<>();

    final List<Decision> decisions = new ArrayList<>();
    Instant now = Instant.MIN;
    long instant;
    /** Cycles of the tree so far in this instant, the present one not counted. */
    long cycleOfInstant;

    long lastAdmission;

    NaiveState(AdmissionSettings settings) {
        this.settings = settings;
    }

    /** Without earmarks a cycle is a microsecond later than the one before it, so that admissions keep their order in time. */
    Instant moment() {
        return settings.earmarks() ? now : now.plusNanos(1000 * cycleOfInstant);
    }

    Configuration configuration() {
        return tree.configuration();
    }

    // Queues

    @Nullable ClusterQueue config(String queue) {
        return configuration().clusterQueues().get(queue);
    }

    boolean isStrict(String queue) {
        ClusterQueue config = config(queue);
        return config != null && config.queueingStrategy() == QueueingStrategy.STRICT_FIFO;
    }

    boolean mayAdmit(String queue) {
        ClusterQueue config = config(queue);
        return config != null
                && config.stopPolicy() == StopPolicy.NONE
                && config.resourceGroups().stream()
                        .flatMap(group -> group.flavors().stream())
                        .allMatch(flavor -> configuration().resourceFlavors().containsKey(flavor.flavor()));
    }

    StopPolicy localStop(NaiveWorkload one) {
        LocalQueue local = configuration().localQueues().get(LocalQueue.key(one.workload.namespace(), one.localQueue));
        return local == null ? StopPolicy.NONE : local.stopPolicy();
    }

    /** The queue that it waits in or is charged to; null = its LocalQueue leads nowhere. */
    @Nullable String queueOf(NaiveWorkload one) {
        if (one.assignment != null) {
            return one.chargedTo();
        }
        LocalQueue local = configuration().localQueues().get(LocalQueue.key(one.workload.namespace(), one.localQueue));
        return local == null || config(local.clusterQueue()) == null ? null : local.clusterQueue();
    }

    boolean competes(NaiveWorkload one) {
        if (one.state != WorkloadState.PENDING || one.assignment != null) {
            return false;
        }
        String queue = queueOf(one);
        ClusterQueue config = queue == null ? null : config(queue);
        return config != null
                && localStop(one) == StopPolicy.NONE
                && NamespaceSelector.EVERY.equals(config.namespaceSelector());
    }

    /** Parked ones too, in order. */
    List<NaiveWorkload> competing(String queue) {
        return living.values().stream()
                .filter(one -> competes(one) && queue.equals(queueOf(one)))
                .sorted(NaiveWorkload.IN_QUEUE)
                .toList();
    }

    @Nullable NaiveWorkload head(String queue) {
        NaiveWorkload first = sticky.get(queue);
        return first != null && !first.parked
                ? first
                : competing(queue).stream()
                        .filter(one -> !one.parked)
                        .findFirst()
                        .orElse(null);
    }

    /** Where one that waits stands from now on: parked if its like is, unless it may preempt whom none of them may. */
    void enqueue(NaiveWorkload one) {
        String queue = queueOf(one);
        if (queue == null || !competes(one)) {
            return;
        }
        one.parked = competing(queue).stream()
                .anyMatch(other ->
                        !other.equals(one) && other.parked && other.shape().equals(one.shape()));
        if (settings.earmarks() && mayPreemptNewer(queue) && isOldestOfItsLike(queue, one)) {
            wakeLike(queue, one);
        }
        headMayHaveChanged(queue, one.equals(head(queue)));
    }

    private boolean mayPreemptNewer(String queue) {
        ClusterQueue config = config(queue);
        return config != null
                && config.preemption().withinClusterQueue() == WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY;
    }

    private boolean isOldestOfItsLike(String queue, NaiveWorkload one) {
        return competing(queue).stream()
                .filter(other -> other.shape().equals(one.shape()))
                .findFirst()
                .filter(one::equals)
                .isPresent();
    }

    /** Before it stops to compete in its queue, or changes by what it is sorted. */
    void dequeue(NaiveWorkload one) {
        String queue = queueOf(one);
        if (queue == null) {
            return;
        }
        boolean wasHead = one.equals(head(queue));
        one.parked = false;
        sticky.remove(queue, one);
        headMayHaveChanged(queue, wasHead);
    }

    /** The head of a strict queue keeps room from the whole tree, so whoever comes instead may let others start. */
    private void headMayHaveChanged(String queue, boolean changed) {
        touched.add(tree.root(queue));
        if (changed && isStrict(queue) && settings.earmarks()) {
            wake(tree.root(queue));
        }
    }

    /** With all that are its like, until something is there for them. */
    void park(String queue, NaiveWorkload one) {
        competing(queue).stream()
                .filter(other -> other.shape().equals(one.shape()))
                .forEach(other -> other.parked = true);
    }

    /** Until something is decided. */
    void loses(String queue, NaiveWorkload one) {
        park(queue, one);
        lost.computeIfAbsent(queue, name -> new HashSet<>()).add(one.shape());
    }

    /** Returns whether that is news. */
    boolean sawAllFlavors(String queue, NaiveWorkload one) {
        return sawAllFlavors.computeIfAbsent(queue, name -> new HashSet<>()).add(one.shape());
    }

    void startRound() {
        lost.clear();
        sawAllFlavors.clear();
    }

    boolean hasLost(String queue, NaiveWorkload one) {
        return lost.getOrDefault(queue, Set.of()).contains(one.shape());
    }

    void wake(String root) {
        touched.add(root);
        moved.add(root);
        if (!settings.preciseWaking()) {
            tree.queuesBelow(root).forEach(this::wakeQueue);
        }
    }

    void wakeEverybody(String root) {
        wake(root);
        tree.queuesBelow(root).forEach(this::wakeQueue);
    }

    void wakeLike(String queue, NaiveWorkload one) {
        competing(queue).stream()
                .filter(other -> other.shape().equals(one.shape()))
                .forEach(other -> other.parked = false);
    }

    boolean wakeQueue(String queue) {
        boolean any = false;
        for (NaiveWorkload one : competing(queue)) {
            any |= one.parked;
            one.parked = false;
        }
        return any;
    }

    // Charges

    /** Whoever counts for new decisions: with earmarks, those on the way out do not, unless they are given up. */
    List<NaiveWorkload> holders() {
        return living.values().stream()
                .filter(one -> one.assignment != null && (!settings.earmarks() || !one.isEvicting() || one.givenUp))
                .toList();
    }

    PlainUsage promised() {
        PlainUsage.Sum sum = new PlainUsage.Sum();
        holders().forEach(one -> sum.add(one.chargedTo(), one.charge()));
        return sum.in(tree);
    }

    /** What is really occupied. */
    PlainUsage held() {
        PlainUsage.Sum sum = new PlainUsage.Sum();
        living.values().stream()
                .filter(one -> one.assignment != null && !one.isEarmarked())
                .forEach(one -> sum.add(one.chargedTo(), one.charge()));
        return sum.in(tree);
    }

    List<NaiveWorkload> earmarked(String root) {
        return living.values().stream()
                .filter(one -> one.isEarmarked() && tree.root(one.chargedTo()).equals(root))
                .sorted(NaiveWorkload.IN_QUEUE)
                .toList();
    }

    boolean anybodyLeaves(String root) {
        return living.values().stream()
                .anyMatch(one -> one.isEvicting()
                        && !one.givenUp
                        && tree.root(one.chargedTo()).equals(root));
    }

    boolean anybodyLeavesFor(NaiveWorkload earmarked) {
        String root = tree.root(earmarked.chargedTo());
        return living.values().stream()
                .anyMatch(one -> one.isEvicting()
                        && !one.givenUp
                        && tree.root(one.chargedTo()).equals(root)
                        && !Collections.disjoint(
                                one.charge().keySet(), earmarked.charge().keySet()));
    }

    void moved(String queue) {
        generations.merge(queue, 1L, Long::sum);
    }

    void admit(NaiveWorkload one) {
        one.state = WorkloadState.ADMITTED;
        one.admission = ++lastAdmission;
        moved(one.chargedTo());
        decisions.add(new Decision.Admit(one.id(), one.assigned(), one.admission));
    }

    void startEviction(NaiveWorkload one, WorkloadState after) {
        one.state = WorkloadState.EVICTING;
        one.afterEviction = after;
        one.leavingSince = now;
        touched.add(tree.root(one.chargedTo()));
    }

    void dropEarmark(NaiveWorkload one) {
        String root = tree.root(one.chargedTo());
        one.loseAssignment();
        wake(root);
    }

    void endCharge(NaiveWorkload one) {
        String queue = one.chargedTo();
        one.loseAssignment();
        moved(queue);
        wake(tree.root(queue));
    }
}
