package dev.sluice.api;

import static dev.sluice.api.RestStory.BASE;
import static dev.sluice.api.RestStory.get;
import static dev.sluice.api.RestStory.json;
import static dev.sluice.api.RestStory.put;
import static dev.sluice.api.RestStory.queue;
import static dev.sluice.api.RestStory.submit;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasItems;
import static org.hamcrest.Matchers.not;

import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

@QuarkusTest
class ConfigurationResourceTest {
    @Test
    void every_field_of_a_cluster_queue_is_read_back() {
        String body = """
                {"name": "full", "cohort": "full-cohort", "team": "full-team", "queueingStrategy": "StrictFIFO",
                 "quotas": [{"flavor": "h100", "deviceClass": "h100.gpu.example.com", "nominal": "16", "borrowingLimit": "8",
                             "lendingLimit": "4"},
                            {"flavor": "h100", "deviceClass": "h100.gpu.example.com", "counter": "memory", "nominal": "80Gi"},
                            {"resource": "cpu", "nominal": 256}],
                 "preemption": {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any",
                                "borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": 100}},
                 "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
                 "fairSharing": {"weight": "1"}, "stopPolicy": "None", "status": {"pending": 99}}""";

        put("/cluster-queues/full", body).statusCode(201);

        get("/cluster-queues/full")
                .statusCode(200)
                .body("quotas.size()", equalTo(3))
                .body("quotas[0].lendingLimit", equalTo("4"), "quotas[1].counter", equalTo("memory"))
                .body("quotas[2].flavor", equalTo("default"), "quotas[2].nominal", equalTo("256"))
                .body("preemption.borrowWithinCohort.maxPriorityThreshold", equalTo(100))
                .body("queueingStrategy", equalTo("StrictFIFO"), "status.pending", equalTo(0))
                .body("status.active", equalTo(false));
        put("/resource-flavors/h100", "{}");
        get("/cluster-queues/full").body("status.active", equalTo(true));
        get("/resource-flavors/default").statusCode(200);
        get("/cluster-queues").body("items.name", hasItem("full"));
        get("/usage").body("queues.clusterQueue", hasItem("full"));
    }

    @Test
    void an_etag_changes_with_the_specification_only_and_a_stale_one_is_refused() {
        queue("tagged", "4");
        String tag = get("/cluster-queues/tagged").extract().header("ETag");
        submit("tagged", "w", "1");
        Awaitility.await().untilAsserted(() -> get("/cluster-queues/tagged").body("status.admitted", equalTo(1)));
        assertThat(get("/cluster-queues/tagged").extract().header("ETag")).isEqualTo(tag);

        String changed =
                "{\"quotas\": [{\"resource\": \"cpu\", \"nominal\": \"8\"}, {\"resource\": \"memory\", \"nominal\": \"4Gi\"}]}";
        json(changed)
                .header("If-Match", tag)
                .put(BASE + "/cluster-queues/tagged")
                .then()
                .statusCode(200);
        json(changed)
                .header("If-Match", tag)
                .put(BASE + "/cluster-queues/tagged")
                .then()
                .statusCode(412)
                .body("type", equalTo("https://sluice.dev/problems/stale"))
                .body("violations[0].field", equalTo("If-Match"), "violations[0].value", equalTo(tag));
        String now = get("/cluster-queues/tagged").extract().header("ETag");
        put("/cluster-queues/tagged", changed).statusCode(200).header("ETag", equalTo(now));
        json(changed)
                .header("If-None-Match", "*")
                .put(BASE + "/cluster-queues/tagged")
                .then()
                .statusCode(412);
        json("{}")
                .header("If-Match", "*")
                .put(BASE + "/cohorts/not-there")
                .then()
                .statusCode(412);
    }

