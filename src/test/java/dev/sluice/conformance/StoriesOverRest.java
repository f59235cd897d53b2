package dev.sluice.conformance;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.api.manifest.ConfigurationExport;
import dev.sluice.fleet.SimulatedFleet;
import dev.sluice.persistence.PostgresConfigurationStore;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.WorkloadPriorityClass;
import dev.sluice.scheduling.Cluster;
import dev.sluice.scheduling.ConfigurationCommands;
import dev.sluice.scheduling.LeaderLoop;
import dev.sluice.testkit.LocalService;
import dev.sluice.workload.WorkloadId;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * The recorded stories, played on the whole service in Kueue's parity: configured by {@code apply} with Kueue's manifests, submitted and
 * cancelled by REST, kept in PostgreSQL, run on the simulated fleet; all stories of one setting side by side.
 *
 * <p>The service decides until nothing moves before victims are gone, where the recording let victims go after every cycle. So what is
 * compared is where each run comes to rest, and the few stories in which that difference shows are named.
 */
abstract class StoriesOverRest {
    private static final String BASE = "/api/v1";
    /** The service goes on deciding where the recording let victims go first, so others found room, or the same found other room. */
    static final String VICTIMS_LEFT_LATER =
            "victims left after the cycle in the recording, and at the end of the instant here";

    /** A workload of the recording stands in front of others that waited already. A service that keeps time cannot be told so. */
    static final String SUBMITTED_WITH_AN_EARLIER_TIME =
            "submitted with an earlier time of creation than work that waited";

    private static final ObjectMapper JSON = new ObjectMapper();

    @Inject
    LeaderLoop loop;

    @Inject
    Cluster cluster;

    @Inject
    DataSource database;

    private final List<String> fairStrategies;
    private final Map<String, String> otherRest;

    /**
     * @param fairStrategies under which the stories were recorded; empty = without fair sharing
     * @param otherRest stories whose rest hangs on when victims are gone or when they were submitted, to the reason
     */
    StoriesOverRest(List<String> fairStrategies, Map<String, String> otherRest) {
        this.fairStrategies = fairStrategies;
        this.otherRest = otherRest;
    }

    @Test
    void each_story_comes_to_the_recorded_rest_after_every_run() {
        List<StoryScript> stories = StoryScript.recordedUnder(fairStrategies);
        StoryStage stage = new StoryStage(loop, database);
        Awaitility.await().until(loop::isLeading);
        stage.takeLead();
        apply(together(stories));
        load(stories, stage);
        stage.letLead();
        Map<String, String> differences = new TreeMap<>();
        int runs =
                stories.stream().mapToInt(story -> story.scenes().size()).max().orElseThrow();
        for (int run = 0; run < runs; run++) {
            perform(stories, run, stage);
            stage.awaitRest();
            compare(stories, run, differences);
        }
        assertThat(stories).hasSizeGreaterThan(10);
        assertThat(differences.keySet())
                .as("stories that came to another rest: %s", differences)
                .isEqualTo(otherRest.keySet());
    }

    // Setting up

    private static Configuration together(List<StoryScript> stories) {
        SortedMap<String, WorkloadPriorityClass> classes = new TreeMap<>();
        List<Configuration> all = new ArrayList<>();
        for (StoryScript story : stories) {
            all.add(story.configuration());
            for (JsonNode workload : workloadsOf(story)) {
                int value = workload.path("priority").asInt(0);
                classes.put(className(value), new WorkloadPriorityClass(className(value), value, ""));
            }
        }
        return new Configuration(
                1,
                merged(all, Configuration::cohorts),
                merged(all, Configuration::clusterQueues),
                merged(all, Configuration::localQueues),
                merged(all, Configuration::resourceFlavors),
                classes,
                new TreeMap<>(),
                new TreeMap<>());
    }

    private static <T> SortedMap<String, T> merged(
            List<Configuration> all, Function<Configuration, Map<String, T>> part) {
        SortedMap<String, T> merged = new TreeMap<>();
        all.forEach(one -> merged.putAll(part.apply(one)));
        return merged;
    }

    private static List<JsonNode> workloadsOf(StoryScript story) {
        List<JsonNode> workloads = new ArrayList<>(story.world().all());
        story.scenes()
                .forEach(scene -> scene.forEach(step -> {
                    if (step.has("workload")) {
                        workloads.add(step.path("workload"));
                    }
                }));
        return workloads;
    }

