package dev.sluice.testkit;

import dev.sluice.quota.Quantity;
import dev.sluice.quota.Toleration;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** {@code aWorkload("a").in("vision").gpus(4).priority(100)}: one pod unless told otherwise, its id is its name. */
public final class WorkloadBuilder {
    private final String name;
    private String queue = "";
    private String namespace = ClusterBuilder.NAMESPACE;
    private int pods = 1;
    private @Nullable Integer fewestPods;
    private int priority;
    private @Nullable String priorityClass;
    private @Nullable Instant createdAt;
    private @Nullable Duration maxDuration;
    private long sequence;
    private final SortedMap<String, Long> requests = new TreeMap<>();
    private final SortedMap<String, String> nodeSelector = new TreeMap<>();
    private final List<Toleration> tolerations = new ArrayList<>();
    private final List<PodSet> more = new ArrayList<>();

    private WorkloadBuilder(String name) {
        this.name = name;
    }

    public static WorkloadBuilder aWorkload(String name) {
        return new WorkloadBuilder(name);
    }

    public WorkloadBuilder in(String localQueue) {
        queue = localQueue;
        return this;
    }

    public WorkloadBuilder inNamespace(String chosen) {
        namespace = chosen;
        return this;
    }

    /** Per pod. */
    public WorkloadBuilder gpus(long perPod) {
        requests.put(ClusterBuilder.GPU, perPod);
        return this;
    }

    /** Per pod, as Kubernetes writes it. */
    public WorkloadBuilder asks(String resource, String perPod) {
        requests.put(resource, Quantity.parse(perPod).units(resource));
        return this;
    }

    public WorkloadBuilder pods(int count) {
        pods = count;
        return this;
    }

    /** Starts with as few pods as this if not all fit. */
    public WorkloadBuilder atLeast(int fewest) {
        fewestPods = fewest;
        return this;
    }

    public WorkloadBuilder with(PodSet another) {
        more.add(another);
        return this;
    }

    public WorkloadBuilder onNodesWith(String label, String value) {
        nodeSelector.put(label, value);
        return this;
    }

    public WorkloadBuilder tolerates(String key) {
        tolerations.add(new Toleration(key, "Exists", "", ""));
        return this;
    }

    public WorkloadBuilder priority(int value) {
        priority = value;
        return this;
    }

    public WorkloadBuilder priorityClass(String className, int value) {
        priorityClass = className;
        priority = value;
        return this;
    }

    public WorkloadBuilder runsAtMost(Duration limit) {
        maxDuration = limit;
        return this;
    }

    public WorkloadBuilder createdAt(Instant when) {
        createdAt = when;
        return this;
    }

    public WorkloadBuilder sequence(long number) {
        sequence = number;
        return this;
    }

    public String name() {
        return name;
    }

    public @Nullable Instant createdAt() {
        return createdAt;
    }

    public Workload build() {
        List<PodSet> podSets = new ArrayList<>();
        podSets.add(new PodSet("main", pods, fewestPods, requests, nodeSelector, List.of(), tolerations, null));
        podSets.addAll(more);
        return new Workload(
                new WorkloadId(name),
                sequence,
                name,
                namespace,
                queue,
                priorityClass,
                priority,
                podSets,
                createdAt == null ? Instant.EPOCH : createdAt,
                null,
                maxDuration);
    }
}
