package dev.sluice.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Cohort;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.FlavorFungibility;
import dev.sluice.quota.FlavorFungibility.Preference;
import dev.sluice.quota.FlavorFungibility.Search;
import dev.sluice.quota.FlavorQuotas;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.NamespaceSelector;
import dev.sluice.quota.PreemptionPolicy;
import dev.sluice.quota.PreemptionPolicy.BorrowWithinCohort;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.QueueingStrategy;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.ResourceQuota;
import dev.sluice.quota.StopPolicy;
import dev.sluice.quota.Taint;
import dev.sluice.quota.Toleration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads a vector's queues, cohorts and flavors, with the defaults that vectors leave out. */
final class VectorConfiguration {
    private static final String NAMESPACE = "default";

    private final JsonNode world;

    VectorConfiguration(JsonNode world) {
        this.world = world;
    }

    Configuration read() {
        SortedMap<String, ClusterQueue> queues = new TreeMap<>();
        SortedMap<String, Cohort> cohorts = new TreeMap<>();
        SortedMap<String, LocalQueue> localQueues = new TreeMap<>();
        world.path("clusterQueues").forEach(node -> {
            ClusterQueue queue = clusterQueue(node);
            queues.put(queue.name(), queue);
            put(localQueues, NAMESPACE, queue.name(), queue.name());
        });
        world.path("cohorts").forEach(node -> {
            Cohort cohort = cohort(node);
            cohorts.put(cohort.name(), cohort);
        });
        world.path("localQueues")
                .forEach(node -> put(
                        localQueues,
                        node.path("namespace").asText(NAMESPACE),
                        node.path("name").asText(),
                        node.path("clusterQueue").asText()));
        return new Configuration(
                1,
                cohorts,
                queues,
                localQueues,
                flavors(queues, cohorts),
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>());
    }

    private static void put(Map<String, LocalQueue> queues, String namespace, String name, String clusterQueue) {
        queues.put(
                LocalQueue.key(namespace, name),
                new LocalQueue(namespace, name, clusterQueue, StopPolicy.NONE, Quantity.of(1)));
    }

    private ClusterQueue clusterQueue(JsonNode node) {
        return new ClusterQueue(
                node.path("name").asText(),
                text(node, "cohort"),
                null,
                node.path("strategy").asText("").equals("StrictFIFO")
                        ? QueueingStrategy.STRICT_FIFO
                        : QueueingStrategy.BEST_EFFORT_FIFO,
                resourceGroups(node.path("resourceGroups")),
                preemption(node.path("preemption")),
                fungibility(node.path("fungibility")),
                weight(node),
                stopPolicy(node.path("stopPolicy").asText("None")),
                namespaceSelector(node.path("namespaceSelector")),
                List.of());
    }

    private static Cohort cohort(JsonNode node) {
        return new Cohort(
                node.path("name").asText(),
                text(node, "parent"),
                resourceGroups(node.path("resourceGroups")),
                weight(node));
    }

    private static @Nullable String text(JsonNode node, String field) {
        return node.hasNonNull(field) ? node.path(field).asText() : null;
    }

    private static Quantity weight(JsonNode node) {
        return Quantity.parse(node.path("weight").asText("1"));
    }

    static List<ResourceGroup> resourceGroups(JsonNode groups) {
        List<ResourceGroup> read = new ArrayList<>();
        for (JsonNode group : groups) {
            List<String> resources = VectorWorld.texts(group.path("resources"));
            List<FlavorQuotas> flavors = new ArrayList<>();
            for (JsonNode flavor : group.path("flavors")) {
                List<ResourceQuota> quotas = new ArrayList<>();
                VectorWorld.fields(flavor.path("quotas"))
                        .forEach((resource, quota) -> quotas.add(quota(resource, quota)));
                flavors.add(new FlavorQuotas(flavor.path("name").asText(), quotas));
            }
            read.add(new ResourceGroup(resources, flavors));
        }
        return read;
    }

    private static ResourceQuota quota(String resource, JsonNode quota) {
        return new ResourceQuota(
                resource,
                Quantity.parse(quota.path("nominal").asText("0")),
                limit(quota, "borrow"),
                limit(quota, "lend"));
    }

    private static @Nullable Quantity limit(JsonNode quota, String field) {
        return quota.hasNonNull(field) ? Quantity.parse(quota.path(field).asText()) : null;
    }

