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
import java.util.ArrayList;
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
 * <h2>Two ledgers</h2>
 *
 * While a preemptor waits for its victims, two questions about quota have different answers, so two ledgers are kept:
 *
 * <ul>
 *   <li><b>held</b>: what is really occupied. A charge enters when a workload is admitted and leaves when its pods are
 *       gone, whatever its state in between. It answers "may this start now?".
 *   <li><b>promised</b>: how things stand once everyone who must leave has left. Whoever is on the way out does not count,
 *       and an earmark counts as if its workload ran. It answers "whose is it?", and every nomination and victim search
 *       works on it.
 * </ul>
 *
 * So with leaving workloads L, earmarks E and the rest R: held = R + L, promised = R + E. The rules are
 *
 * <ol>
 *   <li>who fits promised and held is admitted: R grows, both ledgers stay within quota;
 *   <li>who fits promised but not held is earmarked: it waits for some of L and the part that was already free is its
 *       own from now on, since everyone after it is measured against promised;
 *   <li>who needs victims takes them out of promised (R becomes L; held does not change) and is earmarked;
 *   <li>an earmark becomes an admission as soon as it fits held (E becomes R; promised does not change).
 * </ol>
 *
 * Hence held never grows except by what fits it, so nothing is over-admitted; and promised stays within quota, so when all
 * of L is gone every earmark fits: held = R ≤ R + E. Victims that free more than was needed leave room in promised, which
 * others may be earmarked on but cannot occupy before it is really free. One ledger with "the victim's charge becomes the
 * preemptor's" fails there: charges of different size, in different queues, do not replace each other.
 *
 * <p>A higher priority may take an earmark over: an earmarked workload is a candidate like one that runs, and loses its
 * earmark instead of being evicted. Without earmarks (parity) there is one ledger, which those on their way out occupy
 * until they are gone.
 */
final class Roster {
    final AdmissionSettings settings;
    private final CandidateOrder order;
    private final Map<WorkloadId, TrackedWorkload> tracked = new HashMap<>();
    private final TreeSet<TrackedWorkload> backingOff =
            new TreeSet<>(Comparator.comparing(Roster::backOffEnd).thenComparing(TrackedWorkload::id));
    private World world;
    private Ledger promised;
    private Ledger held;
    private List<QueueState> queues = new ArrayList<>();
    private SortedMap<Integer, TreeState> trees = new TreeMap<>();
    private Instant now = Instant.MIN;
    /** Number of the instant that is being decided. */
    long instant;

    Roster(AdmissionSettings settings) {
        this.settings = settings;
        order = new CandidateOrder(settings);
        world = new World(Configuration.EMPTY, UsableCapacity.UNLIMITED, new TreeSet<>(), new TreeMap<>(), settings);
        promised = new Ledger(world.tree());
        held = promised;
    }

    private static Instant backOffEnd(TrackedWorkload tracked) {
        return tracked.requeueAt == null ? Instant.MIN : tracked.requeueAt;
    }

    World world() {
        return world;
    }

    Ledger promised() {
        return promised;
    }

    Ledger held() {
        return held;
    }

    CandidateOrder candidateOrder() {
        return order;
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
        return queues.get(node);
    }

    List<QueueState> queues() {
        return queues;
    }

    Collection<TreeState> trees() {
        return trees.values();
    }

    TreeState treeOf(int queue) {
        TreeState tree = trees.get(world.tree().root(queue));
        if (tree == null) {
            throw new IllegalStateException("no tree has queue " + world.tree().name(queue));
        }
        return tree;
    }

