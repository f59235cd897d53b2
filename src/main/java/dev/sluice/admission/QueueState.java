package dev.sluice.admission;

import dev.sluice.quota.AdmissionMode;
import dev.sluice.quota.QueueingStrategy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Who waits in a ClusterQueue, in which order, and who holds its quota. */
final class QueueState {
    /** Few, so that little is looked at in vain in a block that may hold somebody who could start. */
    private static final int LANES_OF_A_BLOCK = 32;

    final CompiledQueue compiled;
    /** All that wait without an earmark, whether they compete now or not. */
    final SortedBlocks<TrackedWorkload> waiting = new SortedBlocks<>(QueueOrder.IN_QUEUE);

    final SortedBlocks<TrackedWorkload> earmarked = new SortedBlocks<>(QueueOrder.IN_QUEUE);
    final Holders holders;
    private final Map<Lane.Key, Lane> lanes = new HashMap<>();
    private final TreeSet<Lane> active = new TreeSet<>(Lane.BY_FIRST);
    private final SortedBlocks<Lane> parked = new SortedBlocks<>(Lane.BY_FIRST, LANES_OF_A_BLOCK);
    /** How many lanes are of a namespace that the queue does not take. */
    private int misplaced;

    /**
     * A preemptor that waits for its victims stays first (parity, best effort only), and still is when it is woken after it was found to
     * have no way: Kueue forgets it when it leaves the queue, or when another of the queue preempts.
     */
    @Nullable TrackedWorkload sticky;

    private @Nullable Lane guard;
    /** Whether any lane was parked unseen since all such were woken: most queues never park one. */
    private boolean mayHoldUnseen;
    /** Grows with every change of its own running work or of a quota in its tree; dates scan memory. */
    long generation;

    private final ToDoubleFunction<String> usageOf;
    private final TreeState tree;

    /** @param usageOf what a LocalQueue used of late, by {@code namespace/name} */
    QueueState(CompiledQueue compiled, ToDoubleFunction<String> usageOf, TreeState tree) {
        this.compiled = compiled;
        holders = new Holders(isUsageBased());
        this.usageOf = usageOf;
        this.tree = tree;
    }

    /** Who competes changed, or who is parked. */
    private void lanesChanged() {
        tree.competes(this, !active.isEmpty());
        tree.parked.note(this);
    }

    /** Whether its LocalQueues take turns by what they used of late. */
    boolean isUsageBased() {
        return compiled.config() != null && compiled.config().admissionMode() == AdmissionMode.USAGE_BASED;
    }

    double usageOf(TrackedWorkload one) {
        return isUsageBased() ? usageOf.applyAsDouble(UsageHistories.keyOf(one)) : 0;
    }

    /** By usage as it is now. Returns whether another workload is at the head. */
    boolean reorder() {
        if (!isUsageBased()) {
            return false;
        }
        TrackedWorkload before = head();
        active.clear();
        parked.clear();
        for (Lane lane : lanes.values()) {
            lane.usage = usageOf(lane.head());
            putIn(lane);
        }
        lanesChanged();
        tree.fronts.note(this);
        return !Objects.equals(before, head());
    }

    boolean comesBefore(TrackedWorkload one, TrackedWorkload other) {
        int byUsage = one.isEarmarked() ? 0 : Double.compare(usageOf(one), usageOf(other));
        return byUsage != 0 ? byUsage < 0 : QueueOrder.IN_QUEUE.compare(one, other) < 0;
    }

    /** All that wait without an earmark, as they will be considered. */
    Iterable<TrackedWorkload> inOrder() {
        if (!isUsageBased()) {
            return waiting;
        }
        Map<String, Double> usages = new HashMap<>();
        List<TrackedWorkload> sorted = new ArrayList<>();
        for (TrackedWorkload one : waiting) {
            usages.computeIfAbsent(UsageHistories.keyOf(one), usageOf::applyAsDouble);
            sorted.add(one);
        }
        sorted.sort(Comparator.comparingDouble(one -> usages.getOrDefault(UsageHistories.keyOf(one), 0.0)));
        return sorted;
    }

    String name() {
        return compiled.name();
    }

