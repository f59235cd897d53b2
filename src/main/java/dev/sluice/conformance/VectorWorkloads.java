package dev.sluice.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.Resources;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Assignment.PodSetAssignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.PodSet.AffinityTerm;
import dev.sluice.workload.PodSet.Requirement;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads a vector's jobs. All have the same sequence number, since a vector's tie is broken by id. */
final class VectorWorkloads {
    private final Configuration configuration;

    VectorWorkloads(Configuration configuration) {
        this.configuration = configuration;
    }

    /** As the engine takes it in: queued if it waits, restored if it holds quota; then what of its pods is done. */
    List<EngineEvent> events(JsonNode node) {
        Workload workload = workload(node);
        return withReclaimable(
                node,
                workload,
                switch (node.path("state").asText("pending")) {
                    case "pending" -> new EngineEvent.WorkloadQueued(workload, workload.createdAt());
                    case "evicted" ->
                        new EngineEvent.WorkloadRestored(workload, status(node, workload, WorkloadState.EVICTING));
                    default ->
                        new EngineEvent.WorkloadRestored(workload, status(node, workload, WorkloadState.ADMITTED));
                });
    }

    /** As if it had been admitted as its description says. */
    List<EngineEvent> admitted(JsonNode node) {
        Workload workload = workload(node);
        return withReclaimable(
                node,
                workload,
                new EngineEvent.WorkloadRestored(workload, status(node, workload, WorkloadState.ADMITTED)));
    }

    private static List<EngineEvent> withReclaimable(JsonNode node, Workload workload, EngineEvent coming) {
        SortedMap<String, Integer> done = new TreeMap<>();
        VectorWorld.fields(node.path("reclaimable")).forEach((podSet, count) -> done.put(podSet, count.asInt()));
        return done.isEmpty() ? List.of(coming) : List.of(coming, new EngineEvent.PodsReclaimable(workload.id(), done));
    }

    Workload workload(JsonNode node) {
        String[] queue = node.path("queue").asText("").split("/", 2);
        boolean byLocalQueue = queue.length == 2;
        List<PodSet> podSets = new ArrayList<>();
        node.path("podSets").forEach(podSet -> podSets.add(podSet(podSet)));
        return new Workload(
                new WorkloadId(node.path("id").asText()),
                0,
                node.path("id").asText(),
                byLocalQueue ? queue[0] : "default",
                byLocalQueue ? queue[1] : node.path("clusterQueue").asText(),
                null,
                node.path("priority").asInt(0),
                podSets,
                Instant.ofEpochMilli(node.path("createdAt").asLong(0)),
                null,
                null);
    }

    private static PodSet podSet(JsonNode node) {
        SortedMap<String, Long> requests = new TreeMap<>();
        VectorWorld.fields(node.path("requests"))
                .forEach((resource, quantity) ->
                        requests.put(resource, VectorAmounts.amount(quantity.asText(), resource)));
        SortedMap<String, String> selector = new TreeMap<>();
        VectorWorld.fields(node.path("nodeSelector")).forEach((key, value) -> selector.put(key, value.asText()));
        List<AffinityTerm> terms = new ArrayList<>();
        for (JsonNode term : node.path("affinityTerms")) {
            List<Requirement> requirements = new ArrayList<>();
            term.forEach(requirement -> requirements.add(new Requirement(
                    requirement.path("key").asText(),
                    requirement.path("operator").asText(),
                    VectorWorld.texts(requirement.path("values")))));
            terms.add(new AffinityTerm(requirements));
        }
        JsonNode group = node.path("topology").path("group");
        return new PodSet(
                node.path("name").asText(),
                node.path("count").asInt(),
                node.has("minCount") ? node.path("minCount").asInt() : null,
                requests,
                selector,
                terms,
                VectorConfiguration.tolerations(node.path("tolerations")),
                group.isMissingNode() ? null : group.asText());
    }

    private WorkloadStatus status(JsonNode node, Workload workload, WorkloadState state) {
        Assignment assignment = assignment(node.path("admission"), workload);
        return new WorkloadStatus(
                state,
                workload.localQueue(),
                assignment.clusterQueue(),
                null,
                workload.priority(),
                true,
                workload.createdAt(),
                assignment,
                Instant.ofEpochMilli(node.path("reservedAt").asLong(0)),
                0,
                true,
                List.of(),
                state == WorkloadState.EVICTING ? WorkloadState.PENDING : null,
                0,
                null,
                null);
    }

    private Assignment assignment(JsonNode admission, Workload workload) {
        List<PodSetAssignment> podSets = new ArrayList<>();
        for (int index = 0; index < workload.podSets().size(); index++) {
            PodSet podSet = workload.podSets().get(index);
            JsonNode given = admission.path("podSets").path(index);
            int count = given.path("count").asInt(podSet.count());
            SortedMap<String, String> flavors = new TreeMap<>();
            SortedMap<String, Long> usage = new TreeMap<>();
            VectorWorld.fields(given.path("flavors")).forEach((resource, flavor) -> {
                flavors.put(resource, flavor.asText());
                JsonNode stated = given.path("usage").path(resource);
                long perPod =
                        resource.equals(Resources.PODS) ? 1 : podSet.requests().getOrDefault(resource, 0L);
                usage.put(
                        resource,
                        stated.isMissingNode()
                                ? dev.sluice.quota.Amounts.multiply(perPod, count)
                                : VectorAmounts.amount(stated.asText(), resource));
            });
            podSets.add(new PodSetAssignment(podSet.name(), count, flavors, usage));
        }
        return new Assignment(admission.path("clusterQueue").asText(), podSets, false);
    }

    /** Null = its LocalQueue leads nowhere. */
    @Nullable String clusterQueueOf(JsonNode node) {
        Workload workload = workload(node);
        LocalQueue local = configuration.localQueues().get(LocalQueue.key(workload.namespace(), workload.localQueue()));
        return local == null ? null : local.clusterQueue();
    }
}
