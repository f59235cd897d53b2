package dev.sluice.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.StopPolicy;
import dev.sluice.quota.Toleration;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.testkit.RandomTrials;
import dev.sluice.topology.CountingFeasibility;
import dev.sluice.topology.NodeMatching;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: however the world is edited while work waits, runs and leaves, nobody starts where it may not, nothing goes over its limit by a
 * decision, nothing is left to be decided, and whoever looks at everybody anew finds nothing else to do. Method: random edits between
 * random events, and rules of what may start that know nothing of how the engine finds it.
 */
@Tag("core")
class LiveEditsTest {
    private static final int WORLDS = 60;
    private static final int STEPS = 50;

    private final Map<WorkloadId, WorkloadState> states = new HashMap<>();
    private Configuration configuration = Configuration.EMPTY;
    private UsableCapacity capacity = UsableCapacity.UNLIMITED;
    private Map<String, String> labels = Map.of();
    private String where = "";

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void nothing_that_may_not_start_starts_whatever_is_edited(int block) {
        int worlds = RandomTrials.outOf(WORLDS);
        for (long seed = (long) block * worlds; seed < (long) (block + 1) * worlds; seed++) {
            states.clear();
            capacity = UsableCapacity.UNLIMITED;
            labels = Map.of();
            live(seed);
        }
    }

    /** Its scan over flavors takes two cycles: one stayed parked of whom the first of them does not tell that it would start. */
    @ParameterizedTest
    @ValueSource(longs = {2174, 4564})
    void nobody_is_left_behind_whose_scan_goes_on_in_another_cycle(long seed) {
        live(seed);
    }

    private void live(long seed) {
        Random random = new Random(seed * 31 + 7);
        LiveWorld world = new LiveWorld(random);
        AdmissionSettings settings = AdmissionSettings.defaults();
        if (seed % 2 == 1) {
            settings = settings.with(FairSharing.ON);
        }
        configuration = world.cluster().build();
        EngineStory story = EngineStory.on(configuration, settings);
        for (int step = 0; step < STEPS; step++) {
            where = "seed " + seed + " step " + step;
            List<EngineEvent> events = new ArrayList<>();
            boolean edited = false;
            for (int number = 0; number <= random.nextInt(3); number++) {
                EngineEvent event = event(story, world, "w" + step + "-" + number, random);
                edited |= event instanceof EngineEvent.ConfigurationReplaced;
                events.add(event);
            }
            Map<String, Long> before = edited ? Map.of() : overdrawn(story.engine());
            follow(story, story.step(events.toArray(EngineEvent[]::new)));
            if (!edited) {
                overdrawn(story.engine())
                        .forEach((cell, amount) -> assertThat(amount)
                                .as("%s: over its limit is %s", where, cell)
                                .isGreaterThanOrEqualTo(before.getOrDefault(cell, 0L)));
            }
            checkRest(story);
        }
    }

    private EngineEvent event(EngineStory story, LiveWorld world, String name, Random random) {
        int die = random.nextInt(100);
        List<WorkloadId> living = states.keySet().stream().sorted().toList();
        if (die < 40 || living.isEmpty()) {
            EngineEvent.WorkloadQueued queued = (EngineEvent.WorkloadQueued) story.queued(world.workload(name));
            states.put(queued.workload().id(), WorkloadState.PENDING);
            return queued;
        }
        WorkloadId id = living.get(random.nextInt(living.size()));
        if (die < 58) {
            configuration = configurationOf(world.edit());
            return new EngineEvent.ConfigurationReplaced(configuration);
        }
        if (die < 61) {
            EngineEvent.NamespacesChanged changed = (EngineEvent.NamespacesChanged) world.namespaces();
            labels = changed.labels().getOrDefault(ClusterBuilder.NAMESPACE, new TreeMap<>());
            return changed;
        }
        if (die < 64) {
            EngineEvent.CapacityChanged changed = (EngineEvent.CapacityChanged) world.capacity();
            capacity = changed.capacity();
            return changed;
        }
        if (die < 78) {
            return states.get(id) == WorkloadState.EVICTING
                    ? new EngineEvent.PodsGone(id)
                    : new EngineEvent.WorkloadFinished(id, true);
        }
        if (die < 84) {
            return new EngineEvent.PriorityChanged(id, null, random.nextInt(5));
        }
        if (die < 88) {
            return new EngineEvent.ActivationChanged(id, world.chance(70));
        }
        if (die < 92) {
            return new EngineEvent.QueueChanged(id, world.any(LiveWorld.DOORS));
        }
        if (die < 95) {
            return new EngineEvent.PodSetsChanged(id, List.of(world.extra().withCount(1 + random.nextInt(2))));
        }
        return die < 97 ? new EngineEvent.CancelRequested(id) : new EngineEvent.PodsReady(id);
    }

    private static Configuration configurationOf(EngineEvent event) {
        return ((EngineEvent.ConfigurationReplaced) event).configuration();
    }

