package dev.sluice.simulation;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Decision;
import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.FairSharing;
import dev.sluice.admission.FairSharing.Strategy;
import dev.sluice.admission.OrderKeeping;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.Configuration;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One random world from its first configuration to the last workload's end, under the default policies, with fair sharing in
 * most worlds. After every step all invariants are checked; and beside the engine live others that must decide the same: in some worlds
 * one that gets equal submissions in another order, after a restart one that was restored from what a store would hold, and at
 * the end one that replays.
 */
public final class Simulation {
    /** One world in so many gets equal submissions in another order too. */
    private static final int SHUFFLED = 3;
    /** Per hundred steps. */
    private static final int RESTARTS = 2;
    /** One step in so many is followed by a trial of what an explanation says would help. */
    private static final int CHANGES = 12;

    private static final int ROUNDS_TO_END = 500;
    private static final List<FairSharing> SHARING = List.of(
            FairSharing.OFF,
            FairSharing.OFF,
            FairSharing.ON,
            new FairSharing(List.of(Strategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE)),
            new FairSharing(List.of(Strategy.LESS_THAN_INITIAL_SHARE)));

    private static final OrderKeeping EARLY_GUARD = new OrderKeeping(true, Duration.ofSeconds(5));

    private final Random chance;
    private final AdmissionSettings settings;
    private final Engine engine;
    private final @Nullable Engine shuffled;
    private final RandomLife life;
    private final List<Instant> times = new ArrayList<>();
    private final List<List<EngineEvent>> told = new ArrayList<>();
    private final List<List<Decision>> decided = new ArrayList<>();
    private PlainTree tree = new PlainTree(Configuration.EMPTY, Map.of());
    private @Nullable Engine restored;
    private SortedMap<String, Long> excesses = new TreeMap<>();
    private int changesTried;

    private Simulation(long seed) {
        chance = RandomWorld.chanceOf(-1 - seed);
        settings = AdmissionSettings.defaults()
                .with(SHARING.get(chance.nextInt(SHARING.size())))
                .with(orderKeeping(seed, chance.nextBoolean()))
                .with(RandomLife.stuckVictims(seed));
        engine = new Engine(settings);
        shuffled = chance.nextInt(SHUFFLED) == 0 ? new Engine(settings) : null;
        life = new RandomLife(new RandomWorld(seed));
    }

    /** In one life in six the guard begins so early that it matters. */
    private static OrderKeeping orderKeeping(long seed, boolean on) {
        if (!on) {
            return OrderKeeping.KUEUE;
        }
        return seed % 3 == 1 ? EARLY_GUARD : OrderKeeping.DEFAULT;
    }

    /** What happened in a life, to show that it was not an empty one. */
    public record Totals(long steps, long admissions, long evictions, long earmarks, long stuck, long changesTried) {
        public static final Totals NONE = new Totals(0, 0, 0, 0, 0, 0);

        public Totals plus(Totals other) {
            return new Totals(
                    steps + other.steps,
                    admissions + other.admissions,
                    evictions + other.evictions,
                    earmarks + other.earmarks,
                    stuck + other.stuck,
                    changesTried + other.changesTried);
        }
    }

    /**
     * @param steps before everything is helped to its end
     * @throws BrokenInvariant that names seed and step
     */
    public static Totals live(long seed, int steps) {
        Simulation simulation = new Simulation(seed);
        try {
            simulation.live(steps);
        } catch (RuntimeException broken) {
            throw new BrokenInvariant(
                    "seed " + seed + " step " + simulation.told.size() + " under " + simulation.settings, broken);
        }
        return simulation.totals();
    }

    private void live(int steps) {
        step(life.begin());
        for (int number = 1; number < steps; number++) {
            if (chance.nextInt(100) < RESTARTS) {
                restart();
            }
            step(life.next());
            if (chance.nextInt(CHANGES) == 0) {
                tryChanges();
            }
        }
        step(life.relief());
        for (int round = 0; round < ROUNDS_TO_END && !life.states().isEmpty(); round++) {
            step(life.endAll());
        }
        if (!life.states().isEmpty()) {
            throw new BrokenInvariant("not everything ends: " + life.states());
        }
        replay();
    }

