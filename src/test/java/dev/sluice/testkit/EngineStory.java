package dev.sluice.testkit;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Decision;
import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.QuotaUsage;
import dev.sluice.admission.WaitReason;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.Configuration;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An engine driven step by step, one second per step. Each step applies its events, decides, and returns what was decided;
 * all events are kept, so that the story can be told again to another engine.
 */
public final class EngineStory {
    /** One event and when it was applied; a null-free record of the whole story. */
    public record Told(EngineEvent event, Instant at) {}

    private static final int ROUNDS_MOST = 50;

    private final Engine engine;
    private final List<Told> told = new ArrayList<>();
    private final Map<String, WorkloadId> ids = new LinkedHashMap<>();
    private final List<Decision> decisions = new ArrayList<>();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private long sequence;

    private EngineStory(Engine engine) {
        this.engine = engine;
    }

    public static EngineStory on(ClusterBuilder cluster) {
        return on(cluster.build(), AdmissionSettings.defaults());
    }

    public static EngineStory on(Configuration configuration, AdmissionSettings settings) {
        EngineStory story = new EngineStory(new Engine(settings));
        story.configure(configuration);
        return story;
    }

    public Engine engine() {
        return engine;
    }

    public Instant now() {
        return now;
    }

    public List<Told> told() {
        return told;
    }

    /** All that was decided so far. */
    public List<Decision> decisions() {
        return decisions;
    }

    public List<Decision> configure(Configuration configuration) {
        return step(new EngineEvent.ConfigurationReplaced(configuration));
    }

    /** Namespaces with their labels, as the cluster tells them. */
    public List<Decision> namespaces(Map<String, Map<String, String>> labels) {
        SortedMap<String, SortedMap<String, String>> all = new TreeMap<>();
        labels.forEach((name, carried) -> all.put(name, new TreeMap<>(carried)));
        return step(new EngineEvent.NamespacesChanged(all));
    }

    public List<Decision> configure(ClusterBuilder cluster) {
        return configure(cluster.build());
    }

    public List<Decision> capacity(UsableCapacity capacity) {
        return step(new EngineEvent.CapacityChanged(capacity));
    }

    /** All in one instant, in this order. */
    public List<Decision> submit(WorkloadBuilder... workloads) {
        EngineEvent[] events = new EngineEvent[workloads.length];
        for (int index = 0; index < workloads.length; index++) {
            events[index] = queued(workloads[index]);
        }
        return step(events);
    }

    public EngineEvent queued(WorkloadBuilder workload) {
        if (workload.createdAt() == null) {
            workload.createdAt(now);
        }
        var built = workload.sequence(++sequence).build();
        ids.put(workload.name(), built.id());
        return new EngineEvent.WorkloadQueued(built, built.createdAt());
    }

    public List<Decision> ready(String name) {
        return step(new EngineEvent.PodsReady(id(name)));
    }

    public List<Decision> finish(String... names) {
        EngineEvent[] events = new EngineEvent[names.length];
        for (int index = 0; index < names.length; index++) {
            events[index] = new EngineEvent.WorkloadFinished(id(names[index]), true);
        }
        return step(events);
    }

    public List<Decision> gone(String... names) {
        EngineEvent[] events = new EngineEvent[names.length];
        for (int index = 0; index < names.length; index++) {
            events[index] = new EngineEvent.PodsGone(id(names[index]));
        }
        return step(events);
    }

    /** Lets the pods of all that must leave be gone, round by round, until nobody must; throws if that never ends. */
    public void settle() {
        for (int round = 0; round < ROUNDS_MOST; round++) {
            List<String> leaving = in(WorkloadState.EVICTING);
            if (leaving.isEmpty()) {
                return;
            }
            gone(leaving.toArray(String[]::new));
        }
        throw new AssertionError("never comes to rest; at last " + in(WorkloadState.EVICTING) + " had to leave");
    }

    /** How often it was told to leave. */
    public int evictions(String name) {
        return status(name).orElseThrow().evictionCount();
    }

    public List<Decision> cancel(String name) {
        return step(new EngineEvent.CancelRequested(id(name)));
    }

    /** Time passes and nothing happens. */
    public List<Decision> after(Duration time) {
        return at(now.plus(time));
    }

    /** Nothing happens until then. */
    public List<Decision> at(Instant when) {
        now = when.minusSeconds(1);
        return step();
    }

    public List<Decision> step(EngineEvent... events) {
        now = now.plusSeconds(1);
        for (EngineEvent event : events) {
            told.add(new Told(event, now));
            engine.apply(event, now);
        }
        List<Decision> decided = engine.decide(now);
        decisions.addAll(decided);
        return decided;
    }

    public WorkloadId id(String name) {
        return ids.getOrDefault(name, new WorkloadId(name));
    }

    public Optional<WorkloadStatus> status(String name) {
        return engine.status(id(name));
    }

    /** Throws if it is not known (any more). */
    public WorkloadState state(String name) {
        return status(name).orElseThrow().state();
    }

    /** Pods that it was admitted with, all pod sets together; 0 = it holds nothing. */
    public int admittedPods(String name) {
        Assignment assignment = status(name).orElseThrow().assignment();
        return assignment == null
                ? 0
                : assignment.podSets().stream()
                        .mapToInt(Assignment.PodSetAssignment::count)
                        .sum();
    }

    public WaitReason reason(String name) {
        return engine.reason(id(name)).orElseThrow();
    }

    /** Names of all known workloads in a state, in the order of submission. */
    public List<String> in(WorkloadState state) {
        List<String> names = new ArrayList<>();
        ids.forEach((name, id) -> {
            if (engine.status(id)
                    .map(WorkloadStatus::state)
                    .filter(state::equals)
                    .isPresent()) {
                names.add(name);
            }
        });
        return names;
    }

    /** Those that hold quota and are not on their way out. */
    public List<String> running() {
        List<String> names = new ArrayList<>();
        ids.forEach((name, id) -> {
            WorkloadState state = engine.status(id).map(WorkloadStatus::state).orElse(WorkloadState.CANCELLED);
            if (state == WorkloadState.ADMITTED || state == WorkloadState.RUNNING) {
                names.add(name);
            }
        });
        return names;
    }

    /** GPUs of the default flavor charged to a queue, earmarks included. */
    public long gpus(String queue) {
        return line(queue, ClusterBuilder.FLAVOR, ClusterBuilder.GPU).used();
    }

    /** Throws if the queue has no such line. */
    public QuotaUsage.Line line(String queue, String flavor, String resource) {
        QuotaUsage.Queue usage = engine.usage().queues().get(queue);
        if (usage == null) {
            throw new IllegalArgumentException("no queue " + queue);
        }
        return usage.lines().stream()
                .filter(line -> line.flavor().equals(flavor) && line.resource().equals(resource))
                .findFirst()
                .orElseThrow();
    }
}
