package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Those of a tree that are on their way out and still hold devices, which whoever has an earmark counts on. */
final class Leaving {
    private static final Comparator<TrackedWorkload> LONGEST_FIRST = QueueOrder.longestFirst(Leaving::since);

    private final StuckVictims policy;
    private final TreeSet<TrackedWorkload> all;
    /** Those that are not stuck yet; kept while there is a limit to that. */
    private final TreeSet<TrackedWorkload> inTime = new TreeSet<>(LONGEST_FIRST);

    Leaving(CandidateOrder order, StuckVictims policy) {
        this.policy = policy;
        all = new TreeSet<>(order.seenFrom(-1));
    }

    private static Instant since(TrackedWorkload one) {
        Instant since = one.leavingSince;
        return since == null ? Instant.MIN : since;
    }

    /** The first to be taken in the order of victims first. */
    Collection<TrackedWorkload> all() {
        return Collections.unmodifiableCollection(all);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    void add(TrackedWorkload one) {
        all.add(one);
        if (policy.isOn() && one.leavingSince != null && !one.stuck) {
            inTime.add(one);
        }
    }

    /** To be said before what it is sorted by changes. Returns whether it was on its way out. */
    boolean remove(TrackedWorkload one) {
        inTime.remove(one);
        return all.remove(one);
    }

    /** When the next of them is stuck unless it has ended; null = none ever is. */
    @Nullable Instant nextDue() {
        return inTime.isEmpty() ? null : policy.due(since(inTime.first()));
    }

    /** Those that came to be stuck by now, the longest first; each is told once. */
    List<TrackedWorkload> drainStuck(Instant now) {
        List<TrackedWorkload> stuck = new ArrayList<>();
        for (Instant due = nextDue(); due != null && !due.isAfter(now); due = nextDue()) {
            stuck.add(inTime.removeFirst());
        }
        return stuck;
    }

    /**
     * Whom an earmark waits for. Its own victims, and as many others on their way out as are needed besides: what its victims free
     * beyond its need was left to others, and it may itself be counting on what others' victims free.
     */
    List<WorkloadId> awaitedBy(Charge charge, List<WorkloadId> own, Ledger held) {
        List<TrackedWorkload> others = new ArrayList<>();
        List<WorkloadId> awaited = new ArrayList<>(own);
        Set<WorkloadId> victims = new HashSet<>(own);
        try (Ledger.Trial trial = held.trial()) {
            for (TrackedWorkload leaving : all) {
                if (victims.contains(leaving.id())) {
                    leaving.chargeOrThrow().removeFrom(held);
                }
            }
            for (TrackedWorkload leaving : all) {
                if (charge.fits(held)) {
                    break;
                }
                if (!victims.contains(leaving.id()) && leaving.chargeOrThrow().uses(charge.lines())) {
                    leaving.chargeOrThrow().removeFrom(held);
                    others.add(leaving);
                }
            }
            for (int index = others.size() - 2; index >= 0; index--) {
                Charge spared = others.get(index).chargeOrThrow();
                spared.addTo(held);
                if (charge.fits(held)) {
                    others.remove(index);
                } else {
                    spared.removeFrom(held);
                }
            }
            trial.rewind();
        }
        others.forEach(other -> awaited.add(other.id()));
        return awaited;
    }
}
