package dev.sluice.admission;

import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.NamespaceSelector;
import dev.sluice.quota.QuotaLine;
import dev.sluice.quota.QuotaTree;
import dev.sluice.quota.StopPolicy;
import dev.sluice.topology.CountingFeasibility;
import dev.sluice.topology.Feasibility;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Workload;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is configured and what exists, compiled once per change: the tree, its queues, and what the nodes could hold.
 * Immutable as far as decisions see it.
 */
final class World {
    private final Configuration configuration;
    private final UsableCapacity capacity;
    private final SortedMap<String, SortedMap<String, String>> namespaces;
    private final QuotaTree tree;
    private final List<CompiledQueue> queues = new ArrayList<>();
    private final Map<String, CompiledQueue> byName = new HashMap<>();
    private final Feasibility feasibility;

    /**
     * @param namespaces those that are known, with their labels
     * @param chargedLines by queue, whatever it lists
     * @param retired queues that are gone but still charged, with the cohort that they stood in (empty = none)
     */
    World(
            Configuration configuration,
            UsableCapacity capacity,
            SortedMap<String, SortedMap<String, String>> namespaces,
            SortedMap<String, SortedSet<QuotaLine>> chargedLines,
            SortedMap<String, String> retired,
            AdmissionSettings settings) {
        this.configuration = configuration;
        this.capacity = capacity;
        this.namespaces = namespaces;
        tree = QuotaTree.of(configuration, chargedLines, retired, settings.shareArithmetic());
        SortedMap<String, CompiledQueue> compiled = new TreeMap<>();
        for (ClusterQueue queue : configuration.clusterQueues().values()) {
            compiled.put(
                    queue.name(),
                    CompiledQueue.of(
                            queue,
                            tree,
                            configuration.resourceFlavors(),
                            configuration.admissionChecks().keySet(),
                            settings.nativeUnlimited()));
        }
        retired.keySet().forEach(name -> compiled.put(name, CompiledQueue.retired(name, tree)));
        queues.addAll(compiled.values());
        byName.putAll(compiled);
        feasibility = settings.feasibleVictimsOnly() && capacity.known()
                ? new CountingFeasibility(capacity)
                : Feasibility.UNLIMITED;
    }

    Configuration configuration() {
        return configuration;
    }

    UsableCapacity capacity() {
        return capacity;
    }

    SortedMap<String, SortedMap<String, String>> namespaces() {
        return namespaces;
    }

    QuotaTree tree() {
        return tree;
    }

    Feasibility feasibility() {
        return feasibility;
    }

    /** By node number, which is by name. */
    List<CompiledQueue> queues() {
        return queues;
    }

    @Nullable CompiledQueue queue(String name) {
        return byName.get(name);
    }

    /** Of a queue, which keeps its place as long as something is charged to it, configured or not; empty = none. */
    String cohortOf(String queue) {
        int node = tree.queue(queue);
        String cohort = node == QuotaTree.NONE ? null : tree.cohortOf(node);
        return cohort == null ? "" : cohort;
    }

    /** Whether the queue has its place in the tree, and lists every line of an assignment. */
    boolean knows(Assignment assignment) {
        CompiledQueue queue = byName.get(assignment.clusterQueue());
        return queue != null
                && assignment.podSets().stream()
                        .flatMap(podSet -> podSet.flavors().entrySet().stream())
                        .mapToInt(entry -> tree.line(entry.getValue(), entry.getKey()))
                        .allMatch(line -> line != QuotaTree.NONE && tree.lists(queue.node(), line));
    }

    @Nullable LocalQueue localQueue(String namespace, String name) {
        return configuration.localQueues().get(LocalQueue.key(namespace, name));
    }

    /** Where a workload of this LocalQueue stands; null = the LocalQueue, or where it leads, does not exist. */
    @Nullable CompiledQueue resolve(String namespace, String localQueue) {
        LocalQueue local = localQueue(namespace, localQueue);
        CompiledQueue queue = local == null ? null : byName.get(local.clusterQueue());
        return queue == null || queue.config() == null ? null : queue;
    }

    boolean isStopped(String namespace, String localQueue) {
        LocalQueue local = localQueue(namespace, localQueue);
        return local != null && local.stopPolicy() != StopPolicy.NONE;
    }

    boolean drains(String namespace, String localQueue) {
        LocalQueue local = localQueue(namespace, localQueue);
        return local != null && local.stopPolicy() == StopPolicy.HOLD_AND_DRAIN;
    }

    boolean admitsNamespace(CompiledQueue queue, Workload workload) {
        NamespaceSelector selector =
                queue.config() == null ? null : queue.config().namespaceSelector();
        return selector != null
                && selector.matches(
                        workload.namespace(),
                        namespaces.getOrDefault(workload.namespace(), Collections.emptySortedMap()));
    }

    /**
     * What quota of a tree, and what is left of it, hangs on besides charges: the configured objects, and the queues that are not
     * configured any more and take along what is charged to them when they leave. Equal lists mean that no quota there moved.
     */
    List<Object> quotaObjects(int root) {
        List<Object> objects = new ArrayList<>();
        collect(root, objects);
        return objects;
    }

    private void collect(int node, List<Object> objects) {
        if (tree.isQueue(node)) {
            ClusterQueue queue = configuration.clusterQueues().get(tree.name(node));
            objects.add(queue == null ? tree.name(node) : queue);
            if (queue != null) {
                queue.resourceGroups()
                        .forEach(group -> group.flavors().forEach(flavor -> {
                            var definition = configuration.resourceFlavors().get(flavor.flavor());
                            objects.add(definition == null ? flavor.flavor() : definition);
                        }));
            }
            return;
        }
        var cohort = configuration.cohorts().get(tree.name(node));
        objects.add(cohort == null ? tree.name(node) : cohort);
        for (int child : tree.childCohorts(node)) {
            collect(child, objects);
        }
        for (int child : tree.childQueues(node)) {
            collect(child, objects);
        }
    }
}
