package dev.sluice.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.FlavorFungibility;
import dev.sluice.quota.FlavorFungibility.Search;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One recorded story, its objects renamed so that many stories live side by side in one service: each name gets the story's prefix,
 * which leaves the order of names as it was.
 */
final class StoryScript {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String id;
    private final JsonNode vector;
    private final VectorWorld world;
    private Configuration configuration;

    private StoryScript(String id, JsonNode vector) {
        this.id = id;
        this.vector = vector;
        world = new VectorWorld(vector);
        configuration = allowed(world.configuration());
    }

    /**
     * Some vectors state a preference between borrowing and preemption where the scan stops at the first flavor, which the API of Kueue,
     * and so the service, refuses. It is left out.
     */
    private static Configuration allowed(Configuration configuration) {
        SortedMap<String, ClusterQueue> queues = new TreeMap<>(configuration.clusterQueues());
        queues.replaceAll((name, queue) -> queue.flavorFungibility().whenCanBorrow() == Search.TRY_NEXT_FLAVOR
                        && queue.flavorFungibility().whenCanPreempt() == Search.TRY_NEXT_FLAVOR
                ? queue
                : withoutPreference(queue));
        return configuration.with(configuration.cohorts(), queues);
    }

    private static ClusterQueue withoutPreference(ClusterQueue queue) {
        FlavorFungibility given = queue.flavorFungibility();
        return queue.with(new FlavorFungibility(
                given.whenCanBorrow(), given.whenCanPreempt(), FlavorFungibility.DEFAULT.preference()));
    }

    /** Those recorded under one setting of fair sharing, without those that need a topology. */
    static List<StoryScript> recordedUnder(List<String> fairStrategies) {
        List<StoryScript> stories = new ArrayList<>();
        int number = 0;
        for (JsonNode vector : vectors()) {
            number++;
            JsonNode strategies = vector.path("config").path("fairSharing").path("strategies");
            boolean asked = VectorWorld.texts(strategies).equals(fairStrategies);
            if (asked && !VectorWorld.texts(vector.path("requires")).contains("tas")) {
                stories.add(new StoryScript(vector.path("id").asText(), renamed(vector, "s%03d-".formatted(number))));
            }
        }
        return stories;
    }

    private static List<JsonNode> vectors() {
        try {
            List<JsonNode> vectors = new ArrayList<>();
            for (String line : Files.readAllLines(Path.of("src/test/resources/conformance/story.jsonl"))) {
                vectors.add(JSON.readTree(line));
            }
            return vectors;
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    String id() {
        return id;
    }

    VectorWorld world() {
        return world;
    }

    Configuration configuration() {
        return configuration;
    }

    /** The configuration once a step that changes quota is done. */
    Configuration changeQuota(JsonNode step) {
        configuration = StorySteps.withQuota(configuration, step);
        return configuration;
    }

    /** What happens before each run; as many as there are runs. */
    List<List<JsonNode>> scenes() {
        List<List<JsonNode>> scenes = new ArrayList<>();
        List<JsonNode> scene = new ArrayList<>();
        boolean ran = false;
        for (JsonNode step : world.input().path("steps")) {
            ran = step.path("do").asText().equals("run");
            if (ran) {
                scenes.add(scene);
                scene = new ArrayList<>();
            } else {
                scene.add(step);
            }
        }
        if (!ran) {
            scenes.add(scene);
        }
        return scenes;
    }

    /** The state recorded after a run, counted from 0. */
    JsonNode recordedAfter(int run) {
        JsonNode checkpoints = vector.path("expect").path("checkpoints");
        return run < checkpoints.size()
                ? checkpoints.path(run)
                : vector.path("expect").path("final");
    }

    private static JsonNode renamed(JsonNode vector, String prefix) {
        Set<String> names = new TreeSet<>();
        JsonNode world = vector.path("world");
        for (String kind : List.of("clusterQueues", "cohorts", "flavors")) {
            world.path(kind).forEach(one -> names.add(one.path("name").asText()));
        }
        names.addAll(vector.findValuesAsText("cohort"));
        names.addAll(vector.findValuesAsText("parent"));
        vector.findValues("resourceGroups").forEach(groups -> names.addAll(flavorsOf(groups)));
        vector.findValuesAsText("id").forEach(names::add);
        return rename(vector, names, prefix);
    }

    private static List<String> flavorsOf(JsonNode groups) {
        List<String> flavors = new ArrayList<>();
        groups.forEach(group -> group.path("flavors")
                .forEach(flavor -> flavors.add(flavor.path("name").asText())));
        return flavors;
    }

    private static JsonNode rename(JsonNode node, Set<String> names, String prefix) {
        if (node.isTextual()) {
            return TextNode.valueOf(rename(node.asText(), names, prefix));
        }
        if (node.isArray()) {
            ArrayNode copy = JSON.createArrayNode();
            node.forEach(element -> copy.add(rename(element, names, prefix)));
            return copy;
        }
        if (node.isObject()) {
            ObjectNode copy = JSON.createObjectNode();
            node.properties()
                    .forEach(field ->
                            copy.set(rename(field.getKey(), names, prefix), rename(field.getValue(), names, prefix)));
            return copy;
        }
        return node;
    }

    /** A quota line is written as flavor, bar and resource. */
    private static String rename(String text, Set<String> names, String prefix) {
        int bar = text.indexOf('|');
        String name = bar < 0 ? text : text.substring(0, bar);
        return names.contains(name) ? prefix + text : text;
    }
}
