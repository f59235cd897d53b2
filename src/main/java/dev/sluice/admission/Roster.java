package dev.sluice.admission;

import dev.sluice.quota.Configuration;
import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaLine;
import dev.sluice.quota.QuotaTree;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Everybody whom the engine knows, where they stand, and what is charged: the one place that changes any of it.
 *
 * <p>What a charge means while a preemptor waits for its victims stands at {@link Forest}.
 */
final class Roster {
    AdmissionSettings settings;
    private CandidateOrder order;
    private final Map<WorkloadId, TrackedWorkload> tracked = new HashMap<>();
    private final TreeSet<TrackedWorkload> backingOff =
            new TreeSet<>(Comparator.comparing(Roster::backOffEnd).thenComparing(TrackedWorkload::id));
    private Forest forest;
    private Instant now = Instant.MIN;
    /** Number of the instant that is being decided. */
    long instant;

    Roster(AdmissionSettings settings) {
        this.settings = settings;
        order = new CandidateOrder(settings);
        forest = new Forest(
                new World(Configuration.EMPTY, UsableCapacity.UNLIMITED, new TreeSet<>(), new TreeMap<>(), settings),
                settings,
                order);
    }

    private static Instant backOffEnd(TrackedWorkload tracked) {
        return tracked.requeueAt == null ? Instant.MIN : tracked.requeueAt;
    }

    World world() {
        return forest.world;
    }

    Ledger promised() {
        return forest.promised;
    }

    Ledger held() {
        return forest.held;
    }

    Instant now() {
        return now;
    }

    /** Time never goes back. */
    void advanceTo(Instant at) {
        if (at.isAfter(now)) {
            now = at;
        }
    }

    Collection<TrackedWorkload> everybody() {
        return tracked.values();
    }

    @Nullable TrackedWorkload find(WorkloadId id) {
        return tracked.get(id);
    }

    QueueState queue(int node) {
        return forest.queue(node);
    }

    List<QueueState> queues() {
        return forest.queues();
    }

    Collection<TreeState> trees() {
        return forest.trees();
    }

    TreeState treeOf(int queue) {
        return forest.treeOf(queue);
    }

    // Configuration

    /** Decides by other policies from now on. Nobody's state changes. */
    void adopt(AdmissionSettings other) {
        if (!other.equals(settings)) {
            settings = other;
            order = new CandidateOrder(other);
            rebuild(forest.world.configuration(), forest.world.capacity());
        }
    }

    /** Compiles the world anew and puts everybody back where they belong. Nobody's state changes. */
    void rebuild(Configuration configuration, UsableCapacity capacity) {
        SortedSet<QuotaLine> chargedLines = new TreeSet<>();
        SortedMap<String, String> retired = new TreeMap<>();
        for (TrackedWorkload one : tracked.values()) {
            Assignment assignment = one.assignment;
            if (assignment != null) {
                assignment
                        .podSets()
                        .forEach(podSet -> podSet.flavors()
                                .forEach((resource, flavor) -> chargedLines.add(new QuotaLine(flavor, resource))));
                if (!configuration.clusterQueues().containsKey(assignment.clusterQueue())) {
                    retired.put(assignment.clusterQueue(), lastCohortOf(assignment.clusterQueue()));
                }
            }
        }
        Forest before = forest;
        forest = new Forest(new World(configuration, capacity, chargedLines, retired, settings), settings, order);
        backingOff.clear();
        tracked.values().forEach(this::place);
        forest.keepParked(before);
    }

    /** A queue that is not configured any more keeps its place in the tree as long as something is charged to it. */
    private String lastCohortOf(String queue) {
        int node = forest.world.tree().queue(queue);
        String cohort = node == QuotaTree.NONE ? null : forest.world.tree().cohortOf(node);
        return cohort == null ? "" : cohort;
    }

    void countAnewIfSaturated() {
        forest.countAnewIfSaturated(tracked.values());
    }

    // Coming and going

    void add(TrackedWorkload one) {
        tracked.put(one.id(), one);
        place(one);
    }

