package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lets a tree that is over its quota come back within it: whoever is too many is told when it must go, and goes then unless
 * there is quota for it again. Lowest priority first, then newest; of a queue that uses more than its nominal quota before
 * one that does not.
 *
 * <p>Who must go is worked out anew at every rest, since others end meanwhile; who stays in that set keeps its time.
 */
final class OvercommitmentDrain {
    private final Roster roster;
    private final TreeState tree;
    private final DecisionLog log;
    private final Ledger promised;

    OvercommitmentDrain(Roster roster, TreeState tree, DecisionLog log) {
        this.roster = roster;
        this.tree = tree;
        this.log = log;
        promised = roster.promised();
    }

    /** Returns whether anybody was evicted. */
    boolean run() {
        Set<TrackedWorkload> mustGo = mustGo();
        List<TrackedWorkload> due = new ArrayList<>();
        for (QueueState queue : tree.queues) {
            for (TrackedWorkload holder : queue.holders.all) {
                if (holder.stopsAt != null && !mustGo.contains(holder)) {
                    holder.stopsAt = null;
                    log.scheduleStop(holder);
                }
            }
        }
        for (TrackedWorkload one : mustGo) {
            Instant stopsAt = one.stopsAt;
            if (stopsAt == null) {
                stopsAt = roster.now().plus(roster.settings.overcommitment().grace());
                one.stopsAt = stopsAt;
                log.scheduleStop(one);
            }
            if (stopsAt.isAfter(roster.now())) {
                tree.lookAgainAt(stopsAt);
            } else {
                due.add(one);
            }
        }
        for (TrackedWorkload one : due) {
            roster.holdings().startEviction(one, WorkloadState.PENDING);
            log.evict(one, EvictionReason.OVERCOMMITMENT);
        }
        if (!due.isEmpty()) {
            // who must go may free more than was too much
            tree.wake();
        }
        return !due.isEmpty();
    }

    private Set<TrackedWorkload> mustGo() {
        Set<TrackedWorkload> mustGo = new LinkedHashSet<>();
        try (Ledger.Trial trial = promised.trial()) {
            for (TrackedWorkload next = next(mustGo); next != null; next = next(mustGo)) {
                next.chargeOrThrow().removeFrom(promised);
                mustGo.add(next);
            }
            trial.rewind();
        }
        return mustGo;
    }

    /** Null = nothing is over, or nobody who is left could change that. */
    private @Nullable TrackedWorkload next(Set<TrackedWorkload> taken) {
        Comparator<TrackedWorkload> order = Comparator.comparing((TrackedWorkload one) -> isWithinNominal(one))
                .thenComparing(new CandidateOrder(roster.settings).seenFrom(-1));
        return tree.queues.stream()
                .flatMap(queue -> queue.holders.all.stream())
                .filter(holder -> holder.isRunning() && !taken.contains(holder) && isOver(holder))
                .min(order)
                .orElse(null);
    }

    /** Whether a line that it uses is used beyond what its queue may have, somewhere up the tree. */
    private boolean isOver(TrackedWorkload holder) {
        Charge charge = holder.chargeOrThrow();
        for (int index = 0; index < charge.lines().length; index++) {
            if (charge.amounts()[index] > 0 && promised.available(charge.queue(), charge.lines()[index]) < 0) {
                return true;
            }
        }
        return false;
    }

    private boolean isWithinNominal(TrackedWorkload holder) {
        Charge charge = holder.chargeOrThrow();
        return promised.isWithinNominal(charge.queue(), charge.lines());
    }
}
