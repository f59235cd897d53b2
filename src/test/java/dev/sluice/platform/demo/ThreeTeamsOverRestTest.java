package dev.sluice.platform.demo;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ThrowingRunnable;
import org.hamcrest.Matchers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Three teams share 40 GPUs, told by nothing but REST, on PostgreSQL. */
@QuarkusTest
class ThreeTeamsOverRestTest {
    private static final String API = "/api/v1";
    private static final Map<String, Integer> NOMINAL = Map.of("serving", 20, "batch", 12, "research", 8);
    private static final String GPU = "nvidia.com/gpu";

    private final List<String> submitted = new ArrayList<>();

    @AfterEach
    void leave_nothing_behind() {
        submitted.forEach(workload -> given().delete(API + "/workloads/" + workload));
        soon(() -> ThreeTeams.TEAMS.forEach(team -> assertThat(used(team)).isZero()));
        for (String team : ThreeTeams.TEAMS) {
            given().delete(API + "/local-queues/" + team + "/" + team);
            given().delete(API + "/cluster-queues/" + team);
        }
        given().delete(API + "/cohorts/company");
    }

    @Test
    void three_teams_share_forty_gpus() {
        configure();

        List<String> sweeps = submit("research", "sweep", 10, "experiment", 1, 2);
        soon(() -> assertThat(states(sweeps)).containsOnly("RUNNING"));
        assertThat(used("research")).isEqualTo(20);
        assertThat(usage("research").getInt("borrowed")).isEqualTo(12);

        List<String> evaluations = submit("batch", "eval", 10, "batch", 1, 2);
        soon(() -> assertThat(states(evaluations.subList(0, 6))).containsOnly("RUNNING"));
        assertThat(used("batch")).isEqualTo(12);
        for (int number = 6; number < 10; number++) {
            JsonPath waiting = workload(evaluations.get(number));
            assertThat(waiting.getString("state")).isEqualTo("PENDING");
            assertThat(waiting.getString("waiting.reason")).isEqualTo("QUOTA_EXHAUSTED");
            assertThat(waiting.getInt("waiting.position")).isEqualTo(number - 5);
            assertThat(waiting.getString("waiting.message"))
                    .isEqualTo(
                            "Needs 2 GPUs; team batch can get 0 now: nominal 12, used 12; of the cohort's other 28, 20"
                                    + " are in use and serving keeps 8 to itself.");
        }

        List<String> chats = submit("serving", "chat", 5, "serving", 2, 2);
        soon(() -> assertThat(states(chats)).containsOnly("RUNNING"));
        List<String> firstTwo = chats.subList(0, 2);
        assertThat(sweeps.subList(4, 10))
                .as("the six newest by admission gave their GPUs back")
                .allSatisfy(sweep -> {
                    JsonPath evicted = workload(sweep);
                    assertThat(evicted.getString("state")).isEqualTo("PENDING");
                    assertThat(evicted.getString("evictions[0].reason")).isEqualTo("InCohortReclamation");
                    assertThat(firstTwo)
                            .as("the first two started on serving's own 8, at nobody's cost")
                            .doesNotContain(evicted.getString("evictions[0].by"));
                });
        assertThat(states(sweeps.subList(0, 4))).containsOnly("RUNNING");
        assertThat(List.of(used("serving"), used("batch"), used("research"))).containsExactly(20, 12, 8);

        chats.forEach(chat -> given().delete(API + "/workloads/" + chat).then().statusCode(Matchers.lessThan(300)));
        soon(() -> assertThat(List.of(used("serving"), used("batch"), used("research")))
                .containsExactly(0, 18, 14));
        assertThat(usage("batch").getInt("available"))
                .as("8 stay free for serving")
                .isZero();
        assertThat(usage("serving").getInt("available")).isEqualTo(8);
    }

    private static void configure() {
        Map.of("serving", 1000, "batch", 100, "experiment", 10)
                .forEach((name, value) -> put("/workload-priority-classes/" + name, "{\"value\": " + value + "}"));
        put("/cohorts/company", "{}");
        NOMINAL.forEach((team, nominal) -> {
            boolean serving = team.equals("serving");
            put("/cluster-queues/" + team, """
                    {"cohort": "company", "team": "%s",
                     "quotas": [{"resource": "%s", "nominal": "%d"%s}]%s}""".formatted(
                            team,
                            GPU,
                            nominal,
                            serving ? ", \"lendingLimit\": \"12\"" : "",
                            serving ? ", \"preemption\": {\"reclaimWithinCohort\": \"Any\"}" : ""));
            put("/local-queues/" + team + "/" + team, "{\"clusterQueue\": \"" + team + "\"}");
        });
    }

    private List<String> submit(String team, String prefix, int count, String priorityClass, int pods, int gpus) {
        List<String> items = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            items.add("""
                    {"name": "%s-%02d", "namespace": "%s", "queue": "%s", "priorityClass": "%s",
                     "podSets": [{"name": "main", "count": %d, "requests": {"%s": "%d"}}]}""".formatted(prefix, number, team, team, priorityClass, pods, GPU, gpus));
        }
        JsonPath results = given().urlEncodingEnabled(false)
                .contentType(ContentType.JSON)
                .body("[" + String.join(",", items) + "]")
                .post(API + "/workloads:batch")
                .then()
                .statusCode(200)
                .extract()
                .jsonPath();
        List<String> ids = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            ids.add(results.getString("[" + index + "].id"));
        }
        submitted.addAll(ids);
        return ids;
    }

    private static void put(String path, String body) {
        given().contentType(ContentType.JSON).body(body).put(API + path).then().statusCode(Matchers.lessThan(300));
    }

    private static List<String> states(List<String> workloads) {
        return workloads.stream().map(id -> workload(id).getString("state")).toList();
    }

    private static JsonPath workload(String id) {
        return given().get(API + "/workloads/" + id)
                .then()
                .statusCode(200)
                .extract()
                .jsonPath();
    }

    private static int used(String team) {
        return usage(team).getInt("used");
    }

    private static JsonPath usage(String team) {
        return given().get(API + "/cluster-queues/" + team)
                .then()
                .statusCode(200)
                .extract()
                .jsonPath()
                .setRootPath("status.usage.'" + GPU + "'");
    }

    private static void soon(ThrowingRunnable outcome) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(outcome);
    }
}