    private static PreemptionPolicy preemption(JsonNode node) {
        JsonNode borrow = node.path("borrowWithinCohort");
        return new PreemptionPolicy(
                switch (node.path("withinClusterQueue").asText("Never")) {
                    case "LowerPriority" -> WithinClusterQueue.LOWER_PRIORITY;
                    case "LowerOrNewerEqualPriority" -> WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY;
                    default -> WithinClusterQueue.NEVER;
                },
                switch (node.path("reclaimWithinCohort").asText("Never")) {
                    case "LowerPriority" -> ReclaimWithinCohort.LOWER_PRIORITY;
                    case "Any" -> ReclaimWithinCohort.ANY;
                    default -> ReclaimWithinCohort.NEVER;
                },
                new BorrowWithinCohort(
                        borrow.path("policy").asText("Never").equals("LowerPriority"),
                        borrow.has("maxPriorityThreshold")
                                ? borrow.path("maxPriorityThreshold").asInt()
                                : null));
    }

    private static FlavorFungibility fungibility(JsonNode node) {
        return new FlavorFungibility(
                search(node.path("whenCanBorrow").asText("MayStopSearch")),
                search(node.path("whenCanPreempt").asText("TryNextFlavor")),
                node.path("preference").asText("").equals("PreemptionOverBorrowing")
                        ? Preference.PREEMPTION_OVER_BORROWING
                        : Preference.BORROWING_OVER_PREEMPTION);
    }

    private static Search search(String word) {
        return word.equals("TryNextFlavor") ? Search.TRY_NEXT_FLAVOR : Search.MAY_STOP_SEARCH;
    }

    private static StopPolicy stopPolicy(String word) {
        return switch (word) {
            case "Hold" -> StopPolicy.HOLD;
            case "HoldAndDrain" -> StopPolicy.HOLD_AND_DRAIN;
            default -> StopPolicy.NONE;
        };
    }

    private static NamespaceSelector namespaceSelector(JsonNode selector) {
        return NamespaceSelector.of(labels(selector));
    }

    private static SortedMap<String, String> labels(JsonNode object) {
        SortedMap<String, String> labels = new TreeMap<>();
        VectorWorld.fields(object).forEach((key, value) -> labels.put(key, value.asText()));
        return labels;
    }

    /** Labels of the namespaces that the world names. */
    SortedMap<String, SortedMap<String, String>> namespaces() {
        SortedMap<String, SortedMap<String, String>> namespaces = new TreeMap<>();
        world.path("namespaces")
                .forEach(
                        namespace -> namespaces.put(namespace.path("name").asText(), labels(namespace.path("labels"))));
        return namespaces;
    }

    private SortedMap<String, ResourceFlavor> flavors(Map<String, ClusterQueue> queues, Map<String, Cohort> cohorts) {
        SortedMap<String, ResourceFlavor> flavors = new TreeMap<>();
        if (world.has("flavors")) {
            world.path("flavors").forEach(node -> flavors.put(node.path("name").asText(), flavor(node)));
            return flavors;
        }
        List<ResourceGroup> groups = new ArrayList<>();
        queues.values().forEach(queue -> groups.addAll(queue.resourceGroups()));
        cohorts.values().forEach(cohort -> groups.addAll(cohort.resourceGroups()));
        groups.forEach(group -> group.flavors()
                .forEach(flavor -> flavors.put(
                        flavor.flavor(), new ResourceFlavor(flavor.flavor(), Map.of(), List.of(), List.of(), null))));
        return flavors;
    }

    private static ResourceFlavor flavor(JsonNode node) {
        SortedMap<String, String> labels = new TreeMap<>();
        VectorWorld.fields(node.path("nodeLabels")).forEach((key, value) -> labels.put(key, value.asText()));
        List<Taint> taints = new ArrayList<>();
        node.path("taints")
                .forEach(taint -> taints.add(new Taint(
                        taint.path("key").asText(),
                        taint.path("value").asText(""),
                        taint.path("effect").asText("NoSchedule"))));
        return new ResourceFlavor(
                node.path("name").asText(),
                labels,
                taints,
                tolerations(node.path("tolerations")),
                text(node, "topology"));
    }

    static List<Toleration> tolerations(JsonNode nodes) {
        List<Toleration> tolerations = new ArrayList<>();
        nodes.forEach(node -> tolerations.add(new Toleration(
                node.path("key").asText(""),
                node.path("operator").asText("Equal"),
                node.path("value").asText(""),
                node.path("effect").asText(""))));
        return tolerations;
    }
}
