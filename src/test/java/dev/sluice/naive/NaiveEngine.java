package dev.sluice.naive;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Decision;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.OrderKeeping;
import dev.sluice.admission.StartRetries;
import dev.sluice.admission.StuckVictims;
import dev.sluice.admission.VictimChoice;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import dev.sluice.simulation.PlainUsage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the rules say, with nothing done for speed: Kueue's cycle repeated, tree by tree, until one changes nothing. Of the
 * deviations it knows earmarks with all that follows from them (whose room is free, starting a scan anew, looking again at whoever
 * may preempt, letting others pass who only lose to what a strict head keeps), waking of those who could start, borrowing of uncontested lines, fair trimming of
 * victims, exact counting of pods that are done, and victims that do not end.
 *
 * <p>It leaves out: what the nodes can hold, affinity, namespace labels, admission checks, back-off, order per line and the guard of gangs, protection
 * of victims by run time, brake and checkpoint, timeouts, drains after a cut, cycles of cohorts, amounts so large that they
 * saturate, restoring from a store, and all reasons and explanations. The texts of decisions are empty.
 */
public final class NaiveEngine {
    private final NaiveState state;
    private final NaiveIntake intake;

    public NaiveEngine(AdmissionSettings settings) {
        state = new NaiveState(settings);
        intake = new NaiveIntake(state);
    }

    /** The same policies without those that are left out here. */
    public static AdmissionSettings known(AdmissionSettings all) {
        return new AdmissionSettings(
                all.earmarks(),
                all.feasibleVictimsOnly(),
                all.uncontestedMayBorrow(),
                all.fairAfterTrimming(),
                false,
                all.reclaimFromPartial(),
                false,
                all.preciseWaking(),
                OrderKeeping.KUEUE,
                VictimChoice.KUEUE,
                StartRetries.KUEUE,
                all.stuckVictims(),
                all.overcommitment(),
                all.fairSharing(),
                all.admissionFairSharing());
    }

    /** One living workload: its state, and what it holds with the pods that are charged. */
    public SortedMap<String, String> describe() {
        SortedMap<String, String> described = new TreeMap<>();
        state.living
                .values()
                .forEach(one -> described.put(
                        one.id().value(),
                        one.state + " priority " + one.priority
                                + (one.assignment == null ? "" : " " + one.assignment + " for " + one.charge())));
        return described;
    }

    public void apply(EngineEvent event, Instant at) {
        state.now = at;
        intake.take(event);
    }

    public List<Decision> decide(Instant at) {
        state.now = at;
        state.instant++;
        for (String root : state.tree.roots()) {
            tellStuck(root);
            if (state.givenUp.remove(root)) {
                dropWithoutRoom(root);
            }
            if (state.touched.contains(root)) {
                bringToRest(root);
                state.touched.remove(root);
            }
        }
        List<Decision> decided = List.copyOf(state.decisions);
        state.decisions.clear();
        return decided;
    }

    private void tellStuck(String root) {
        StuckVictims policy = state.settings.stuckVictims();
        List<NaiveWorkload> late = state.living.values().stream()
                .filter(one -> one.isEvicting()
                        && !one.stuck
                        && policy.after().isPositive()
                        && !one.leavingSince.plus(policy.after()).isAfter(state.now)
                        && root.equals(state.tree.root(one.chargedTo())))
                .sorted(Comparator.comparing((NaiveWorkload one) -> one.leavingSince)
                        .thenComparingLong(one -> one.workload.sequence())
                        .thenComparing(NaiveWorkload::id))
                .toList();
        for (NaiveWorkload one : late) {
            one.stuck = true;
            state.decisions.add(new Decision.Stuck(one.id(), one.chargedTo(), one.leavingSince));
            if (state.settings.earmarks() && policy.then() == StuckVictims.Then.CHOOSE_ANOTHER) {
                one.givenUp = true;
                state.givenUp.add(root);
            }
        }
    }