    /** Restored while the queue or a line that it is charged to is not configured any more. */
    void addRetired(TrackedWorkload one) {
        tracked.put(one.id(), one);
        rebuild(forest.world.configuration(), forest.world.capacity());
    }

    /** Changes what a workload is sorted by. */
    void changeOrder(TrackedWorkload one, Runnable change) {
        TreeState tree = one.charge == null ? null : treeOf(one.charge.queue());
        boolean wasLeaving = tree != null && tree.leaving.remove(one);
        change.run();
        if (tree != null && wasLeaving) {
            tree.leaving.add(one);
        }
    }

    /** Puts a workload where its state says it belongs. */
    private void place(TrackedWorkload one) {
        one.lane = null;
        one.held = null;
        Assignment assignment = one.assignment;
        if (assignment != null) {
            Charge charge = Charge.of(assignment, forest.world.tree());
            one.charge = charge;
            QueueState queue = queue(charge.queue());
            one.queue = queue;
            TreeState tree = treeOf(charge.queue());
            if (one.isEarmarked()) {
                charge.addTo(forest.promised);
                queue.addHolder(one);
                queue.earmarked.add(one);
                tree.earmarked.add(one);
            } else {
                occupy(one, charge);
                if (one.isEvicting()) {
                    leave(one, charge);
                }
            }
            tree.dirty = true;
        } else if (one.state.waits()) {
            enqueue(one);
        } else {
            one.queue = resolve(one);
        }
    }

    private void occupy(TrackedWorkload one, Charge charge) {
        charge.addTo(forest.promised);
        if (settings.earmarks()) {
            charge.addTo(forest.held);
        }
        queue(charge.queue()).addHolder(one);
    }

    private void leave(TrackedWorkload one, Charge charge) {
        treeOf(charge.queue()).leaving.add(one);
        if (settings.earmarks()) {
            charge.removeFrom(forest.promised);
            queue(charge.queue()).removeHolder(one);
        }
    }

    private @Nullable QueueState resolve(TrackedWorkload one) {
        CompiledQueue compiled = forest.world.resolve(one.workload.namespace(), one.localQueue);
        return compiled == null ? null : queue(compiled.node());
    }

    /** Lets a waiting workload compete in its queue, or notes what keeps it from competing. */
    void enqueue(TrackedWorkload one) {
        QueueState queue = resolve(one);
        one.queue = queue;
        one.held = null;
        if (queue == null) {
            return;
        }
        queue.waiting.add(one);
        one.held = keptFromCompeting(one, queue);
        if (one.held instanceof WaitReason.BackingOff) {
            backingOff.add(one);
        } else if (one.held == null) {
            queue.compete(one);
            letOthersTry(queue, queue.isStrict() && one.equals(queue.head()));
        }
    }

    /** @param keeper whether the head of a strict queue changes, which keeps room from the whole tree */
    private void letOthersTry(QueueState queue, boolean keeper) {
        TreeState tree = treeOf(queue.node());
        tree.dirty = true;
        if (keeper && settings.earmarks()) {
            tree.wake();
        }
    }

    /** Why a waiting workload may not compete in its queue for now; null = it may. */
    @Nullable WaitReason keptFromCompeting(TrackedWorkload one, QueueState queue) {
        Instant until = one.requeueAt;
        if (until != null && until.isAfter(now)) {
            return new WaitReason.BackingOff(until, one.evictionCount);
        }
        if (forest.world.isStopped(one.workload.namespace(), one.localQueue)) {
            return new WaitReason.QueueStopped(queue.name(), one.localQueue);
        }
        return World.admitsNamespace(queue.compiled, one.workload)
                ? null
                : new WaitReason.NamespaceNotAllowed(one.workload.namespace(), queue.name());
    }

    /** Takes a waiting workload out of its queue. */
    void dequeue(TrackedWorkload one) {
        QueueState queue = one.queue;
        if (queue != null) {
            boolean kept = queue.isStrict() && one.equals(queue.head());
            queue.leaveLane(one);
            queue.waiting.remove(one);
            letOthersTry(queue, kept);
        }
        backingOff.remove(one);
        one.held = null;
    }

