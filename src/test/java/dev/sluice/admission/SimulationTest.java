package dev.sluice.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import dev.sluice.quota.QueueingStrategy;
import dev.sluice.quota.QuotaLine;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.testkit.RandomTrials;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random clusters live through random events; after every step what must always hold is checked against what decisions
 * said, by formulas of its own.
 */
@Tag("core")
class SimulationTest {
    private static final int WORLDS = 150;
    private static final int STEPS = 60;

    static List<Long> seeds() {
        List<Long> seeds = new ArrayList<>();
        for (long seed = 1; seed <= RandomTrials.outOf(WORLDS); seed++) {
            seeds.add(seed);
        }
        return seeds;
    }

    /** Dice from here on tell of pods that are done, or that are not any more. */
    private static final int RECLAIMS = 100;

    private final Map<WorkloadId, Workload> workloads = new TreeMap<>();
    private final Map<WorkloadId, WorkloadState> states = new TreeMap<>();
    private final Set<WorkloadId> earmarked = new HashSet<>();
    private Configuration configuration = Configuration.EMPTY;
    private AdmissionSettings settings = AdmissionSettings.defaults();
    private @Nullable Engine twin;

    /** Policies whose times are short enough to matter in a story of a minute. */
    private static AdmissionSettings settings(long seed) {
        AdmissionSettings defaults = AdmissionSettings.defaults();
        return switch ((int) (seed % 4)) {
            case 1 -> defaults.with(new VictimChoice(Duration.ofSeconds(3), 2, Duration.ofSeconds(6), true, true));
            case 2 -> defaults.with(new OrderKeeping(true, Duration.ofSeconds(5)));
            case 3 ->
                defaults.with(new StartRetries(
                                Duration.ofSeconds(8), true, 0, Duration.ofSeconds(1), Duration.ofSeconds(4), 0, true))
                        .with(Overcommitment.drainAfter(Duration.ofSeconds(2)));
            default -> defaults;
        };
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void what_must_always_hold_holds(long seed) {
        RandomWorlds worlds = new RandomWorlds(seed);
        settings = seed % 3 == 0 ? settings(seed).with(FairSharing.ON) : settings(seed);
        configuration = worlds.cluster(true).build();
        EngineStory story = EngineStory.on(configuration, settings);
        for (int step = 0; step < STEPS; step++) {
            if (worlds.chance(5)) {
                restart(story);
            }
            step(story, worlds, step);
        }
        endEverything(story);
        replay(story);
    }

    // Events

    private void step(EngineStory story, RandomWorlds worlds, int number) {
        List<EngineEvent> events = new ArrayList<>();
        boolean reconfigured = false;
        int count = 1 + worlds.random().nextInt(4);
        for (int index = 0; index < count; index++) {
            int die = worlds.random().nextInt(RECLAIMS + 4);
            if (die < 45) {
                EngineEvent queued = story.queued(worlds.workload("w" + number + "-" + index));
                if (queued instanceof EngineEvent.WorkloadQueued event) {
                    workloads.put(event.workload().id(), event.workload());
                    states.put(event.workload().id(), WorkloadState.PENDING);
                }
                events.add(queued);
            } else if (die < 50) {
                configuration = worlds.cluster(worlds.chance(80)).build();
                reconfigured = true;
                events.add(new EngineEvent.ConfigurationReplaced(configuration));
            } else {
                // pods that run again are charged over any limit
                reconfigured |= die >= RECLAIMS;
                any(worlds).ifPresent(id -> events.add(event(worlds, id, die)));
            }
        }
        take(story, reconfigured, events.toArray(EngineEvent[]::new));
    }

    private Optional<WorkloadId> any(RandomWorlds worlds) {
        List<WorkloadId> living = List.copyOf(states.keySet());
        return living.isEmpty()
                ? Optional.empty()
                : Optional.of(living.get(worlds.random().nextInt(living.size())));
    }

    private EngineEvent event(RandomWorlds worlds, WorkloadId id, int die) {
        WorkloadState state = states.getOrDefault(id, WorkloadState.PENDING);
        if (die < 80 && state == WorkloadState.EVICTING) {
            return new EngineEvent.PodsGone(id);
        }
        if (die < 72) {
            return new EngineEvent.WorkloadFinished(id, worlds.chance(80));
        }
        if (die < 80) {
            boolean limited = !settings.startRetries().equals(StartRetries.DEFAULT);
            return limited && worlds.chance(30) ? new EngineEvent.PodsNotReady(id) : new EngineEvent.PodsReady(id);
        }
        if (die < 86) {
            return new EngineEvent.CancelRequested(id);
        }
        if (die < 92) {
            return new EngineEvent.PriorityChanged(id, null, worlds.random().nextInt(4));
        }
        if (die < 96) {
            return new EngineEvent.ActivationChanged(id, worlds.chance(60));
        }
        if (die >= RECLAIMS) {
            return new EngineEvent.PodsReclaimable(
                    id, new TreeMap<>(Map.of("main", worlds.random().nextInt(3))));
        }
        return new EngineEvent.QueueChanged(
                id, RandomWorlds.QUEUES.get(worlds.random().nextInt(RandomWorlds.QUEUES.size())));
    }

    private void take(EngineStory story, boolean reconfigured, EngineEvent... events) {
        Map<String, Long> before = reconfigured ? Map.of() : shortfalls(story.engine());
        Set<WorkloadId> earmarkedBefore = new HashSet<>(earmarked);
        List<Decision> decisions = story.step(events);
        Engine other = twin;
        if (other != null) {
            for (EngineEvent event : events) {
                other.apply(event, story.now());
            }
            assertThat(other.decide(story.now()))
                    .as("a restored engine decides the same")
                    .isEqualTo(decisions);
        }
        for (TrackedWorkload one : story.engine().roster().everybody()) {
            priorities.put(one.id(), one.priority);
            queues.put(one.id(), one.queue == null ? "" : one.queue.name());
        }
        follow(decisions);
        if (!reconfigured) {
            shortfalls(story.engine())
                    .forEach((cell, shortfall) -> assertThat(shortfall)
                            .as("nothing goes over its limit: %s", cell)
                            .isLessThanOrEqualTo(before.getOrDefault(cell, 0L)));
        }
        checkStrictQueues(story.engine(), decisions, earmarkedBefore);
        checkWaiting(story.engine());
        checkLedgers(story.engine());
        assertThat(story.engine().ledgerDrift()).isEmpty();
    }

    // What decisions say

    private void follow(List<Decision> decisions) {
        for (Decision decision : decisions) {
            WorkloadId id = decision.workload();
            switch (decision) {
                case Decision.Admit admit -> {
                    change(id, WorkloadState.ADMITTED);
                    earmarked.remove(id);
                }
                case Decision.Preempt preempt -> {
                    assertThat(states.get(id)).isEqualTo(WorkloadState.PENDING);
                    assertThat(earmarked.add(id))
                            .as("%s has no earmark yet", id)
                            .isTrue();
                    preempt.victims().forEach(victim -> checkVictim(id, victim));
                }
                case Decision.DropEarmark drop ->
                    assertThat(earmarked.remove(id)).as("%s had an earmark", id).isTrue();
                case Decision.Reserve reserve -> throw new AssertionError("nothing is checked: " + reserve);
                case Decision.Unreserve unreserve -> throw new AssertionError("nothing is checked: " + unreserve);
                case Decision.ChangeChecks change -> throw new AssertionError("nothing is checked: " + change);
                case Decision.ScheduleStop stop ->
                    assertThat(settings.overcommitment().drains())
                            .as("%s", stop)
                            .isTrue();
                case Decision.Stuck stuck ->
                    assertThat(states.get(stuck.workload())).as("%s", stuck).isEqualTo(WorkloadState.EVICTING);
                case Decision.Evict evict -> change(id, WorkloadState.EVICTING);
                case Decision.Become become -> change(id, become.state());
            }
        }
    }

    private void change(WorkloadId id, WorkloadState next) {
        WorkloadState state = states.get(id);
        assertThat(state != null && state.canBecome(next))
                .as("%s becomes %s from %s", id, next, state)
                .isTrue();
        if (next.isFinal()) {
            states.remove(id);
            earmarked.remove(id);
        } else {
            states.put(id, next);
        }
    }

    private final Map<WorkloadId, Integer> priorities = new TreeMap<>();
    private final Map<WorkloadId, String> queues = new TreeMap<>();

    private void checkVictim(WorkloadId preemptor, Decision.Victim victim) {
        change(victim.workload(), WorkloadState.EVICTING);
        String queue = queues.getOrDefault(preemptor, "");
        String victimQueue = queues.getOrDefault(victim.workload(), "");
        ClusterQueue policy = configuration.clusterQueues().get(queue);
        int priority = priorities.getOrDefault(preemptor, 0);
        int victimPriority = priorities.getOrDefault(victim.workload(), 0);
        if (policy == null || queue.isEmpty() || victimQueue.isEmpty()) {
            return;
        }
        if (victim.reason() == EvictionReason.IN_CLUSTER_QUEUE) {
            assertThat(victimQueue).isEqualTo(queue);
            assertThat(policy.preemption().withinClusterQueue()).isNotEqualTo(WithinClusterQueue.NEVER);
            assertThat(victimPriority).isLessThanOrEqualTo(priority);
        } else {
            assertThat(victimQueue).isNotEqualTo(queue);
            assertThat(policy.preemption().reclaimWithinCohort()).isNotEqualTo(ReclaimWithinCohort.NEVER);
            if (policy.preemption().reclaimWithinCohort() == ReclaimWithinCohort.LOWER_PRIORITY) {
                assertThat(victimPriority).isLessThan(priority);
            }
        }
    }

    // What must hold at rest

    /** By ledger, node and line: how far what is available is below zero; nothing otherwise. */
    private static Map<String, Long> shortfalls(Engine engine) {
        Map<String, Long> shortfalls = new TreeMap<>();
        var tree = engine.roster().world().tree();
        for (int node = 0; node < tree.nodeCount(); node++) {
            for (int line = 0; line < tree.lineCount(); line++) {
                String cell = tree.name(node) + " " + tree.line(line);
                long held = engine.roster().held().available(node, line);
                long promised = engine.roster().promised().available(node, line);
                if (held < 0) {
                    shortfalls.put("held " + cell, -held);
                }
                if (promised < 0) {
                    shortfalls.put("promised " + cell, -promised);
                }
            }
        }
        return shortfalls;
    }

    private void checkStrictQueues(Engine engine, List<Decision> decisions, Set<WorkloadId> earmarkedBefore) {
        Set<WorkloadId> dropped = new HashSet<>();
        decisions.stream().filter(Decision.DropEarmark.class::isInstance).forEach(drop -> dropped.add(drop.workload()));
        // With several it cannot be told afterwards who found how much.
        long starting = decisions.stream()
                .filter(decision -> decision instanceof Decision.Admit || decision instanceof Decision.Preempt)
                .count();
        for (Decision decision : decisions) {
            boolean starts = decision instanceof Decision.Admit || decision instanceof Decision.Preempt;
            Optional<WorkloadStatus> status = engine.status(decision.workload());
            if (!starts || starting > 1 || status.isEmpty() || earmarkedBefore.contains(decision.workload())) {
                continue;
            }
            String queue = status.orElseThrow().clusterQueue();
            ClusterQueue config =
                    queue == null ? null : configuration.clusterQueues().get(queue);
            if (queue == null || config == null || config.queueingStrategy() != QueueingStrategy.STRICT_FIFO) {
                continue;
            }
            for (WorkloadId waiting : engine.pending(queue)) {
                if (!earmarked.contains(waiting) && !dropped.contains(waiting) && competes(engine, waiting, status)) {
                    assertThat(comesBefore(engine, waiting, decision.workload()))
                            .as(
                                    "%s (%s) was overtaken by %s (%s) in strict queue %s",
                                    waiting, engine.reason(waiting), decision, queue, config)
                            .isFalse();
                }
            }
        }
    }

    /** Whether the other took something, on a flavor that could hold who waits, of which that one has too little now. */
    private static boolean competes(Engine engine, WorkloadId waiting, Optional<WorkloadStatus> started) {
        Assignment assignment = started.map(WorkloadStatus::assignment).orElse(null);
        TrackedWorkload one = engine.roster().find(waiting);
        if (assignment == null || one == null || one.queue == null) {
            return false;
        }
        QueueState queue = one.queue;
        var tree = engine.roster().world().tree();
        for (PodSet podSet : one.podSets()) {
            for (CompiledQueue.Group group : queue.compiled.groups()) {
                for (String flavor : group.flavors()) {
                    boolean possible = group.resources().stream()
                            .allMatch(resource -> podSet.charge().getOrDefault(resource, 0L)
                                    <= tree.potential(queue.node(), tree.line(flavor, resource)));
                    boolean takes = group.resources().stream()
                            .anyMatch(resource -> engine.roster()
                                                    .promised()
                                                    .availableToQueue(queue.node(), tree.line(flavor, resource))
                                            < podSet.charge().getOrDefault(resource, 0L)
                                    && uses(assignment, flavor, resource));
                    if (possible && takes) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private static boolean uses(Assignment assignment, String flavor, String resource) {
        return assignment.podSets().stream()
                .anyMatch(podSet -> flavor.equals(podSet.flavors().get(resource))
                        && podSet.usage().getOrDefault(resource, 0L) > 0);
    }

    private static boolean comesBefore(Engine engine, WorkloadId left, WorkloadId right) {
        TrackedWorkload first = engine.roster().find(left);
        TrackedWorkload second = engine.roster().find(right);
        return first != null && second != null && QueueOrder.IN_QUEUE.compare(first, second) < 0;
    }

    private void checkWaiting(Engine engine) {
        NaiveQuota promised = naive(engine, true);
        for (TrackedWorkload one : engine.roster().everybody()) {
            assertThat(one.state).isEqualTo(states.get(one.id()));
            Optional<WaitReason> reason = engine.reason(one.id());
            if (!one.state.waits()) {
                continue;
            }
            assertThat(reason).as("reason of %s", one.id()).isPresent();
            checkReason(engine, one, reason.orElseThrow(), promised);
            assertThat(engine.position(one.id()))
                    .isEqualTo(
                            one.queue == null
                                    ? 0
                                    : engine.pending(one.queue.name()).indexOf(one.id()) + 1);
        }
    }

    private void checkReason(Engine engine, TrackedWorkload one, WaitReason reason, NaiveQuota promised) {
        String queue = one.queue == null ? "" : one.queue.name();
        switch (reason) {
            case WaitReason.QuotaExhausted quota -> {
                long available = promised.available(queue, new QuotaLine(quota.flavor(), quota.resource()));
                // What an earlier strict head keeps for itself is not available either.
                assertThat(quota.available())
                        .as("%s of %s", quota, one.id())
                        .isBetween(keeps(engine) ? 0 : Math.max(0, available), Math.max(0, available));
                assertThat(quota.shortBy())
                        .isEqualTo(quota.requested() - quota.available())
                        .isPositive();
            }
            case WaitReason.ExceedsMaximum maximum -> {
                long potential = promised.potential(queue, new QuotaLine(maximum.flavor(), maximum.resource()));
                assertThat(maximum.largestPossible()).isEqualTo(potential);
                assertThat(maximum.requested()).isGreaterThan(potential);
            }
            case WaitReason.AwaitingVictims awaiting -> {
                assertThat(earmarked).contains(one.id());
                assertThat(awaiting.victims())
                        .isNotEmpty()
                        .allSatisfy(victim -> assertThat(states.get(victim)).isEqualTo(WorkloadState.EVICTING));
            }
            case WaitReason.BlockedByEarlier blocked ->
                assertThat(comesBefore(engine, blocked.ahead(), one.id())).isTrue();
            case WaitReason.QueueStopped stopped -> {}
            case WaitReason.QueueInactive inactive -> {}
            case WaitReason.NoMatchingFlavor flavor -> throw new AssertionError(flavor);
            case WaitReason.ResourceNotCovered resource -> throw new AssertionError(resource);
            case WaitReason.NotPlaceable placement -> throw new AssertionError(placement);
            case WaitReason.NamespaceNotAllowed namespace -> throw new AssertionError(namespace);
            case WaitReason.BackingOff backOff ->
                assertThat(backOff.until()).isAfter(engine.roster().now());
            case WaitReason.AwaitingChecks checks -> throw new AssertionError(checks);
            case WaitReason.Deactivated deactivated -> throw new AssertionError(deactivated);
            case WaitReason.NotYetConsidered later -> throw new AssertionError(one.id() + " was not looked at");
        }
    }

    private boolean keeps(Engine engine) {
        return engine.roster().queues().stream()
                .anyMatch(queue -> (queue.isStrict() && queue.firstActive() != null)
                        || (queue.front() != null && queue.keeps(queue.front())));
    }

    /** Both ledgers say what the formulas say of the workloads' own assignments. */
    private void checkLedgers(Engine engine) {
        NaiveQuota promised = naive(engine, true);
        NaiveQuota held = naive(engine, false);
        var tree = engine.roster().world().tree();
        for (int node = 0; node < tree.nodeCount(); node++) {
            for (int line = 0; line < tree.lineCount(); line++) {
                assertThat(engine.roster().promised().available(node, line))
                        .as("promised %s %s", tree.name(node), tree.line(line))
                        .isEqualTo(promised.available(tree.name(node), tree.line(line)));
                assertThat(engine.roster().held().available(node, line))
                        .as("held %s %s", tree.name(node), tree.line(line))
                        .isEqualTo(held.available(tree.name(node), tree.line(line)));
                assertThat(tree.potential(node, line)).isEqualTo(held.potential(tree.name(node), tree.line(line)));
            }
        }
    }

    private NaiveQuota naive(Engine engine, boolean promised) {
        Map<String, String> retired = new TreeMap<>();
        for (QueueState queue : engine.roster().queues()) {
            String cohort = engine.roster().world().tree().cohortOf(queue.node());
            if (queue.compiled.config() == null) {
                retired.put(queue.name(), cohort == null ? "" : cohort);
            }
        }
        NaiveQuota naive = new NaiveQuota(configuration, retired);
        for (TrackedWorkload one : engine.roster().everybody()) {
            boolean counts = promised ? !one.isEvicting() : !one.isEarmarked();
            if (one.assignment != null && counts) {
                naive.charge(ActivePods.occupied(one.assignment, one.workload.podSets(), one.activePods));
            }
        }
        return naive;
    }

    // Ends and beginnings

    /** From now on a second engine, restored from what the first would have stored, must decide the same. */
    private void restart(EngineStory story) {
        take(story, false, new EngineEvent.EngineRestarted(story.engine().settings()));
        Engine restored = new Engine(settings);
        Instant at = story.now();
        restored.apply(new EngineEvent.ConfigurationReplaced(configuration), at);
        boolean retired = story.engine().roster().queues().stream().anyMatch(queue -> queue.compiled.config() == null);
        if (retired) {
            twin = null;
            return;
        }
        List<TrackedWorkload> everybody =
                new ArrayList<>(story.engine().roster().everybody());
        everybody.sort(Comparator.comparingLong(one -> one.workload.sequence()));
        everybody.forEach(one -> restored.apply(new EngineEvent.WorkloadRestored(one.workload, one.status()), at));
        restored.apply(new EngineEvent.EngineRestarted(story.engine().settings()), at);
        assertThat(restored.decide(at))
                .as("a restored engine has nothing to decide")
                .isEmpty();
        twin = restored;
    }

    private void endEverything(EngineStory story) {
        configuration = new RandomWorlds(1).cluster(true).build();
        ClusterBuilder plenty = ClusterBuilder.aCluster();
        RandomWorlds.QUEUES.forEach(queue -> plenty.queue(
                queue,
                shape -> shape.quota("f1", ClusterBuilder.GPU, "100").quota("f1", "example.com/license", "100")));
        configuration = plenty.build();
        take(story, true, new EngineEvent.ConfigurationReplaced(configuration));
        for (int round = 0; round < 500 && !states.isEmpty(); round++) {
            List<EngineEvent> events = new ArrayList<>();
            states.forEach((id, state) -> events.add(
                    switch (state) {
                        case EVICTING -> new EngineEvent.PodsGone(id);
                        case INACTIVE -> new EngineEvent.ActivationChanged(id, true);
                        case PENDING, RESERVED, ADMITTED, RUNNING, SUCCEEDED, FAILED, CANCELLED ->
                            new EngineEvent.WorkloadFinished(id, true);
                    }));
            take(story, false, events.toArray(EngineEvent[]::new));
        }
        assertThat(states).as("everything ends").isEmpty();
        assertThat(story.engine().usage().queues().values())
                .allSatisfy(queue -> assertThat(queue.lines())
                        .allSatisfy(line -> assertThat(line.used()).isZero()));
    }

    private void replay(EngineStory story) {
        Engine again = new Engine(settings);
        List<Decision> decisions = new ArrayList<>();
        Instant last = Instant.MIN;
        for (EngineStory.Told told : story.told()) {
            if (!told.at().equals(last) && !last.equals(Instant.MIN)) {
                decisions.addAll(again.decide(last));
            }
            last = told.at();
            again.apply(told.event(), told.at());
        }
        decisions.addAll(again.decide(last));
        assertThat(decisions).as("a replay decides the same").isEqualTo(story.decisions());
    }
}