    // Configuration

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
        world = new World(configuration, capacity, chargedLines, retired, settings);
        promised = new Ledger(world.tree());
        held = settings.earmarks() ? new Ledger(world.tree()) : promised;
        queues = new ArrayList<>();
        trees = new TreeMap<>();
        backingOff.clear();
        for (CompiledQueue compiled : world.queues()) {
            QueueState queue = new QueueState(compiled);
            queues.add(queue);
            trees.computeIfAbsent(world.tree().root(compiled.node()), root -> new TreeState(root, order))
                    .queues
                    .add(queue);
        }
        tracked.values().forEach(this::place);
    }

    /** A queue that is not configured any more keeps its place in the tree as long as something is charged to it. */
    private String lastCohortOf(String queue) {
        int node = world.tree().queue(queue);
        String cohort = node == QuotaTree.NONE ? null : world.tree().cohortOf(node);
        return cohort == null ? "" : cohort;
    }

    /** After saturated amounts a release does not undo a charge: the ledgers are counted anew. */
    void countAnewIfSaturated() {
        if (!promised.sawSaturation() && !held.sawSaturation()) {
            return;
        }
        promised.clear();
        held.clear();
        for (TrackedWorkload one : tracked.values()) {
            Charge charge = one.charge;
            if (charge != null && (!one.isEvicting() || !settings.earmarks())) {
                charge.addTo(promised);
            }
            if (charge != null && settings.earmarks() && !one.isEarmarked()) {
                charge.addTo(held);
            }
        }
    }

    // Coming and going

    void add(TrackedWorkload one) {
        tracked.put(one.id(), one);
        place(one);
    }

    /** Restored while the queue that it is charged to is not configured any more. */
    void addRetired(TrackedWorkload one) {
        tracked.put(one.id(), one);
        rebuild(world.configuration(), world.capacity());
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
            Charge charge = Charge.of(assignment, world.tree());
            one.charge = charge;
            QueueState queue = queue(charge.queue());
            one.queue = queue;
            TreeState tree = treeOf(charge.queue());
            if (one.isEarmarked()) {
                charge.addTo(promised);
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
        charge.addTo(promised);
        if (settings.earmarks()) {
            charge.addTo(held);
        }
        queue(charge.queue()).addHolder(one);
    }

    private void leave(TrackedWorkload one, Charge charge) {
        treeOf(charge.queue()).leaving.add(one);
        if (settings.earmarks()) {
            charge.removeFrom(promised);
            queue(charge.queue()).removeHolder(one);
        }
    }

    private @Nullable QueueState resolve(TrackedWorkload one) {
        CompiledQueue compiled = world.resolve(one.workload.namespace(), one.localQueue);
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
        TreeState tree = treeOf(queue.node());
        if (one.requeueAt != null && one.requeueAt.isAfter(now)) {
            one.held = new WaitReason.BackingOff(one.requeueAt, one.evictionCount);
            backingOff.add(one);
        } else if (world.isStopped(one.workload.namespace(), one.localQueue)) {
            one.held = new WaitReason.QueueStopped(queue.name(), one.localQueue);
        } else if (!World.admitsNamespace(queue.compiled, one.workload)) {
            one.held = new WaitReason.NamespaceNotAllowed(one.workload.namespace(), queue.name());
        } else {
            queue.compete(one);
            tree.dirty = true;
        }
    }

    /** Takes a waiting workload out of its queue. */
    void dequeue(TrackedWorkload one) {
        QueueState queue = one.queue;
        if (queue != null) {
            queue.leaveLane(one);
            queue.waiting.remove(one);
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
        charge.addTo(promised);
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
        charge.addTo(held);
        queueOf(charge).generation++;
    }

    /** The earmark ends; the workload waits, in no queue until it is enqueued again. */
    void dropEarmark(TrackedWorkload one) {
        Charge charge = one.chargeOrThrow();
        queueOf(charge).earmarked.remove(one);
        queueOf(charge).removeHolder(one);
        treeOf(charge.queue()).earmarked.remove(one);
        charge.removeFrom(promised);
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
            charge.removeFrom(held);
        }
        if (!settings.earmarks() || !wasLeaving) {
            charge.removeFrom(promised);
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