    int node() {
        return compiled.node();
    }

    boolean isStrict() {
        return compiled.config() != null && compiled.config().queueingStrategy() == QueueingStrategy.STRICT_FIFO;
    }

    boolean isEmpty() {
        return waiting.isEmpty() && earmarked.isEmpty() && holders.all.isEmpty();
    }

    void addHolder(TrackedWorkload one) {
        holders.add(one);
        tree.holds(one);
        holdersMoved();
    }

    void removeHolder(TrackedWorkload one) {
        holders.remove(one);
        tree.holdsNoMore(one);
        holdersMoved();
    }

    /** Somebody holds another amount from now on, or with another priority. */
    void holdersChanged() {
        holders.changed();
        holdersReordered();
    }

    void holdersReordered() {
        holders.reordered();
        holdersMoved();
    }

    private void holdersMoved() {
        tree.holdersMoved(this);
        tree.parked.note(this);
    }

    /** @param welcome whether the queue takes workloads of its namespace */
    void compete(TrackedWorkload tracked, boolean welcome) {
        String localQueue = isUsageBased() ? UsageHistories.keyOf(tracked) : null;
        Lane lane = lanes.computeIfAbsent(
                new Lane.Key(tracked.priority, tracked.podSets(), localQueue, welcome ? null : tracked.id()),
                Lane::new);
        if (lane.members.isEmpty()) {
            lane.usage = usageOf(tracked);
            misplaced += lane.isMisplaced() ? 1 : 0;
        } else {
            takeOut(lane);
        }
        lane.members.add(tracked);
        putIn(lane);
        tracked.lane = lane;
        if (tracked.equals(lane.head())) {
            guardsNoMore(lane);
        }
        lanesChanged();
        tree.fronts.note(this);
        if (lane.isMisplaced() && lanes.values().stream().anyMatch(other -> other.parked && isLike(other, lane))) {
            parkAlone(lane);
        }
    }

    /** Where newer equals may be preempted, the oldest of those alike may find victims whom those that were looked at may not take. */
    void wakeOldest(TrackedWorkload one, AdmissionSettings settings) {
        Lane lane = one.lane;
        boolean mayFindMore = settings.earmarks() && compiled.preemptsNewer();
        if (lane != null && mayFindMore && !lane.isMisplaced() && one.equals(lane.head())) {
            wake(lane);
        }
    }

    void leaveLane(TrackedWorkload tracked) {
        Lane lane = tracked.lane;
        if (lane == null) {
            return;
        }
        takeOut(lane);
        guardsNoMore(lane);
        lane.members.remove(tracked);
        tracked.lane = null;
        if (tracked.equals(sticky)) {
            sticky = null;
        }
        if (lane.members.isEmpty()) {
            lanes.remove(lane.key);
            misplaced -= lane.isMisplaced() ? 1 : 0;
        } else {
            putIn(lane);
        }
        lanesChanged();
        tree.fronts.note(this);
    }

    /** To be said before its first changes, by which it is found. */
    private void takeOut(Lane lane) {
        if (lane.parked) {
            parked.remove(lane);
        } else {
            active.remove(lane);
        }
    }

    private void putIn(Lane lane) {
        if (lane.parked) {
            parked.add(lane);
        } else {
            active.add(lane);
        }
    }

    /** The next to be considered; null = nobody competes. */
    @Nullable TrackedWorkload head() {
        if (sticky != null && sticky.lane != null && !sticky.lane.parked) {
            return sticky;
        }
        return active.isEmpty() ? null : active.first().head();
    }

    /** Null = none that competes now. */
    @Nullable Lane firstActive() {
        return active.isEmpty() ? null : active.first();
    }

    /** Those that compete behind a lane, in order. */
    Iterable<Lane> lanesAfter(Lane lane) {
        return active.tailSet(lane, false);
    }

    /** The first of all that compete, whether parked or not; null = nobody competes. */
    @Nullable Lane front() {
        Lane first = active.isEmpty() ? null : active.first();
        Lane asleep = parked.first();
        if (first == null || asleep == null) {
            return first == null ? asleep : first;
        }
        return Lane.BY_FIRST.compare(asleep, first) < 0 ? asleep : first;
    }