    @Test
    void cyclic_cohorts_are_refused() {
        put("/cohorts/ring-a", "{\"parent\": \"ring-b\"}").statusCode(201);

        put("/cohorts/ring-b", "{\"parent\": \"ring-a\"}")
                .statusCode(422)
                .body("type", equalTo("https://sluice.dev/problems/invalid-configuration"))
                .body("violations[0].field", equalTo("parent"))
                .body("violations[0].rule", equalTo("must not close a cycle of cohorts: ring-b → ring-a → ring-b"));
    }

    @Test
    void two_edits_at_once_that_are_valid_alone_do_not_close_a_cycle_together() throws Exception {
        try (ExecutorService both = Executors.newFixedThreadPool(2)) {
            for (int round = 0; round < 10; round++) {
                String left = "twin-l" + round;
                String right = "twin-r" + round;
                Callable<Integer> one = () -> put("/cohorts/" + left, "{\"parent\": \"" + right + "\"}")
                        .extract()
                        .statusCode();
                Callable<Integer> other = () -> put("/cohorts/" + right, "{\"parent\": \"" + left + "\"}")
                        .extract()
                        .statusCode();
                List<Future<Integer>> answers = both.invokeAll(List.of(one, other));

                assertThat(List.of(answers.get(0).get(), answers.get(1).get())).containsExactlyInAnyOrder(201, 422);
            }
        }
    }

    @Test
    void a_limit_without_a_cohort_is_refused_at_its_line() {
        put("/cluster-queues/lonely", """
                {"quotas": [{"resource": "cpu", "nominal": "1"}, {"resource": "memory", "nominal": "1", "borrowingLimit": "2"}]}""")
                .statusCode(422)
                .body("violations[0].field", equalTo("quotas[1].borrowingLimit"))
                .body("violations[0].value", equalTo("2"))
                .body("violations[0].rule", equalTo("must be left out without a cohort"));
    }

    @Test
    void qt_11_a_weight_that_would_become_zero_is_refused() {
        put("/cluster-queues/feather", "{\"fairSharing\": {\"weight\": \"1e-10\"}}")
                .statusCode(422)
                .body("violations[0].field", equalTo("fairSharing.weight"), "violations[0].value", equalTo("1e-10"));
    }

    @Test
    void a_flavor_that_lacks_a_line_of_its_group_and_a_negative_quota_are_refused() {
        put("/cluster-queues/gaps", """
                {"quotas": [{"flavor": "a", "resource": "cpu", "nominal": "-5"}, {"flavor": "a", "resource": "memory", "nominal": "1"},
                            {"flavor": "b", "resource": "cpu", "nominal": "1"}]}""")
                .statusCode(422)
                .body("violations.field", hasItems("quotas[0].nominal", "quotas.resource"))
                .body("violations.rule", hasItem(containsString("flavor b must have a line for memory")));
    }

    @Test
    void what_is_still_in_use_is_not_deleted() {
        queue("busy", "4");
        submit("busy", "w", "1");
        Awaitility.await().untilAsserted(() -> get("/cluster-queues/busy").body("status.admitted", equalTo(1)));

        given().delete(BASE + "/cluster-queues/busy")
                .then()
                .statusCode(409)
                .body("type", equalTo("https://sluice.dev/problems/in-use"));
        given().delete(BASE + "/resource-flavors/default")
                .then()
                .statusCode(422)
                .body("detail", containsString("still named"));
        given().delete(BASE + "/cohorts/never-was").then().statusCode(404);
    }

    @Test
    void the_cluster_queue_of_a_local_queue_cannot_change() {
        queue("fixed", "4");

        put("/local-queues/fixed/fixed", "{\"clusterQueue\": \"elsewhere\"}")
                .statusCode(422)
                .body("violations[0].field", equalTo("clusterQueue"));
    }

