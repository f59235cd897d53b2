package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the workload that a person means: by id, or by NAMESPACE/NAME, where one that has not ended goes first. */
final class WorkloadLookup {
    static final Set<String> ENDED = Set.of("SUCCEEDED", "FAILED", "CANCELLED");

    private static final int SEARCHED_MAX = 100_000;

    private WorkloadLookup() {}

    static String id(ServiceClient client, String reference) {
        int slash = reference.indexOf('/');
        if (slash < 0) {
            return reference;
        }
        String namespace = reference.substring(0, slash);
        String name = reference.substring(slash + 1);
        Map<String, String> filters = new LinkedHashMap<>();
        filters.put("namespace", namespace);
        filters.put("name", name);
        JsonNode found = client.getAll("/workloads", filters, SEARCHED_MAX);
        @Nullable JsonNode best = null;
        for (JsonNode workload : found.path("items")) {
            if (workload.path("name").asText().equals(name) && (best == null || isBetter(workload, best))) {
                best = workload;
            }
        }
        if (best == null) {
            throw CommandFailed.failed("no workload named " + name + " is known in namespace " + namespace
                    + ".\n  To see which there are: ./sluice list --namespace " + namespace);
        }
        return best.path("id").asText();
    }

    static String path(String id) {
        return "/workloads/" + ServiceClient.encode(id);
    }

    static boolean hasEnded(JsonNode workload) {
        return ENDED.contains(workload.path("state").asText());
    }

    private static boolean isBetter(JsonNode candidate, JsonNode best) {
        if (hasEnded(candidate) != hasEnded(best)) {
            return !hasEnded(candidate);
        }
        return candidate
                        .path("createdAt")
                        .asText()
                        .compareTo(best.path("createdAt").asText())
                > 0;
    }
}
