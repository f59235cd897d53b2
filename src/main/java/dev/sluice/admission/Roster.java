package dev.sluice.admission;

import dev.sluice.quota.Configuration;
import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaLine;
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
 * Everybody whom the engine knows and where they stand; what they hold is changed by its {@link Holdings}.
 *
 * <p>What a charge means while a preemptor waits for its victims stands at {@link Forest}.
 */
final class Roster {
    AdmissionSettings settings;
    private CandidateOrder order;
    private final Holdings holdings = new Holdings(this);
    private final Map<WorkloadId, TrackedWorkload> tracked = new HashMap<>();
    private final TreeSet<TrackedWorkload> backingOff =
            new TreeSet<>(Comparator.comparing(Roster::backOffEnd).thenComparing(TrackedWorkload::id));
    private final UsageHistories histories = new UsageHistories(this);
    private final Starting starting = new Starting();
    final Looks looks = new Looks();
    private Forest forest;
    private Instant now = Instant.MIN;
    /** Number of the instant that is being decided. */
    long instant;

    Roster(AdmissionSettings settings) {
        this.settings = settings;
        order = new CandidateOrder(settings);
        forest = new Forest(
                new World(
                        Configuration.EMPTY,
                        UsableCapacity.UNLIMITED,
                        new TreeMap<>(),
                        new TreeMap<>(),
                        new TreeMap<>(),
                        settings),
                settings,
                order,
                histories::usage);
    }

    private static Instant backOffEnd(TrackedWorkload tracked) {
        return tracked.requeueAt == null ? Instant.MIN : tracked.requeueAt;
    }