    private void follow(EngineStory story, List<Decision> decisions) {
        for (Decision decision : decisions) {
            WorkloadId id = decision.workload();
            switch (decision) {
                case Decision.Admit admit -> {
                    assertThat(states.put(id, WorkloadState.ADMITTED))
                            .as("%s: %s was", where, id)
                            .isEqualTo(WorkloadState.PENDING);
                    checkMayStart(story, id, admit.assignment());
                }
                case Decision.Preempt preempt ->
                    preempt.victims()
                            .forEach(victim -> assertThat(states.put(victim.workload(), WorkloadState.EVICTING))
                                    .as("%s: victim %s was", where, victim)
                                    .isIn(WorkloadState.ADMITTED, WorkloadState.RUNNING));
                case Decision.Evict evict -> states.put(id, WorkloadState.EVICTING);
                case Decision.Become become -> {
                    states.put(id, become.state());
                    if (become.state().isFinal()) {
                        states.remove(id);
                    }
                }
                case Decision.DropEarmark drop ->
                    assertThat(states.getOrDefault(id, WorkloadState.PENDING)).isEqualTo(WorkloadState.PENDING);
                case Decision.ScheduleStop stop -> throw new AssertionError(stop);
                case Decision.Stuck stuck -> throw new AssertionError(stuck);
                case Decision.Reserve reserve -> throw new AssertionError(reserve);
                case Decision.Unreserve unreserve -> throw new AssertionError(unreserve);
                case Decision.ChangeChecks change -> throw new AssertionError(change);
            }
        }
    }

    // What may start

    private void checkMayStart(EngineStory story, WorkloadId id, Assignment assignment) {
        WorkloadStatus status = story.engine().status(id).orElseThrow();
        LocalQueue door =
                configuration.localQueues().get(LocalQueue.key(ClusterBuilder.NAMESPACE, status.localQueue()));
        String what = where + ": " + id + " starts by " + assignment;
        assertThat(door == null ? null : door.clusterQueue()).as(what).isEqualTo(assignment.clusterQueue());
        assertThat(door == null ? null : door.stopPolicy()).as(what).isEqualTo(StopPolicy.NONE);
        ClusterQueue queue = configuration.clusterQueues().get(assignment.clusterQueue());
        assertThat(queue == null ? null : queue.stopPolicy()).as(what).isEqualTo(StopPolicy.NONE);
        assertThat(queue != null
                        && queue.namespaceSelector() != null
                        && queue.namespaceSelector().matches(ClusterBuilder.NAMESPACE, labels))
                .as(what)
                .isTrue();
        List<PodSet> podSets = podSets(story, id);
        Map<String, Long> together = new TreeMap<>();
        for (int index = 0; index < podSets.size(); index++) {
            Assignment.PodSetAssignment given = assignment.podSets().get(index);
            checkFlavors(
                    what, Objects.requireNonNull(queue), podSets.get(index).withCount(given.count()), given, together);
        }
    }

    private static List<PodSet> podSets(EngineStory story, WorkloadId id) {
        for (TrackedWorkload one : story.engine().roster().everybody()) {
            if (one.id().equals(id)) {
                return one.podSets();
            }
        }
        throw new AssertionError(id + " is not known");
    }

    private void checkFlavors(
            String what,
            ClusterQueue queue,
            PodSet podSet,
            Assignment.PodSetAssignment given,
            Map<String, Long> together) {
        given.flavors().forEach((resource, name) -> {
            assertThat(queue.resourceGroups().stream()
                            .flatMap(group -> group.flavors().stream())
                            .anyMatch(flavor -> flavor.flavor().equals(name)))
                    .as("%s on %s", what, name)
                    .isTrue();
            ResourceFlavor flavor =
                    Objects.requireNonNull(configuration.resourceFlavors().get(name), what);
            List<Toleration> tolerations = new ArrayList<>(podSet.tolerations());
            tolerations.addAll(flavor.tolerations());
            assertThat(NodeMatching.untolerated(flavor.nodeTaints(), tolerations))
                    .as("%s on %s", what, name)
                    .isNull();
            assertThat(NodeMatching.matches(podSet, flavor.nodeLabels(), flavor.nodeLabels()::containsKey))
                    .as("%s on %s", what, name)
                    .isTrue();
            long needed = podSet.requests().getOrDefault(resource, 0L) * podSet.count();
            CountingFeasibility nodes = new CountingFeasibility(capacity);
            if (capacity.known() && needed > 0) {
                assertThat(needed)
                        .as("%s on the nodes of %s", what, name)
                        .isLessThanOrEqualTo(nodes.usable(flavor, podSet, resource));
                assertThat(together.merge(name + " " + resource, needed, Long::sum))
                        .as("%s together on the nodes of %s", what, name)
                        .isLessThanOrEqualTo(nodes.usableTogether(flavor, resource));
            }
        });
    }

    // Limits and rest

    /** What is below nothing, of every node and line. */
    private static Map<String, Long> overdrawn(Engine engine) {
        Map<String, Long> overdrawn = new TreeMap<>();
        var tree = engine.roster().world().tree();
        for (int node = 0; node < tree.nodeCount(); node++) {
            for (int line = 0; line < tree.lineCount(); line++) {
                long available = engine.roster().held().available(node, line);
                if (available < 0) {
                    overdrawn.put(tree.name(node) + " " + tree.line(line), available);
                }
            }
        }
        return overdrawn;
    }

    private void checkRest(EngineStory story) {
        Engine engine = story.engine();
        assertThat(engine.decide(story.now()))
                .as(where + ": nothing is left to be decided")
                .isEmpty();
        assertThat(engine.fork().decide(story.now()))
                .as(where + ": whoever looks at everybody finds nothing else")
                .isEmpty();
        assertThat(engine.ledgerDrift()).as(where).isEmpty();
        states.forEach((id, state) -> {
            WorkloadState now = engine.status(id).orElseThrow().state();
            assertThat(now).as("%s: %s", where, id).isEqualTo(state);
            if (now == WorkloadState.PENDING) {
                assertThat(engine.reason(id)).as("%s: %s", where, id).isPresent();
                assertThat(engine.reason(id).orElseThrow())
                        .as("%s: %s", where, id)
                        .isNotInstanceOf(WaitReason.NotYetConsidered.class);
            }
        });
    }
}