    private static String className(int priority) {
        return priority < 0 ? "below-" + -priority : "p-" + priority;
    }

    private static void apply(Configuration configuration) {
        Response applied = given().contentType("application/yaml")
                .body(ConfigurationExport.asKueue(configuration).getBytes(StandardCharsets.UTF_8))
                .post(BASE + "/apply");
        assertThat(applied.statusCode()).as(applied.asString()).isEqualTo(200);
    }

    private void load(List<StoryScript> stories, StoryStage stage) {
        for (StoryScript story : stories) {
            List<JsonNode> workloads = story.world().all();
            if (!workloads.isEmpty()) {
                List<String> ids = submit(workloads);
                for (int index = 0; index < ids.size(); index++) {
                    stage.correct(
                            ids.get(index), workloads.get(index), story.world().workloads());
                }
            }
        }
    }

    /** Ids in the order given. */
    private static List<String> submit(List<JsonNode> workloads) {
        ArrayNode batch = JSON.createArrayNode();
        workloads.forEach(workload -> batch.add(request(workload)));
        JsonNode results = read(given().urlEncodingEnabled(false)
                .contentType(ContentType.JSON)
                .body(batch.toString())
                .post(BASE + "/workloads:batch")
                .then()
                .statusCode(200)
                .extract()
                .asString());
        List<String> ids = new ArrayList<>();
        for (JsonNode result : results) {
            JsonNode id = result.findValue("id");
            assertThat(id).as("%s", result).isNotNull();
            ids.add(id.asText());
        }
        return ids;
    }

    private static ObjectNode request(JsonNode workload) {
        ObjectNode request = JSON.createObjectNode();
        request.put("name", workload.path("id").asText());
        request.put("queue", workload.path("clusterQueue").asText());
        request.put("priorityClass", className(workload.path("priority").asInt(0)));
        ArrayNode podSets = request.putArray("podSets");
        workload.path("podSets").forEach(podSet -> podSets.add(podSet.deepCopy()));
        return request;
    }

    // Playing

