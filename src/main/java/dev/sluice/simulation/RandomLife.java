package dev.sluice.simulation;

import dev.sluice.admission.Decision;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.StuckVictims;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.Toleration;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What happens in a random world, step by step: who comes, runs, ends, is changed, and what is reconfigured. */
public final class RandomLife {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    /** So short that it happens often enough. */
    private static final Duration STUCK_AFTER = Duration.ofSeconds(4);

    private static final List<Toleration> TOLERATES = List.of(new Toleration("special", "Exists", "", ""));

    private final RandomWorld world;
    private final SortedMap<WorkloadId, WorkloadState> states = new TreeMap<>();
    private final SortedMap<WorkloadId, Workload> workloads = new TreeMap<>();
    private Configuration configuration;
    private Instant now = START;
    private long sequence;

    public RandomLife(RandomWorld world) {
        this.world = world;
        configuration = world.configuration();
    }

    public Instant now() {
        return now;
    }

    public Configuration configuration() {
        return configuration;
    }

    /** Of all that live, as decisions said. */
    public SortedMap<WorkloadId, WorkloadState> states() {
        return Collections.unmodifiableSortedMap(states);
    }

    public Workload workload(WorkloadId id) {
        Workload workload = workloads.get(id);
        if (workload == null) {
            throw new IllegalArgumentException("no workload " + id);
        }
        return workload;
    }

    /** In one life in eight whoever waits for one that is stuck lets another go instead, in one it waits on; in the others none is. */
    public static StuckVictims stuckVictims(long seed) {
        return switch ((int) Math.floorMod(seed, 8L)) {
            case 7 -> new StuckVictims(STUCK_AFTER, StuckVictims.Then.CHOOSE_ANOTHER);
            case 3 -> new StuckVictims(STUCK_AFTER, StuckVictims.Then.WAIT);
            default -> StuckVictims.OFF;
        };
    }

    /** What happens at once at the beginning: the world is configured. */
    public List<EngineEvent> begin() {
        return List.of(new EngineEvent.ConfigurationReplaced(configuration));
    }

    /** Mostly one event, at most four; time goes on by a second, seldom not at all. */
    public List<EngineEvent> next() {
        if (!world.chance(10)) {
            now = now.plusSeconds(1);
        }
        List<EngineEvent> events = new ArrayList<>();
        int count = world.chance(60) ? 1 : 2 + world.random().nextInt(3);
        for (int number = 0; number < count; number++) {
            EngineEvent event = any();
            if (event != null) {
                events.add(event);
            }
        }
        return events;
    }

    private @Nullable EngineEvent any() {
        int die = world.random().nextInt(100);
        if (die < 42 && states.size() < 40) {
            return submission();
        }
        if (die < 44) {
            configuration = world.edited();
            return new EngineEvent.ConfigurationReplaced(configuration);
        }
        if (states.isEmpty()) {
            return null;
        }
        WorkloadId id = List.copyOf(states.keySet()).get(world.random().nextInt(states.size()));
        return about(id, workload(id), world.random().nextInt(100));
    }

    private EngineEvent about(WorkloadId id, Workload workload, int die) {
        WorkloadState state = states.getOrDefault(id, WorkloadState.PENDING);
        if (die < 60 && state == WorkloadState.EVICTING && !world.chance(10)) {
            return new EngineEvent.PodsGone(id);
        }
        if (die < 45) {
            return new EngineEvent.WorkloadFinished(id, world.chance(80));
        }
        if (die < 60) {
            return new EngineEvent.PodsReady(id);
        }
        if (die < 70) {
            return new EngineEvent.CancelRequested(id);
        }
        if (die < 79) {
            int priority = world.random().nextInt(4);
            return new EngineEvent.PriorityChanged(id, "p" + priority, priority);
        }
        if (die < 86) {
            return new EngineEvent.ActivationChanged(id, world.chance(60));
        }
        if (die < 88) {
            return new EngineEvent.MaxDurationExceeded(id);
        }
        if (die < 89) {
            return new EngineEvent.WorkloadRefused(id, "refused");
        }
        if (die < 94) {
            SortedMap<String, Integer> done = new TreeMap<>();
            workload.podSets()
                    .forEach(podSet -> done.put(podSet.name(), world.random().nextInt(podSet.count() + 1)));
            return new EngineEvent.PodsReclaimable(id, done);
        }
        return new EngineEvent.QueueChanged(id, anyQueue());
    }