    @Test
    void a_dry_run_tells_the_difference_and_what_it_would_do_and_changes_nothing() {
        queue("preview", "1");
        submit("preview", "runs", "1");
        String id = submit("preview", "waits", "1");
        Awaitility.await().untilAsserted(() -> get("/cluster-queues/preview").body("status.pending", equalTo(1)));
        String more =
                "{\"quotas\": [{\"resource\": \"cpu\", \"nominal\": \"2\"}, {\"resource\": \"memory\", \"nominal\": \"4Gi\"}]}";

        json(more)
                .put(BASE + "/cluster-queues/preview?dryRun=true")
                .then()
                .statusCode(200)
                .body("result", equalTo("changed"))
                .body("difference[0].field", equalTo("quotas[default/cpu].nominal"))
                .body("difference[0].from", equalTo("1"), "difference[0].to", equalTo("2"))
                .body("decisions.find { it.workload == '" + id + "' }.decision", equalTo("ADMIT"));
        get("/cluster-queues/preview").body("quotas[0].nominal", equalTo("1"), "status.pending", equalTo(1));
    }

    @Test
    void unknown_fields_wrong_words_and_wrong_types_are_named() {
        put("/cluster-queues/words", "{\"queueingStrategy\": \"StrictFifo\"}")
                .statusCode(422)
                .body(
                        "violations[0].field",
                        equalTo("queueingStrategy"),
                        "violations[0].nearest",
                        hasItem("StrictFIFO"));
        put("/cluster-queues/words", "{\"cohrt\": \"x\"}")
                .statusCode(422)
                .body("violations[0].field", equalTo("cohrt"), "violations[0].nearest", hasItem("cohort"));
        put("/workload-priority-classes/words", "{\"value\": 3000000000}")
                .statusCode(422)
                .body("violations[0].field", equalTo("value"));
        put("/workload-priority-classes/words", "{}")
                .statusCode(422)
                .body("violations[0].rule", equalTo("is required"));
        put("/teams/words", "{\"namespaces\": \"one\"}")
                .statusCode(422)
                .body("violations[0].rule", equalTo("must be a list"));
        put("/cluster-queues/words", "{\"name\": \"other\"}")
                .statusCode(422)
                .body("violations[0].field", equalTo("name"));
    }

    @Test
    void names_that_are_no_dns_names_or_climb_paths_are_refused() {
        for (String name : List.of("UPPER", "..%2f..%2fetc%2fpasswd", "%C3%BCber", "a%20b", "a%00b")) {
            int status = given().urlEncodingEnabled(false)
                    .contentType("application/json")
                    .body("{}")
                    .put(BASE + "/cohorts/" + name)
                    .statusCode();
            assertThat(status).as(name).isBetween(400, 422);
        }
    }

    @Test
    void teams_classes_and_device_classes_are_kept() {
        put("/teams/kept", "{\"displayName\": \"Kept\", \"namespaces\": [\"kept-ns\"]}")
                .statusCode(201);
        put("/workload-priority-classes/kept", "{\"value\": -7, \"description\": \"low\"}")
                .statusCode(201);
        put("/device-classes/kept.example.com", "{\"extendedResourceName\": \"kept.example.com/gpu\"}")
                .statusCode(201);
        put("/resource-flavors/kept", """
                {"nodeLabels": {"gpu": "a100"}, "nodeTaints": [{"key": "gpu", "value": "a100", "effect": "NoSchedule"}],
                 "tolerations": [{"key": "gpu", "operator": "Exists"}]}""").statusCode(201);

        get("/teams/kept").body("namespaces[0]", equalTo("kept-ns"));
        get("/workload-priority-classes/kept").body("value", equalTo(-7));
        get("/device-classes/kept.example.com").body("extendedResourceName", equalTo("kept.example.com/gpu"));
        get("/resource-flavors/kept").body("nodeTaints[0].effect", equalTo("NoSchedule"));
        given().delete(BASE + "/teams/kept").then().statusCode(204);
        get("/teams/kept").statusCode(404).body("violations[0].nearest", not(hasItem("kept")));
    }
}
