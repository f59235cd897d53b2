package dev.sluice.testkit;

import dev.sluice.quota.AdmissionCheck;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Cohort;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.StopPolicy;
import dev.sluice.quota.Taint;
import dev.sluice.quota.WorkloadPriorityClass;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A configuration told as a story: {@code aCluster().cohort("lab", lab -> lab.queue("vision", 8).queue("speech", 4))}.
 * Every queue has a LocalQueue of its own name in namespace {@code default}, and every flavor that a queue names exists.
 */
public final class ClusterBuilder {
    public static final String GPU = "nvidia.com/gpu";
    public static final String FLAVOR = "default";
    public static final String NAMESPACE = "default";

    private final SortedMap<String, Cohort> cohorts = new TreeMap<>();
    private final SortedMap<String, ClusterQueue> queues = new TreeMap<>();
    private final SortedMap<String, LocalQueue> localQueues = new TreeMap<>();
    private final SortedMap<String, ResourceFlavor> flavors = new TreeMap<>();
    private final SortedMap<String, WorkloadPriorityClass> priorityClasses = new TreeMap<>();
    private final SortedMap<String, AdmissionCheck> admissionChecks = new TreeMap<>();
    private long version = 1;

    private ClusterBuilder() {}

    public static ClusterBuilder aCluster() {
        return new ClusterBuilder();
    }

    /** A queue of its own, in no cohort. */
    public ClusterBuilder queue(String name, long gpus) {
        return queue(name, queue -> queue.gpus(gpus));
    }

    public ClusterBuilder queue(String name, Consumer<QueueBuilder> shape) {
        put(name, null, shape);
        return this;
    }

    public ClusterBuilder cohort(String name, Consumer<CohortBuilder> shape) {
        CohortBuilder cohort = new CohortBuilder(name, null);
        shape.accept(cohort);
        cohort.finish();
        return this;
    }

    public ClusterBuilder without(String queue) {
        queues.remove(queue);
        localQueues.remove(LocalQueue.key(NAMESPACE, queue));
        return this;
    }

    public ClusterBuilder withoutLocalQueue(String name) {
        localQueues.remove(LocalQueue.key(NAMESPACE, name));
        return this;
    }

    public ClusterBuilder localQueue(String name, String clusterQueue, StopPolicy stopPolicy) {
        localQueues.put(
                LocalQueue.key(NAMESPACE, name),
                new LocalQueue(NAMESPACE, name, clusterQueue, stopPolicy, Quantity.of(1)));
        return this;
    }

    /** @param weight in admission fair sharing */
    public ClusterBuilder localQueue(String name, String clusterQueue, String weight) {
        localQueues.put(
                LocalQueue.key(NAMESPACE, name),
                new LocalQueue(NAMESPACE, name, clusterQueue, StopPolicy.NONE, Quantity.parse(weight)));
        return this;
    }

    public ClusterBuilder localQueueIn(String namespace, String name, String clusterQueue) {
        localQueues.put(
                LocalQueue.key(namespace, name),
                new LocalQueue(namespace, name, clusterQueue, StopPolicy.NONE, Quantity.of(1)));
        return this;
    }

    public ClusterBuilder flavor(String name, Map<String, String> nodeLabels, Taint... taints) {
        flavors.put(name, new ResourceFlavor(name, nodeLabels, List.of(taints), List.of(), null));
        return this;
    }

    public ClusterBuilder priorityClass(String name, int value) {
        priorityClasses.put(name, new WorkloadPriorityClass(name, value, ""));
        return this;
    }

    public ClusterBuilder admissionCheck(String name) {
        admissionChecks.put(name, new AdmissionCheck(name, "example.com/" + name, null));
        return this;
    }

    public ClusterBuilder version(long newVersion) {
        version = newVersion;
        return this;
    }

    public Configuration build() {
        return new Configuration(
                version,
                cohorts,
                queues,
                localQueues,
                flavors,
                priorityClasses,
                new TreeMap<>(),
                new TreeMap<>(),
                admissionChecks);
    }

    private void put(String name, @Nullable String cohort, Consumer<QueueBuilder> shape) {
        QueueBuilder builder = new QueueBuilder(name, cohort);
        shape.accept(builder);
        ClusterQueue queue = builder.build();
        queues.put(name, queue);
        localQueues.putIfAbsent(
                LocalQueue.key(NAMESPACE, name),
                new LocalQueue(NAMESPACE, name, name, StopPolicy.NONE, Quantity.of(1)));
        nameFlavors(queue.resourceGroups());
    }

    private void nameFlavors(List<ResourceGroup> groups) {
        groups.forEach(group -> group.flavors()
                .forEach(flavor -> flavors.putIfAbsent(
                        flavor.flavor(), new ResourceFlavor(flavor.flavor(), Map.of(), List.of(), List.of(), null))));
    }

    /** A cohort, its own quota, and what stands in it. */
    public final class CohortBuilder {
        private final String name;
        private final @Nullable String parent;
        private final QueueBuilder own;

        private CohortBuilder(String name, @Nullable String parent) {
            this.name = name;
            this.parent = parent;
            own = new QueueBuilder(name, null);
        }

        public CohortBuilder queue(String queue, long gpus) {
            return queue(queue, builder -> builder.gpus(gpus));
        }

        public CohortBuilder queue(String queue, Consumer<QueueBuilder> shape) {
            put(queue, name, shape);
            return this;
        }

        public CohortBuilder cohort(String child, Consumer<CohortBuilder> shape) {
            CohortBuilder cohort = new CohortBuilder(child, name);
            shape.accept(cohort);
            cohort.finish();
            return this;
        }

        /** Quota that belongs to all in the cohort, and its weight. */
        public CohortBuilder owns(Consumer<QueueBuilder> quota) {
            quota.accept(own);
            return this;
        }

        private void finish() {
            List<ResourceGroup> groups = own.groups();
            cohorts.put(name, new Cohort(name, parent, groups, own.weight()));
            nameFlavors(groups);
        }
    }
}