    /** Those of other namespaces that ask for the same share its fate, as far as Kueue looks at them at all. */
    void park(Lane lane) {
        parkAlone(lane);
        if (misplaced > 0) {
            lanes.values().stream().filter(other -> isLike(lane, other)).forEach(this::parkAlone);
        }
    }

    private static boolean isLike(Lane welcome, Lane misplaced) {
        return !welcome.isMisplaced() && misplaced.isMisplaced() && welcome.key.asksLike(misplaced.key);
    }

    void parkAlone(Lane lane) {
        if (!lane.parked) {
            active.remove(lane);
            lane.parked = true;
            parked.add(lane);
            lanesChanged();
        }
    }

    /** Its first keeps its order, and what it needs, though nobody looks at it until it could start. */
    void parkAsGuard(Lane lane) {
        parkAlone(lane);
        guard = lane;
        tree.guards(this, lane);
        lanesChanged();
    }

    void parkUnseen(Lane lane, WaitReason reason) {
        lane.unseen = true;
        mayHoldUnseen = true;
        lane.reason = reason;
        parkAlone(lane);
    }

    void wakeUnseen() {
        if (mayHoldUnseen) {
            mayHoldUnseen = false;
            wake(lane -> lane.unseen);
        }
    }

    /** The lane that is parked and whose first keeps what it needs from those behind it; null = there is none. */
    @Nullable Lane guard() {
        return guard;
    }

    private void guardsNoMore(Lane lane) {
        if (lane.equals(guard)) {
            guard = null;
            tree.fronts.note(this);
            tree.guardsNoMore(this, lane);
        }
    }

    /** Whether the first of a lane keeps what it needs from those behind it. */
    boolean keeps(Lane lane) {
        return lane.equals(guard) || lane.keptInCycle == tree.cycle;
    }

    /** Parks the lanes that are parked in an earlier state of this queue, of those that are meant; whoever keeps its room, keeps it. */
    void parkLike(QueueState earlier, Predicate<Lane> meant) {
        for (Lane old : earlier.lanes.values()) {
            Lane lane = lanes.get(old.key);
            if (lane != null && meant.test(old)) {
                lane.keptInCycle = old.keptInCycle;
                if (old.parked) {
                    lane.reason = old.reason;
                    lane.unseen = old.unseen;
                    mayHoldUnseen |= old.unseen;
                    parkAlone(lane);
                    guard = old.equals(earlier.guard) ? lane : guard;
                }
            }
        }
    }

    void wake(Lane lane) {
        if (lane.parked) {
            parked.remove(lane);
            rouse(lane);
            lanesChanged();
        }
    }

    boolean wake() {
        return wake(lane -> true);
    }

    private void rouse(Lane lane) {
        lane.parked = false;
        lane.unseen = false;
        active.add(lane);
        guardsNoMore(lane);
    }

    private boolean wake(Predicate<Lane> meant) {
        List<Lane> stay = new ArrayList<>();
        boolean woken = false;
        for (Lane lane : parked) {
            if (lane.isMisplaced() || !meant.test(lane)) {
                stay.add(lane);
            } else {
                rouse(lane);
                woken = true;
            }
        }
        if (woken) {
            parked.clear();
            stay.forEach(parked::add);
            lanesChanged();
        }
        return woken;
    }

    Iterable<Lane> activeLanes() {
        return active;
    }

    SortedBlocks<Lane> parkedLanes() {
        return parked;
    }

    /** 1 = first of all that wait here; 0 = it does not wait here. */
    int position(TrackedWorkload tracked) {
        if (tracked.isEarmarked()) {
            return earmarked.rank(tracked) + 1;
        }
        return tracked.state.waits() ? earmarked.size() + rank(tracked) + 1 : 0;
    }

    private int rank(TrackedWorkload tracked) {
        if (!isUsageBased()) {
            return waiting.rank(tracked);
        }
        int before = 0;
        Iterator<TrackedWorkload> all = inOrder().iterator();
        while (all.hasNext() && !all.next().equals(tracked)) {
            before++;
        }
        return before;
    }
}
