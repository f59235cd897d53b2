package dev.sluice.admission;

import dev.sluice.quota.Ledger;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Tells whose end is late, and, if the policy says so, waits for it no longer: who is stuck counts as one that stays, and earmarks that
 * have no room with that end. Who keeps its earmark is decided in the order in which room is offered, so that what others free goes to
 * the first, and not to those who happened to be promised it.
 */
final class StuckEnds {
    private final Roster roster;
    private final TreeState tree;
    private final DecisionLog log;

    StuckEnds(Roster roster, TreeState tree, DecisionLog log) {
        this.roster = roster;
        this.tree = tree;
        this.log = log;
    }

    void run() {
        boolean givenUp = tree.takeGivenUp();
        for (TrackedWorkload one : tree.leaving.drainStuck(roster.now())) {
            Instant since = one.leavingSince;
            if (since != null) {
                one.stuck = true;
                log.stuck(one, since);
                givenUp |= roster.holdings().giveUpOn(one);
            }
        }
        if (givenUp) {
            withoutRoom().forEach(this::drop);
            tree.earmarked.forEach(one -> one.awaited.removeIf(this::isGivenUpOn));
            tree.dirty = true;
        }
    }

    private List<TrackedWorkload> withoutRoom() {
        Ledger promised = roster.promised();
        List<TrackedWorkload> without = new ArrayList<>();
        try (Ledger.Trial trial = promised.trial()) {
            tree.earmarked.forEach(one -> one.chargeOrThrow().removeFrom(promised));
            for (TrackedWorkload one : tree.earmarked) {
                if (one.chargeOrThrow().fits(promised)) {
                    one.chargeOrThrow().addTo(promised);
                } else {
                    without.add(one);
                }
            }
            trial.rewind();
        }
        return without;
    }

    private void drop(TrackedWorkload one) {
        List<String> stuck = one.awaited.stream()
                .filter(this::isGivenUpOn)
                .map(WorkloadId::value)
                .toList();
        roster.holdings().loseEarmark(one);
        log.dropEarmark(
                one,
                stuck.isEmpty()
                        ? "others go first to what gets free"
                        : "it waited for " + String.join(", ", stuck) + ", and that does not end");
    }

    private boolean isGivenUpOn(WorkloadId id) {
        TrackedWorkload one = roster.find(id);
        return one != null && one.givenUpOn;
    }
}
