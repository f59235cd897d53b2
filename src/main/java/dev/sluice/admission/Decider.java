package dev.sluice.admission;

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
        for (TreeState tree : roster.trees()) {
            if (tree.dirty) {
                bringToRest(tree);
                tree.dirty = false;
            }
        }
    }

    private void bringToRest(TreeState tree) {
        boolean decidedSinceLook = offerRoom(tree);
        int idle = 0;
        int mostFlavors = tree.queues.stream()
                .mapToInt(queue -> queue.compiled.mostFlavors())
                .max()
                .orElse(0);
        while (true) {
            Cycle.Outcome outcome = new Cycle(roster, tree, log).run();
            boolean roomTaken = offerRoom(tree);
            boolean decided = roomTaken || outcome.decided();
            decidedSinceLook |= decided;
            // A strict queue's head that does not fit scans its flavors round and round.
            idle = decided || outcome.parked ? 0 : idle + 1;
            boolean goesOn = decided || outcome.parked || (outcome.scanning && idle <= mostFlavors);
            if (!goesOn && !(decidedSinceLook && lookAgain(tree))) {
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
    private boolean lookAgain(TreeState tree) {
        if (!roster.settings.earmarks()) {
            return false;
        }
        boolean woken = false;
        for (QueueState queue : tree.queues) {
            if (queue.compiled.preempts() || !tree.leaving.isEmpty()) {
                woken |= queue.wake();
            }
        }
        return woken;
    }

    /** Earmarks whose room is really free become admissions. */
    private boolean offerRoom(TreeState tree) {
        if (tree.earmarked.isEmpty()) {
            return false;
        }
        boolean admitted = false;
        List<TrackedWorkload> waiting = new ArrayList<>(tree.earmarked);
        for (TrackedWorkload one : waiting) {
            Charge charge = one.chargeOrThrow();
            if (charge.fits(roster.held())) {
                roster.admitEarmarked(one, log.nextAdmission());
                log.admit(one);
                admitted = true;
            } else if (one.awaited.isEmpty()) {
                one.awaited.addAll(Leaving.awaitedBy(charge, List.of(), tree, roster.held()));
            }
        }
        return admitted;
    }
}