    /** Earmarks get their room in order; what is left over is dropped. */
    private void dropWithoutRoom(String root) {
        state.touched.add(root);
        PlainUsage usage = state.promised();
        for (NaiveWorkload one : state.earmarked(root)) {
            usage = one.leave(usage);
        }
        List<NaiveWorkload> without = new ArrayList<>();
        for (NaiveWorkload one : state.earmarked(root)) {
            if (usage.fits(one.chargedTo(), one.charge())) {
                usage = one.join(usage);
            } else {
                without.add(one);
            }
        }
        for (NaiveWorkload one : without) {
            state.dropEarmark(one);
            state.enqueue(one);
            state.decisions.add(new Decision.DropEarmark(one.id(), ""));
        }
    }

    private void bringToRest(String root) {
        state.cycleOfInstant = 0;
        state.startRound();
        boolean moved = state.settings.preciseWaking() && state.moved.remove(root);
        if (moved) {
            new NaiveWaking(state, root).run();
        }
        boolean decidedSinceLook = offerRoom(root) || moved;
        int mostFlavors = state.tree.queuesBelow(root).stream()
                .mapToInt(this::mostFlavors)
                .max()
                .orElse(0);
        int idle = 0;
        boolean goesOn = true;
        while (goesOn) {
            NaiveCycle cycle = new NaiveCycle(state, root);
            cycle.run();
            state.cycleOfInstant++;
            boolean decided = offerRoom(root) || cycle.decided;
            decidedSinceLook |= decided;
            if (decided) {
                state.startRound();
            }
            idle = decided || cycle.parked || cycle.learned ? 0 : idle + 1;
            goesOn = decided || cycle.parked || (cycle.scanning && idle <= mostFlavors);
            if (!goesOn && letOthersPass(cycle.skipped)) {
                goesOn = true;
                idle = 0;
                decidedSinceLook |= state.settings.preciseWaking();
            }
            if (!goesOn) {
                goesOn = lookAgain(root, decidedSinceLook);
                decidedSinceLook = false;
            }
        }
    }

    private int mostFlavors(String queue) {
        ClusterQueue config = state.config(queue);
        return config == null
                ? 0
                : config.resourceGroups().stream()
                        .mapToInt(group -> group.flavors().size())
                        .max()
                        .orElse(0);
    }

    /**
     * An earmark becomes an admission as soon as its whole room is really free, and is given up when nobody leaves any more who
     * could make it free.
     */
    private boolean offerRoom(String root) {
        boolean changed = false;
        for (NaiveWorkload one : state.earmarked(root)) {
            if (state.held().fits(one.chargedTo(), one.charge())) {
                one.assignedAt = state.now;
                state.admit(one);
                changed = true;
            } else if (!state.anybodyLeavesFor(one)) {
                state.dropEarmark(one);
                state.enqueue(one);
                state.decisions.add(new Decision.DropEarmark(one.id(), ""));
                changed = true;
            }
        }
        return changed;
    }

    private boolean letOthersPass(List<NaiveCycle.Skipped> skipped) {
        for (boolean scanning : List.of(true, false)) {
            List<NaiveCycle.Skipped> passed = new ArrayList<>();
            skipped.stream()
                    .filter(one -> one.scanning() == scanning && !state.isStrict(one.queue()))
                    .forEach(passed::add);
            if (state.settings.earmarks() && !passed.isEmpty()) {
                passed.forEach(one -> state.loses(one.queue(), one.head()));
                return true;
            }
        }
        return false;
    }

    private boolean lookAgain(String root, boolean decided) {
        boolean looks = decided && state.settings.earmarks();
        if (state.settings.preciseWaking()) {
            boolean moved = state.moved.remove(root);
            return (looks || moved) && new NaiveWaking(state, root).run();
        }
        boolean woken = false;
        List<String> queues = state.tree.queuesBelow(root);
        boolean everybody = state.anybodyLeaves(root) || queues.stream().anyMatch(state::isStrict);
        for (String queue : queues) {
            if (looks && (everybody || preempts(queue))) {
                woken |= state.wakeQueue(queue);
            }
        }
        return woken;
    }

    private boolean preempts(String queue) {
        ClusterQueue config = state.config(queue);
        return config != null
                && (config.preemption().reclaimWithinCohort() != ReclaimWithinCohort.NEVER
                        || config.preemption().withinClusterQueue() != WithinClusterQueue.NEVER);
    }
}
