package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is in a queue whose front waits and may not be overtaken. The front, and everybody else behind it who waits,
 * is charged for the moment with all that it needs; whoever comes after is then looked at. So nobody passes on a line of which
 * an earlier one has too little, nobody takes what an earlier one needs besides, and whoever needs neither goes on: order is
 * kept per line instead of per queue.
 *
 * <p>Leaving the lines of the front out of the others' choice would be simpler. But then a later one could take the free CPUs
 * of a gang that waits for GPUs, and be in its way when these get free.
 */
final class Keepers {
    private final Roster roster;
    private final TreeState tree;
    private final Ledger promised;
    private final BiFunction<QueueState, Lane, Entry> nominate;
    private final List<Entry> passedBy = new ArrayList<>();

    /** @param nominate against the ledger as it is */
    Keepers(Roster roster, TreeState tree, BiFunction<QueueState, Lane, Entry> nominate) {
        this.roster = roster;
        this.tree = tree;
        promised = roster.promised();
        this.nominate = nominate;
    }

    /** Those that keep their order and were passed all the same, since others need something else. */
    List<Entry> passedBy() {
        return passedBy;
    }

    /** The one of the queue that is dealt with in this cycle. */
    Entry entryOf(QueueState queue, Lane firstActive) {
        Lane guard = queue.guard();
        Lane first = guard != null && Lane.BY_FIRST.compare(guard, firstActive) < 0 ? guard : firstActive;
        Entry front = nominate.apply(queue, first);
        boolean keeps = keepsOrder(queue, front);
        boolean rests = keeps && mayRest(front);
        if (!rests) {
            queue.wake(first);
        }
        if (!keeps) {
            return front;
        }
        first.keptInCycle = tree.cycle;
        List<Entry> waiting = new ArrayList<>();
        List<Charge> claims = new ArrayList<>();
        Entry chosen = front;
        List<Lane> unseen = new ArrayList<>();
        waiting.add(front);
        claims.addAll(hold(claimsOf(queue, first)));
        boolean nothingLeft = leavesNothing(queue);
        for (Lane lane : queue.lanesAfter(first)) {
            if (nothingLeft && queue.isStrict()) {
                break;
            }
            if (nothingLeft && asksForAnything(queue, lane)) {
                if (rests) {
                    unseen.add(lane);
                }
                continue;
            }
            Entry next = nominate.apply(queue, lane);
            next.yieldTo(claims);
            next.ahead = front;
            if (!queue.isStrict() || !keepsOrder(queue, next)) {
                chosen = next;
                break;
            }
            lane.keptInCycle = tree.cycle;
            waiting.add(next);
            claims.addAll(hold(claimsOf(queue, lane)));
            nothingLeft = leavesNothing(queue);
        }
        takeBack(claims);
        unseen.forEach(lane -> queue.parkUnseen(lane, behind(front)));
        for (Entry entry : waiting) {
            if (!entry.equals(chosen)) {
                entry.lane.reason = reason(entry);
                if (!chosen.equals(front)) {
                    passedBy.add(entry);
                }
            }
        }
        return chosen;
    }

    /** The front of a queue, if it was found to keep what it needs when last looked at; null = nobody keeps anything. */
    @Nullable Lane keeper(QueueState queue) {
        Lane first = queue.firstActive();
        return first != null && queue.keeps(first) ? first : queue.guard();
    }

    /**
     * Whether one that keeps its order may be parked meanwhile, so that nobody looks at it until it could start. In a best-effort queue
     * only, and not if it is to be looked at in every cycle since it keeps from other queues, too, what it might preempt for.
     */
    boolean mayRest(Entry front) {
        return roster.settings.preciseWaking()
                && !front.queue.isStrict()
                && (front.nomination.mode() == Nomination.Mode.NO_FIT || front.queue.compiled.reclaimsAny());
    }

