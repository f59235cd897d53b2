package dev.sluice.admission;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Brings every tree in which something happened to rest. */
final class Decider {
    private final Roster roster;
    private final DecisionLog log;

    Decider(Roster roster, DecisionLog log) {
        this.roster = roster;
        this.log = log;
    }

    void decide() {
        roster.countAnewIfSaturated();
        roster.instant++;
        roster.reorderByUsage();
        failLateStarts();
        for (TreeState tree : roster.trees()) {
            Instant lookAgainAt = tree.lookAgainAt;
            if (lookAgainAt != null && !lookAgainAt.isAfter(roster.now())) {
                tree.lookAgainAt = null;
                tree.wake();
            }
            if (tree.isLate(roster.now())) {
                new StuckEnds(roster, tree, log).run();
            }
            if (tree.dirty) {
                tree.startInstant();
                tree.fronts.wake(roster.now());
                do {
                    bringToRest(tree);
                } while (roster.settings.overcommitment().drains() && new OvercommitmentDrain(roster, tree, log).run());
                tree.lookAgainAt(tree.fronts.nextAfter(roster.now()));
                tree.dirty = false;
            }
        }
    }

    private void failLateStarts() {
        StartRetries retries = roster.settings.startRetries();
        for (TrackedWorkload late = roster.lateStart(); late != null; late = roster.lateStart()) {
            roster.holdings().failStart(late, "its pods were not ready within " + retries.readyTimeout());
            if (retries.behindByEviction()) {
                late.queuedAt = roster.now();
            }
            roster.treeOf(late.chargeOrThrow().queue()).wake();
            log.evict(late, EvictionReason.PODS_READY_TIMEOUT);
        }
    }

    private void bringToRest(TreeState tree) {
        boolean moved = roster.settings.preciseWaking() && tree.takeMoved();
        if (moved) {
            new Waking(roster, tree).run();
        }
        // What a front keeps for itself is known after the first cycle only, so it is looked once more.
        boolean decidedSinceLook = offerRoom(tree) || moved;
        int idle = 0;
        while (true) {
            Cycle.Outcome outcome = new Cycle(roster, tree, log).run();
            boolean roomTaken = offerRoom(tree);
            boolean decided = roomTaken || outcome.decided();
            decidedSinceLook |= decided;
            if (decided) {
                tree.startRound();
            }
            // A strict queue's head that does not fit scans its flavors round and round.
            idle = decided || outcome.parked || outcome.learned ? 0 : idle + 1;
            boolean goesOn = decided || outcome.parked || (outcome.scanning && idle <= tree.mostFlavors());
            if (!goesOn && parkSkipped(tree, outcome.skipped)) {
                // Whoever comes to the front now has all its flavors to see.
                goesOn = true;
                idle = 0;
            }
            if (!goesOn && !lookAgain(tree, decidedSinceLook)) {
                if (roster.settings.preciseWaking() && tree.protectsForATime()) {
                    new Waking(roster, tree).lookIntoTheRest();
                }
                return;
            }
            if (!goesOn) {
                decidedSinceLook = false;
            }
        }
    }

    /**
     * Whoever may preempt is looked at once more after anything was decided: a queue may have begun to borrow, and what was
     * parked before may now reclaim. Kueue waits for the next event instead.
     */
    private boolean lookAgain(TreeState tree, boolean decided) {
        boolean looks = decided && roster.settings.earmarks();
        if (roster.settings.preciseWaking()) {
            boolean moved = tree.takeMoved();
            return (looks || moved) && new Waking(roster, tree).run();
        }
        boolean woken = false;
        for (QueueState queue : tree.queues) {
            if (looks && (queue.compiled.preempts() || !tree.leaving.isEmpty() || tree.hasStrictQueue())) {
                woken |= queue.wake();
            }
        }
        return woken;
    }

    /**
     * In a cycle that changed nothing, who was skipped lost to what a strict queue's head keeps for itself, or goes round its
     * flavors, and will again: let those behind it have their turn. Kueue tries it in every cycle, and its queue stands
     * still.
     */
    private boolean parkSkipped(TreeState tree, List<Cycle.Skipped> skipped) {
        // Those that scan may be what the others lost to: without them the others are tried once more.
        return park(tree, skipped, true) || park(tree, skipped, false);
    }

    private boolean park(TreeState tree, List<Cycle.Skipped> skipped, boolean scanning) {
        boolean parked = false;
        for (Cycle.Skipped one : skipped) {
            if (roster.settings.earmarks() && !one.queue().isStrict() && one.scanning() == scanning) {
                tree.lost(one.lane());
                one.queue().park(one.lane());
                one.queue().wakeUnseen();
                parked = true;
            }
        }
        return parked;
    }

    /** Nobody leaves any more for it, and still there is no room: others use more than when it was set aside. */
    private void drop(TrackedWorkload one) {
        roster.holdings().loseEarmark(one);
        log.dropEarmark(one, "what runs needs more than its quota");
    }

    /** Earmarks whose room is really free become admissions. Returns whether any did, or lost its claim. */
    private boolean offerRoom(TreeState tree) {
        if (tree.earmarked.isEmpty()) {
            return false;
        }
        boolean changed = false;
        List<TrackedWorkload> waiting = new ArrayList<>(tree.earmarked);
        for (TrackedWorkload one : waiting) {
            Charge charge = one.chargeOrThrow();
            if (charge.fits(roster.held())) {
                roster.holdings().admitEarmarked(one, log.nextAdmission());
                log.admit(one);
                changed = true;
            } else if (one.awaited.isEmpty()) {
                one.awaited.addAll(tree.leaving.awaitedBy(charge, List.of(), roster.held()));
                if (one.awaited.isEmpty()) {
                    drop(one);
                    changed = true;
                }
            }
        }
        return changed;
    }
}