    void forget(TrackedWorkload one) {
        tracked.remove(one.id());
    }

    /** Those whose back-off is over compete again. */
    void endBackOffs() {
        while (!backingOff.isEmpty() && !backOffEnd(backingOff.first()).isAfter(now)) {
            TrackedWorkload one = backingOff.first();
            dequeue(one);
            enqueue(one);
        }
    }

    // Charges

    /** A waiting workload starts to hold its assignment. */
    void admit(TrackedWorkload one, Assignment assignment, Charge charge, long sequence) {
        dequeue(one);
        become(one, WorkloadState.ADMITTED);
        one.assignment = assignment;
        one.admittedAt = now;
        one.admissionSequence = sequence;
        one.charge = charge;
        one.requeueAt = null;
        one.memory = null;
        occupy(one, charge);
        queueOf(charge).generation++;
    }

    /** A waiting workload gets its assignment set aside; victims, if any, have left already. */
    void earmark(TrackedWorkload one, Assignment assignment, Charge charge, List<WorkloadId> awaited) {
        dequeue(one);
        one.assignment = assignment;
        one.admittedAt = now;
        one.charge = charge;
        one.requeueAt = null;
        one.memory = null;
        one.awaited.clear();
        one.awaited.addAll(awaited);
        charge.addTo(forest.promised);
        queueOf(charge).addHolder(one);
        queueOf(charge).earmarked.add(one);
        treeOf(charge.queue()).earmarked.add(one);
    }

    /** An earmark's room is free: its workload starts to hold it. */
    void admitEarmarked(TrackedWorkload one, long sequence) {
        Charge charge = one.chargeOrThrow();
        queueOf(charge).earmarked.remove(one);
        treeOf(charge.queue()).earmarked.remove(one);
        become(one, WorkloadState.ADMITTED);
        one.awaited.clear();
        one.admittedAt = now;
        one.admissionSequence = sequence;
        charge.addTo(forest.held);
        queueOf(charge).generation++;
    }

    /** The earmark ends; the workload waits, in no queue until it is enqueued again. */
    void dropEarmark(TrackedWorkload one) {
        Charge charge = one.chargeOrThrow();
        queueOf(charge).earmarked.remove(one);
        queueOf(charge).removeHolder(one);
        treeOf(charge.queue()).earmarked.remove(one);
        charge.removeFrom(forest.promised);
        clearAssignment(one);
        treeOf(charge.queue()).wake();
    }

    void startEviction(TrackedWorkload one, WorkloadState afterEviction) {
        become(one, WorkloadState.EVICTING);
        one.afterEviction = afterEviction;
        one.evictionCount++;
        Charge charge = one.chargeOrThrow();
        leave(one, charge);
        treeOf(charge.queue()).dirty = true;
    }

    /** The pods are gone: the charge ends, and whoever waited for it is looked at again. */
    void endCharge(TrackedWorkload one) {
        Charge charge = one.chargeOrThrow();
        TreeState tree = treeOf(charge.queue());
        boolean wasLeaving = tree.leaving.remove(one);
        if (settings.earmarks()) {
            charge.removeFrom(forest.held);
        }
        if (!settings.earmarks() || !wasLeaving) {
            charge.removeFrom(forest.promised);
            queueOf(charge).removeHolder(one);
        }
        for (TrackedWorkload waiting : tree.earmarked) {
            waiting.awaited.remove(one.id());
        }
        queueOf(charge).generation++;
        clearAssignment(one);
        tree.wake();
    }

    private void clearAssignment(TrackedWorkload one) {
        one.assignment = null;
        one.admittedAt = null;
        one.admissionSequence = 0;
        one.charge = null;
        one.awaited.clear();
        one.afterEviction = null;
        one.memory = null;
    }

    private QueueState queueOf(Charge charge) {
        return queue(charge.queue());
    }

    /** @throws IllegalStateException if the change is not in the table of legal ones */
    void become(TrackedWorkload one, WorkloadState next) {
        if (!one.state.canBecome(next)) {
            throw new IllegalStateException(one.id() + " cannot become " + next + " from " + one.state);
        }
        one.state = next;
    }
}