    /** Charges what a keeper keeps from those behind it, until that is taken back. */
    List<Charge> keep(QueueState queue, Lane keeper) {
        return keeper.parked ? hold(claimsOf(queue, keeper)) : keep(nominate.apply(queue, keeper));
    }

    /** The same of one that was just nominated: if it is looked at in every cycle, it might start by now. */
    List<Charge> keep(Entry keeper) {
        return hold(
                keeper.lane.parked
                        ? claimsOf(keeper.queue, keeper.lane)
                        : Claims.of(keeper.decisive().request(), promised.tree()));
    }

    void takeBack(List<Charge> claims) {
        claims.forEach(claim -> claim.removeFrom(promised));
    }

    /** Whether it waits, knows all its flavors, and those behind it must mind it. */
    private boolean keepsOrder(QueueState queue, Entry entry) {
        ScanMemory memory = entry.head.memory;
        boolean mayStartFurtherOn = memory != null && memory.isUnfinished() && !tree.knowsAllFlavors(entry.lane);
        if (entry.starts() || entry.passedOver || mayStartFurtherOn) {
            return false;
        }
        return queue.isStrict()
                ? roster.settings.orderKeeping().perLine()
                : isStarving(entry) && !WaitReasons.of(entry.decisive()).isNever();
    }

    private boolean isStarving(Entry entry) {
        Instant due = guardedFrom(entry.head, roster.settings);
        return due != null && !due.isAfter(roster.now());
    }

    /** When one at the front of a best-effort queue begins to keep its order; null = never. */
    static @Nullable Instant guardedFrom(TrackedWorkload front, AdmissionSettings settings) {
        Instant since = front.waitingSince == null ? front.queuedAt : front.waitingSince;
        return settings.orderKeeping().guardAfter().isZero()
                ? null
                : since.plus(settings.orderKeeping().guardAfter());
    }

    private List<Charge> claimsOf(QueueState queue, Lane waiting) {
        return waiting.claims(queue.compiled, roster.world().feasibility(), promised.tree());
    }

    private List<Charge> hold(List<Charge> claims) {
        claims.forEach(claim -> claim.addTo(promised));
        return claims;
    }

    /** Whoever comes after a front that leaves it too little waits for it. */
    static WaitReason behind(Entry front) {
        return new WaitReason.BlockedByEarlier(front.head.id(), ofFront(front));
    }

    private static WaitReason ofFront(Entry front) {
        if (front.nomination.mode() != Nomination.Mode.FIT) {
            return WaitReasons.of(front.decisive());
        }
        // It has not started all the same: it lost to what another queue's front keeps.
        WaitReason last = front.lane.reason;
        return last == null ? new WaitReason.NotYetConsidered() : last;
    }

    private boolean asksForAnything(QueueState queue, Lane lane) {
        return lane.request(queue.compiled, roster.world().feasibility()).asksForAnything();
    }

    /** Which of those that come after a front might start while that keeps what it needs; to be asked while it is charged. */
    Predicate<Lane> mayUseRest(QueueState queue) {
        boolean nothingLeft = leavesNothing(queue);
        return after -> !nothingLeft || !asksForAnything(queue, after);
    }

    private boolean leavesNothing(QueueState queue) {
        for (CompiledQueue.Group group : queue.compiled.groups()) {
            for (int[] flavor : group.lines()) {
                for (int line : flavor) {
                    if (promised.availableToQueue(queue.node(), line) > 0) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    /** Why one that comes after another waits: for quota, unless only those ahead of it leave too little. */
    WaitReason reason(Entry entry) {
        WaitReason own = WaitReasons.of(entry.decisive());
        Entry ahead = entry.ahead;
        if (ahead != null && own instanceof WaitReason.QuotaExhausted exhausted) {
            int line = promised.tree().line(exhausted.flavor(), exhausted.resource());
            if (promised.availableToQueue(entry.queue.node(), line) >= exhausted.requested()) {
                return behind(ahead);
            }
        }
        return own;
    }
}
