package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import dev.sluice.quota.Share;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who holds quota of one queue, and what is asked of them most: in which order they are taken, and how much those of low priority hold. */
final class Holders {
    /** Charged to the queue as far as new decisions are concerned: candidates for preemption. In no order; not to be changed. */
    final List<TrackedWorkload> all = new ArrayList<>();

    /** More are looked at together with all the others. */
    private static final int ADDED_MOST = 32;

    private final boolean usageBased;
    /** Null = not known. */
    private @Nullable Charge least;

    private @Nullable HeldByPriority byPriority;
    private @Nullable List<TrackedWorkload> asTaken;
    /** Whom another queue's preemptor takes first of those that are not {@link #added}; null = not known. */
    private @Nullable TrackedWorkload first;

    private CandidateOrder.@Nullable Place placeOfFirst;
    /** Since the first was last asked for. */
    private final List<TrackedWorkload> added = new ArrayList<>();

    /** @param usageBased whether the queue goes by usage: then who is taken first hangs on the preemptor's queue, and on the time */
    Holders(boolean usageBased) {
        this.usageBased = usageBased;
    }

    void add(TrackedWorkload one) {
        least = null;
        one.holderIndex = all.size();
        all.add(one);
        asTaken = null;
        if (added.size() == ADDED_MOST) {
            forgetFirst();
        } else if (first != null) {
            added.add(one);
        }
        if (byPriority != null) {
            byPriority.add(one);
        }
    }

    /** The last one moves into the gap, so that leaving costs the same however many hold. */
    void remove(TrackedWorkload one) {
        least = null;
        TrackedWorkload last = all.removeLast();
        if (one.holderIndex < all.size()) {
            all.set(one.holderIndex, last);
            last.holderIndex = one.holderIndex;
        }
        one.holderIndex = -1;
        asTaken = null;
        if (one.equals(first) || added.contains(one)) {
            forgetFirst();
        }
        if (byPriority != null && !byPriority.remove(one)) {
            byPriority = null;
        }
    }

    /** Somebody holds another amount from now on, or with another priority. */
    void changed() {
        byPriority = null;
        least = null;
    }

    /** Somebody may be taken earlier or later than before. */
    void reordered() {
        asTaken = null;
        forgetFirst();
    }

    private void forgetFirst() {
        first = null;
        placeOfFirst = null;
        added.clear();
    }

    /**
     * Where the one stands that a preemptor of another queue takes first. Most that come and go are not the first, so it is rarely looked
     * for among all.
     *
     * @return null = nobody holds anything
     */
    CandidateOrder.@Nullable Place firstTaken(CandidateOrder order) {
        List<TrackedWorkload> asked = first == null ? all : added;
        for (TrackedWorkload one : asked) {
            CandidateOrder.Place place = order.placeOf(one);
            if (placeOfFirst == null || place.compareTo(placeOfFirst) < 0) {
                first = one;
                placeOfFirst = place;
            }
        }
        added.clear();
        return placeOfFirst;
    }

    /**
     * The first to be taken first. Not to be changed.
     *
     * @param order always the same of one configuration
     * @param preemptorQueue for whose workload
     */
    List<TrackedWorkload> asTaken(CandidateOrder order, int preemptorQueue) {
        List<TrackedWorkload> known = asTaken;
        if (known == null) {
            known = new ArrayList<>(all);
            known.sort(order.seenFrom(preemptorQueue));
            asTaken = usageBased ? null : known;
        }
        return known;
    }

    /** The most that the queue's share could be if any one of them went: as if that one held of each line what holds the least of it. */
    Share mostWithoutOne(Ledger ledger, int queue) {
        Charge known = least;
        if (known == null) {
            known = least(queue);
            least = known;
        }
        return known.shareWithout(ledger);
    }

    private Charge least(int queue) {
        if (all.isEmpty()) {
            return new Charge(queue, new int[0], new long[0]);
        }
        int[] lines = all.getFirst().chargeOrThrow().lines();
        long[] amounts = all.getFirst().chargeOrThrow().amounts().clone();
        for (TrackedWorkload one : all) {
            for (int index = 0; index < lines.length; index++) {
                amounts[index] = Math.min(amounts[index], one.chargeOrThrow().amount(lines[index]));
            }
        }
        return new Charge(queue, lines, amounts);
    }

    HeldByPriority byPriority() {
        HeldByPriority known = byPriority;
        if (known == null) {
            known = new HeldByPriority(all);
            byPriority = known;
        }
        return known;
    }
}