    private void step(List<EngineEvent> events) {
        Instant now = life.now();
        boolean limitsMoved = false;
        for (EngineEvent event : events) {
            if (event instanceof EngineEvent.ConfigurationReplaced replaced) {
                tree = new PlainTree(replaced.configuration(), retired(replaced));
            }
            // Pods that run again are charged over any limit.
            limitsMoved |=
                    event instanceof EngineEvent.ConfigurationReplaced || event instanceof EngineEvent.PodsReclaimable;
            engine.apply(event, now);
        }
        Standing before = new Standing(engine, life, tree);
        List<Decision> decisions = engine.decide(now);
        told.add(events);
        times.add(now);
        decided.add(decisions);
        life.follow(decisions);
        Standing after = new Standing(engine, life, tree);
        life.states().forEach((id, state) -> {
            if (after.known(id).state() != state) {
                throw new BrokenInvariant(id + " is " + after.known(id).state() + ", and decisions said " + state);
            }
        });
        SortedMap<String, Long> excessesNow = QuotaInvariants.excesses(after);
        if (!limitsMoved) {
            QuotaInvariants.checkLimits(QuotaInvariants.withGivenUp(excesses, after), excessesNow);
        }
        excesses = excessesNow;
        QuotaInvariants.checkTotals(engine, after);
        new DecisionInvariants(engine, before, after, decisions).check();
        new WaitInvariants(engine, after, life.now()).check();
        Engine unordered = shuffled;
        if (unordered != null) {
            same("equals in another order", unordered, Shuffle.lastFirst(events), decisions);
        }
        Engine other = restored;
        if (other != null) {
            same("a restored engine", other, events, decisions);
        }
    }

    private void same(String who, Engine other, List<EngineEvent> events, List<Decision> decisions) {
        events.forEach(event -> other.apply(event, life.now()));
        List<Decision> otherwise = other.decide(life.now());
        if (!otherwise.equals(decisions)) {
            throw new BrokenInvariant(who + " decides " + otherwise + ", not " + decisions + ", after " + events);
        }
    }

    /** Queues that are no longer configured and still charged, with the cohort that they stood in. */
    private Map<String, String> retired(EngineEvent.ConfigurationReplaced replaced) {
        Map<String, String> retired = new HashMap<>();
        for (WorkloadId id : life.states().keySet()) {
            engine.status(id).map(WorkloadStatus::assignment).ifPresent(assignment -> {
                String queue = assignment.clusterQueue();
                if (!replaced.configuration().clusterQueues().containsKey(queue)) {
                    String cohort = tree.parent(queue);
                    retired.put(queue, cohort == null ? "" : cohort);
                }
            });
        }
        return retired;
    }

    /** From now on a second engine, restored from what the first would have stored, must decide the same. */
    private void restart() {
        step(List.of(new EngineEvent.EngineRestarted(settings)));
        restored = null;
        boolean anyRetired = engine.usage().queues().keySet().stream()
                .anyMatch(queue -> !life.configuration().clusterQueues().containsKey(queue));
        if (anyRetired) {
            // The cohort of a queue that is gone is not stored.
            return;
        }
        Engine fresh = new Engine(settings);
        Instant now = life.now();
        fresh.apply(new EngineEvent.ConfigurationReplaced(life.configuration()), now);
        life.states()
                .keySet()
                .forEach(id -> fresh.apply(
                        new EngineEvent.WorkloadRestored(
                                life.workload(id), engine.status(id).orElseThrow()),
                        now));
        fresh.apply(new EngineEvent.EngineRestarted(settings), now);
        List<Decision> decisions = fresh.decide(now);
        if (!decisions.isEmpty()) {
            throw new BrokenInvariant("a restored engine finds something to decide: " + decisions);
        }
        restored = fresh;
    }

    private void tryChanges() {
        List<WorkloadId> waiting = new ArrayList<>();
        life.states().forEach((id, state) -> {
            if (state == WorkloadState.PENDING) {
                waiting.add(id);
            }
        });
        if (!waiting.isEmpty()) {
            Standing standing = new Standing(engine, life, tree);
            WorkloadId one = waiting.get(chance.nextInt(waiting.size()));
            changesTried += new ChangeInvariants(engine, standing, life.now()).check(one);
        }
    }

    private void replay() {
        Engine again = new Engine(settings);
        for (int step = 0; step < told.size(); step++) {
            for (EngineEvent event : told.get(step)) {
                again.apply(event, times.get(step));
            }
            List<Decision> decisions = again.decide(times.get(step));
            if (!decisions.equals(decided.get(step))) {
                throw new BrokenInvariant(
                        "a replay decides " + decisions + " in step " + step + ", not " + decided.get(step));
            }
        }
    }

    private Totals totals() {
        long admissions = 0;
        long evictions = 0;
        long earmarks = 0;
        long stuck = 0;
        for (List<Decision> decisions : decided) {
            for (Decision decision : decisions) {
                admissions += decision instanceof Decision.Admit ? 1 : 0;
                evictions += decision instanceof Decision.Preempt preempt
                        ? preempt.victims().size()
                        : 0;
                earmarks += decision instanceof Decision.Preempt ? 1 : 0;
                stuck += decision instanceof Decision.Stuck ? 1 : 0;
            }
        }
        return new Totals(told.size(), admissions, evictions, earmarks, stuck, changesTried);
    }
}