    private void perform(List<StoryScript> stories, int run, StoryStage stage) {
        List<JsonNode> submitted = new ArrayList<>();
        List<Configuration> changed = new ArrayList<>();
        List<String> cancelled = new ArrayList<>();
        List<String> ended = new ArrayList<>();
        Map<String, JsonNode> known = known();
        for (StoryScript story : stories) {
            List<List<JsonNode>> scenes = story.scenes();
            for (JsonNode step : run < scenes.size() ? scenes.get(run) : List.<JsonNode>of()) {
                switch (step.path("do").asText()) {
                    case "submit" -> submitted.add(step.path("workload"));
                    case "updateQuota" -> changed.add(story.changeQuota(step));
                    case "finish" -> {
                        JsonNode workload =
                                Objects.requireNonNull(known.get(step.path("id").asText()));
                        boolean waits = workload.path("state").asText().equals("PENDING");
                        (waits ? cancelled : ended).add(workload.path("id").asText());
                    }
                    default -> throw new AssertionError("unknown step " + step);
                }
            }
        }
        if (submitted.isEmpty() && changed.isEmpty() && cancelled.isEmpty() && ended.isEmpty()) {
            return;
        }
        StoryStage.Pause pause = stage.pause();
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            cancelled.forEach(id -> callers.execute(() -> given().delete(BASE + "/workloads/" + id)));
            changed.forEach(this::changeOnAnotherReplica);
            if (!submitted.isEmpty()) {
                submit(submitted);
            }
            ended.forEach(id -> ((SimulatedFleet) cluster).finish(new WorkloadId(id), true, ""));
            stage.awaitWishes(submitted.size() + cancelled.size());
            stage.awaitEnds(cluster, ended);
            pause.goOn();
        } finally {
            pause.goOn();
        }
    }

    /** As a replica does it that does not lead: the leader's thread, which is stopped, is not asked. */
    private void changeOnAnotherReplica(Configuration configuration) {
        new ConfigurationCommands(new PostgresConfigurationStore(database), Supplier::get)
                .edit("tester", stored -> LocalService.putting(configuration));
    }

    // Comparing

    private void compare(List<StoryScript> stories, int run, Map<String, String> differences) {
        Map<String, JsonNode> known = known();
        Map<String, SortedMap<String, BigDecimal>> usage = usage();
        for (StoryScript story : stories) {
            if (run < story.scenes().size()) {
                String expected = recorded(story.recordedAfter(run));
                String found = found(story, known, usage);
                if (!found.equals(expected)) {
                    differences.putIfAbsent(
                            story.id(), "after run " + (run + 1) + " recorded " + expected + " but found " + found);
                }
            }
        }
    }

    private static String recorded(JsonNode state) {
        SortedMap<String, SortedMap<String, BigDecimal>> usage = new TreeMap<>();
        VectorWorld.fields(state.path("usage"))
                .forEach((queue, lines) -> VectorWorld.fields(lines)
                        .forEach((line, amount) -> charge(usage, queue, line, amount.asText())));
        return describe(
                CycleTrace.expectedAdmissions(state.path("admitted")),
                new TreeSet<>(VectorWorld.texts(state.path("pending"))),
                usage);
    }

    private static String found(
            StoryScript story, Map<String, JsonNode> known, Map<String, SortedMap<String, BigDecimal>> usage) {
        SortedSet<String> admitted = new TreeSet<>();
        SortedSet<String> pending = new TreeSet<>();
        for (JsonNode workload : workloadsOf(story)) {
            JsonNode now = known.get(workload.path("id").asText());
            if (now != null && now.path("state").asText().equals("RUNNING")) {
                admitted.add(admission(now));
            } else if (now != null && now.path("state").asText().equals("PENDING")) {
                pending.add(now.path("name").asText());
            }
        }
        SortedMap<String, SortedMap<String, BigDecimal>> own = new TreeMap<>(usage);
        own.keySet().retainAll(story.configuration().clusterQueues().keySet());
        return describe(admitted, pending, own);
    }

    private static String describe(
            SortedSet<String> admitted,
            SortedSet<String> pending,
            SortedMap<String, SortedMap<String, BigDecimal>> usage) {
        return "running " + admitted + ", waiting " + pending + ", usage " + usage;
    }

    private static void charge(
            Map<String, SortedMap<String, BigDecimal>> usage, String queue, String line, String amount) {
        BigDecimal used = Quantity.parse(amount).value().stripTrailingZeros();
        if (used.signum() != 0) {
            usage.computeIfAbsent(queue, name -> new TreeMap<>()).put(line, used);
        }
    }

    /** What each ClusterQueue says is used, by queue and line. */
    private static Map<String, SortedMap<String, BigDecimal>> usage() {
        Map<String, SortedMap<String, BigDecimal>> usage = new TreeMap<>();
        for (JsonNode queue : items("/cluster-queues?limit=500")) {
            queue.path("status")
                    .path("lines")
                    .forEach(line -> charge(
                            usage,
                            queue.path("name").asText(),
                            line.path("flavor").asText() + "|"
                                    + line.path("key").asText(),
                            line.path("used").asText()));
        }
        return usage;
    }

    private static String admission(JsonNode workload) {
        ObjectNode described = JSON.createObjectNode();
        described.put("id", workload.path("name").asText());
        described.put("clusterQueue", workload.path("clusterQueue").asText());
        described.set("podSets", workload.path("admission").path("podSets"));
        return CycleTrace.expectedAdmission(described);
    }

    /** Every workload, by name. */
    private static Map<String, JsonNode> known() {
        Map<String, JsonNode> known = new LinkedHashMap<>();
        items("/workloads?limit=500")
                .forEach(item -> known.put(item.path("name").asText(), item));
        return known;
    }

    private static List<JsonNode> items(String path) {
        List<JsonNode> items = new ArrayList<>();
        String next = "";
        do {
            JsonNode page = read(given().urlEncodingEnabled(false)
                    .get(BASE + path + next)
                    .then()
                    .statusCode(200)
                    .extract()
                    .asString());
            page.path("items").forEach(items::add);
            next = page.hasNonNull("next") ? "&after=" + page.path("next").asText() : "";
        } while (!next.isEmpty());
        return items;
    }

    private static JsonNode read(String body) {
        try {
            return JSON.readTree(body);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
