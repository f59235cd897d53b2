package dev.sluice.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.EngineProbe;
import dev.sluice.admission.FairSharing;
import dev.sluice.quota.Configuration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The engine of one vector, with its world set up in parity. */
final class VectorWorld {
    private final JsonNode vector;
    private final Configuration configuration;
    private final SortedMap<String, SortedMap<String, String>> namespaces;
    private final VectorWorkloads workloads;

    VectorWorld(JsonNode vector) {
        this.vector = vector;
        VectorConfiguration read = new VectorConfiguration(vector.path("world"));
        configuration = read.read();
        namespaces = read.namespaces();
        workloads = new VectorWorkloads(configuration);
    }

    JsonNode input() {
        return vector.path("input");
    }

    JsonNode world() {
        return vector.path("world");
    }

    Configuration configuration() {
        return configuration;
    }

    VectorWorkloads workloads() {
        return workloads;
    }

    Instant start() {
        return Instant.ofEpochMilli(vector.path("now").asLong());
    }

    /** Workloads of the vector, in the order of the file. */
    List<JsonNode> all() {
        List<JsonNode> all = new ArrayList<>();
        world().path("workloads").forEach(all::add);
        return all;
    }

    /** An engine that holds the world with its running work; waiting work too if asked. */
    EngineProbe engine(boolean withPending) {
        return engine(AdmissionSettings.kueueParity(), withPending);
    }

    /** By other policies than those of parity; fair sharing is on if the vector says so. */
    EngineProbe engine(AdmissionSettings policies, boolean withPending) {
        Engine engine = new Engine(policies.with(fairSharing()));
        engine.apply(new EngineEvent.ConfigurationReplaced(configuration), start());
        engine.apply(new EngineEvent.NamespacesChanged(namespaces), start());
        for (JsonNode workload : all()) {
            boolean pending = workload.path("state").asText("pending").equals("pending");
            if (!pending || withPending) {
                workloads.events(workload).forEach(event -> engine.apply(event, start()));
            }
        }
        return new EngineProbe(engine);
    }

    private FairSharing fairSharing() {
        JsonNode strategies = vector.path("config").path("fairSharing").path("strategies");
        List<FairSharing.Strategy> inOrder = new ArrayList<>();
        for (JsonNode strategy : strategies) {
            inOrder.add(
                    switch (strategy.asText()) {
                        case "LessThanOrEqualToFinalShare" -> FairSharing.Strategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE;
                        case "LessThanInitialShare" -> FairSharing.Strategy.LESS_THAN_INITIAL_SHARE;
                        default -> throw new IllegalArgumentException("unknown strategy " + strategy);
                    });
        }
        boolean asked = vector.path("config").has("fairSharing");
        return asked && inOrder.isEmpty() ? FairSharing.ON : new FairSharing(inOrder);
    }

    static SortedMap<String, JsonNode> fields(JsonNode object) {
        SortedMap<String, JsonNode> fields = new TreeMap<>();
        object.properties().forEach(field -> fields.put(field.getKey(), field.getValue()));
        return fields;
    }

    static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(element -> texts.add(element.asText()));
        return texts;
    }
}
