package dev.sluice.admission;

import dev.sluice.quota.QuotaTree;
import dev.sluice.topology.Feasibility;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadId;
import java.util.Comparator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The workloads of a queue that ask for the same with the same priority. What is found for the first holds for all, so
 * they are looked at, parked and woken as one: ten thousand copies of a job that does not fit cost one evaluation.
 *
 * <p>Only the first of a lane can be a queue's head, since the others come after it and are not different.
 */
final class Lane {
    /** Lanes of a queue as their first workloads stand in the queue; where it goes by usage, by that first. */
    static final Comparator<Lane> BY_FIRST = Lane::compareFirst;

    /**
     * @param localQueue {@code namespace/name} where the queue goes by usage; null = all LocalQueues stand in one line
     * @param misplaced the one workload of a lane of its own, whose namespace the queue does not take (parity); null = it does
     */
    record Key(
            int priority,
            List<PodSet> podSets,
            @Nullable String localQueue,
            @Nullable WorkloadId misplaced) {
        boolean asksLike(Key other) {
            return priority == other.priority && podSets.equals(other.podSets);
        }
    }

    final Key key;
    final SortedBlocks<TrackedWorkload> members = new SortedBlocks<>(QueueOrder.BY_AGE);
    boolean parked;
    /** Parked without a look at it, since whoever stands before it leaves nothing. */
    boolean unseen;
    /** What its LocalQueue used of late, where the queue goes by that; changed by {@link QueueState#reorder} alone. */
    double usage;
    /** Cycle of the tree in which its first was last found to wait and to keep what it needs from those behind it. */
    long keptInCycle = -1;
    /** {@link TreeState#sawAllFlavors}. */
    long seenInRound = -1;
    /** {@link TreeState#lost}. */
    long lostInRound = -1;
    /** Why the first did not start when last looked at; null = not looked at yet. */
    @Nullable WaitReason reason;

    /** How its first would start, as was found when it was woken; null = it was not woken since it was last asked. */
    private @Nullable Foreseen foreseen;

    private @Nullable PreparedRequest request;
    private @Nullable Demand demand;
    private @Nullable List<Charge> claims;

    /**
     * @param usage {@link dev.sluice.quota.Ledger#version} of what is promised
     * @param holders {@link TreeState#holdersVersion}
     */
    private record Foreseen(Nominator.Nominated nominated, TrackedWorkload first, long usage, long holders) {}

    Lane(Key key) {
        this.key = key;
    }

    private static int compareFirst(Lane left, Lane right) {
        int order = Double.compare(left.usage, right.usage);
        return order != 0 ? order : QueueOrder.IN_QUEUE.compare(left.head(), right.head());
    }

    boolean comesAfter(Lane other) {
        return BY_FIRST.compare(other, this) < 0;
    }

    /** Its request in its queue, made when first needed. */
    PreparedRequest request(CompiledQueue queue, Feasibility feasibility) {
        PreparedRequest known = request;
        if (known == null) {
            known = new PreparedRequest(queue, feasibility, key.podSets());
            request = known;
        }
        return known;
    }

    void foresee(Nominator.Nominated nominated, long usage, long holders) {
        foreseen = new Foreseen(nominated, head(), usage, holders);
    }

    /** How its first would start, if that is known of now; to be asked once. */
    Nominator.@Nullable Nominated takeForeseen(long usage, long holders) {
        Foreseen known = foreseen;
        foreseen = null;
        if (known == null || known.usage() != usage || known.holders() != holders) {
            return null;
        }
        return known.first().equals(head()) ? known.nominated() : null;
    }

    /** What it takes at least to start its first. */
    Demand demand(CompiledQueue queue, Feasibility feasibility) {
        Demand known = demand;
        if (known == null) {
            known = Demand.of(key.priority(), request(queue, feasibility));
            demand = known;
        }
        return known;
    }

    /** What its first keeps from those behind it, if it keeps its order and not even the fewest of its pods can start. */
    List<Charge> claims(CompiledQueue queue, Feasibility feasibility, QuotaTree tree) {
        List<Charge> known = claims;
        if (known == null) {
            known = Claims.of(request(queue, feasibility).fewest(), tree);
            claims = known;
        }
        return known;
    }

    /** Whether its queue does not take workloads of its one's namespace: it is parked when its turn comes, and never woken. */
    boolean isMisplaced() {
        return key.misplaced() != null;
    }

    TrackedWorkload head() {
        TrackedWorkload first = members.first();
        if (first == null) {
            throw new NoSuchElementException("an empty lane has no head");
        }
        return first;
    }
}