    /** Who holds what: every beginning, change and end of a charge. */
    Holdings holdings() {
        return holdings;
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
            rebuild();
        }
    }

    private void rebuild() {
        rebuild(forest.world.configuration(), forest.world.capacity(), forest.world.namespaces());
    }

    /** Compiles the world anew and puts everybody back where they belong. Nobody's state changes. */
    void rebuild(
            Configuration configuration,
            UsableCapacity capacity,
            SortedMap<String, SortedMap<String, String>> namespaces) {
        if (configuration.version() != forest.world.configuration().version()) {
            tracked.values().forEach(one -> one.preemptors.clear());
        }
        SortedMap<String, SortedSet<QuotaLine>> chargedLines = new TreeMap<>();
        SortedMap<String, String> retired = new TreeMap<>();
        for (TrackedWorkload one : tracked.values()) {
            Assignment assignment = one.assignment;
            if (assignment != null) {
                SortedSet<QuotaLine> ofQueue =
                        chargedLines.computeIfAbsent(assignment.clusterQueue(), queue -> new TreeSet<>());
                assignment
                        .podSets()
                        .forEach(podSet -> podSet.flavors()
                                .forEach((resource, flavor) -> ofQueue.add(new QuotaLine(flavor, resource))));
                if (!configuration.clusterQueues().containsKey(assignment.clusterQueue())) {
                    retired.put(assignment.clusterQueue(), forest.world.cohortOf(assignment.clusterQueue()));
                }
            }
        }
        histories.beforeRebuild();
        Forest before = forest;
        looks.writesBefore += before.promised.writes();
        forest = new Forest(
                new World(configuration, capacity, namespaces, chargedLines, retired, settings),
                settings,
                order,
                histories::usage);
        backingOff.clear();
        starting.clear();
        tracked.values().forEach(this::place);
        histories.afterRebuild();
        forest.queues().forEach(QueueState::reorder);
        forest.keepParked(before);
    }

    /**
     * Another roster's world as it is, queues with it that are gone and whose cohort no configuration tells. To be said before
     * anybody is added.
     */
    void standOn(World world) {
        forest = new Forest(world, settings, order, histories::usage);
    }

    /** For the brake of fair sharing. */
    void notePreemption(TrackedWorkload victim, WorkloadId preemptor) {
        if (settings.fairSharing().isOn() && settings.fairSharingBrake() && !victim.preemptors.contains(preemptor)) {
            victim.preemptors.add(preemptor);
            victim.preemptedUnder = forest.world.configuration().version();
        }
    }

    /** Those of another configuration than the one in force do not count any more. */
    void recallPreemptors(TrackedWorkload one, Particulars particulars) {
        if (particulars.preemptedUnder() == forest.world.configuration().version()) {
            one.preemptors.addAll(particulars.preemptors());
            one.preemptedUnder = particulars.preemptedUnder();
        }
    }

    void countAnewIfSaturated() {
        forest.countAnewIfSaturated(tracked.values());
    }

    UsageHistories histories() {
        return histories;
    }

    /** What was used of late goes down with time: where that puts another at the head, it is looked at. */
    void reorderByUsage() {
        for (QueueState queue : forest.usageBased()) {
            if (queue.reorder()) {
                letOthersTry(queue, queue.isStrict());
            }
        }
    }

    // Coming and going

    void add(TrackedWorkload one) {
        tracked.put(one.id(), one);
        place(one);
    }

    /** Restored while the queue or a line that it is charged to is not configured any more. */
    void addRetired(TrackedWorkload one) {
        tracked.put(one.id(), one);
        rebuild();
    }

    /** Changes what a workload is sorted by. */
    void changeOrder(TrackedWorkload one, Runnable change) {
        TreeState tree = one.charge == null ? null : treeOf(one.charge.queue());
        boolean wasLeaving = tree != null && tree.leaving.remove(one);
        change.run();
        if (one.charge != null) {
            queue(one.charge.queue()).holdersChanged();
        }
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
            Charge charge = one.chargeOf(assignment, forest.world.tree());
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
                holdings.occupy(one, charge);
                histories.resume(one);
                starts(one);
                if (one.isEvicting()) {
                    holdings.leave(one, charge);
                }
            }
            tree.dirty = true;
        } else if (one.state.waits()) {
            enqueue(one);
        } else {
            one.queue = resolve(one);
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
            queue.compete(one, forest.world.admitsNamespace(queue.compiled, one.workload));
            queue.wakeOldest(one, settings);
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
            return new WaitReason.BackingOff(until, one.evictionCount, one.failedStart);
        }
        if (forest.world.isStopped(one.workload.namespace(), one.localQueue)) {
            return new WaitReason.QueueStopped(queue.name(), one.localQueue);
        }
        return !settings.namespaceShutsOut() || forest.world.admitsNamespace(queue.compiled, one.workload)
                ? null
                : new WaitReason.NamespaceNotAllowed(one.workload.namespace(), queue.name());
    }

    /** Takes a waiting workload out of its queue. */
    void dequeue(TrackedWorkload one) {
        QueueState queue = one.queue;
        if (queue != null) {
            boolean kept =
                    (queue.isStrict() && one.equals(queue.head())) || (one.lane != null && queue.keeps(one.lane));
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

    /** Its time to become ready runs from its admission on. */
    void starts(TrackedWorkload one) {
        starting.add(one, settings.startRetries());
    }

    /** To be said before it loses its assignment, by whose time it is found. */
    void startsNoMore(TrackedWorkload one) {
        starting.remove(one);
    }

    /** It was looked at now and is not ready. */
    void sawUnready(TrackedWorkload one) {
        starting.sawUnready(one, settings.startRetries(), now);
    }

    /** Those whose time to become ready came to its end since the last call. */
    List<WorkloadId> drainOverdue() {
        return starting.drainOverdue();
    }

    /** One that was seen to be not ready after its time; null = there is none. */
    @Nullable TrackedWorkload lateStart() {
        return starting.late(settings.startRetries(), now);
    }

    /** When something is to be decided next although nothing happens; null = never. */
    @Nullable Instant nextTimer() {
        Instant next = backingOff.isEmpty() ? Instant.MAX : backOffEnd(backingOff.first());
        Instant due = starting.nextDue(settings.startRetries());
        if (due != null) {
            next = earlier(next, due);
        }
        for (TreeState tree : forest.trees()) {
            Instant timer = tree.nextTimer();
            next = timer == null ? next : earlier(next, timer);
        }
        return next.equals(Instant.MAX) ? null : next;
    }

    private static Instant earlier(Instant left, Instant right) {
        return right.isBefore(left) ? right : left;
    }

    /** @throws IllegalStateException if the change is not in the table of legal ones */
    void become(TrackedWorkload one, WorkloadState next) {
        if (!one.state.canBecome(next)) {
            throw new IllegalStateException(one.id() + " cannot become " + next + " from " + one.state);
        }
        startsNoMore(one);
        one.state = next;
    }
}