    private String anyQueue() {
        return world.queueNames().get(world.random().nextInt(world.queueNames().size()));
    }

    private EngineEvent submission() {
        sequence++;
        List<PodSet> podSets = new ArrayList<>();
        boolean two = world.chance(20);
        String group = two && world.chance(30) ? "together" : null;
        podSets.add(podSet("main", 1 + world.random().nextInt(4), group));
        if (two) {
            podSets.add(podSet("extra", 1 + world.random().nextInt(2), group));
        }
        int priority = world.random().nextInt(4);
        Workload workload = new Workload(
                new WorkloadId("w" + sequence),
                sequence,
                "w" + sequence,
                RandomWorld.NAMESPACE,
                anyQueue(),
                "p" + priority,
                priority,
                podSets,
                now,
                null,
                null);
        workloads.put(workload.id(), workload);
        states.put(workload.id(), WorkloadState.PENDING);
        return new EngineEvent.WorkloadQueued(workload, now);
    }

    private PodSet podSet(String name, int count, @Nullable String group) {
        SortedMap<String, Long> requests = new TreeMap<>();
        requests.put(RandomWorld.GPU, (long) world.random().nextInt(4));
        if (world.isLicensed() && world.chance(80)) {
            requests.put(RandomWorld.LICENSE, (long) world.random().nextInt(3));
        }
        SortedMap<String, String> selector = new TreeMap<>();
        if (world.chance(8)) {
            selector.put("zone", "a");
        }
        Integer fewest = group == null && world.chance(25) ? 1 : null;
        return new PodSet(
                name, count, fewest, requests, selector, List.of(), world.chance(50) ? TOLERATES : List.of(), group);
    }

    /** Everybody who lives is helped to an end; to be repeated with what was decided until nobody lives. */
    public List<EngineEvent> endAll() {
        now = now.plusSeconds(1);
        List<EngineEvent> events = new ArrayList<>();
        states.forEach((id, state) -> events.add(
                switch (state) {
                    case EVICTING -> new EngineEvent.PodsGone(id);
                    case INACTIVE -> new EngineEvent.ActivationChanged(id, true);
                    case PENDING, RESERVED, ADMITTED, RUNNING, SUCCEEDED, FAILED, CANCELLED ->
                        new EngineEvent.WorkloadFinished(id, true);
                }));
        return events;
    }

    /** Quota is plenty from now on. */
    public List<EngineEvent> relief() {
        now = now.plusSeconds(1);
        configuration = world.plenty();
        return List.of(new EngineEvent.ConfigurationReplaced(configuration));
    }

    /** @throws BrokenInvariant if a state becomes what it cannot */
    public void follow(List<Decision> decisions) {
        for (Decision decision : decisions) {
            switch (decision) {
                case Decision.Admit admit -> become(admit.workload(), WorkloadState.ADMITTED);
                case Decision.Preempt preempt ->
                    preempt.victims().forEach(victim -> become(victim.workload(), WorkloadState.EVICTING));
                case Decision.Evict evict -> become(evict.workload(), WorkloadState.EVICTING);
                case Decision.Become become -> become(become.workload(), become.state());
                case Decision.DropEarmark drop -> {
                    // It waits on.
                }
                case Decision.Stuck stuck -> {
                    if (states.get(stuck.workload()) != WorkloadState.EVICTING) {
                        throw new BrokenInvariant(stuck + " does not leave");
                    }
                }
                case Decision.Reserve reserve -> throw new BrokenInvariant("nothing is checked here: " + reserve);
                case Decision.Unreserve unreserve -> throw new BrokenInvariant("nothing is checked here: " + unreserve);
                case Decision.ChangeChecks change -> throw new BrokenInvariant("nothing is checked here: " + change);
                case Decision.ScheduleStop stop -> throw new BrokenInvariant("nothing is drained here: " + stop);
            }
        }
    }

    private void become(WorkloadId id, WorkloadState next) {
        WorkloadState state = states.get(id);
        if (state == null || !state.canBecome(next)) {
            throw new BrokenInvariant(id + " becomes " + next + " from " + state);
        }
        if (next.isFinal()) {
            states.remove(id);
            workloads.remove(id);
        } else {
            states.put(id, next);
        }
    }
}
