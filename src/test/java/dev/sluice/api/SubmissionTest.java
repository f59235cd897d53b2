package dev.sluice.api;

import static dev.sluice.api.RestStory.BASE;
import static dev.sluice.api.RestStory.get;
import static dev.sluice.api.RestStory.json;
import static dev.sluice.api.RestStory.post;
import static dev.sluice.api.RestStory.put;
import static dev.sluice.api.RestStory.queue;
import static dev.sluice.api.RestStory.submit;
import static dev.sluice.api.RestStory.workload;
import static dev.sluice.api.RestStory.yaml;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.ValidatableResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

@QuarkusTest
class SubmissionTest {
    @Test
    void a_workload_is_taken_and_read_back() {
        queue("read-back", "4");

        String id = post("/workloads", workload("read-back", "w", "1"))
                .statusCode(201)
                .header("Location", containsString("/api/v1/workloads/"))
                .body("state", equalTo("PENDING"), "clusterQueue", equalTo("read-back"), "admittedAt", nullValue())
                .extract()
                .path("id");

        get("/workloads/" + id).statusCode(200).body("name", equalTo("w"), "charge.cpu", equalTo("1"));
        get("/workloads?namespace=read-back").statusCode(200).body("items.id", contains(id));
        Awaitility.await().untilAsserted(() -> get("/workloads/" + id).body("state", equalTo("RUNNING")));
        get("/workloads/" + id).body("admission.podSets[0].flavors.cpu", equalTo("default"), "waiting", nullValue());
        get("/workloads/" + id + "/history")
                .statusCode(200)
                .body("kind", hasItem("WorkloadQueued"), "workload", hasItem(id));
    }

    @Test
    void an_unknown_queue_is_refused_with_the_nearest_names() {
        queue("team-a", "4");

        post("/workloads", workload("team-a", "w", "1").replace("\"queue\": \"team-a\"", "\"queue\": \"team-x\""))
                .statusCode(422)
                .contentType("application/problem+json")
                .body(
                        "type", equalTo("https://sluice.dev/problems/unknown-queue"),
                        "status", equalTo(422),
                        "instance", equalTo("/api/v1/workloads"),
                        "violations[0].field", equalTo("queue"),
                        "violations[0].value", equalTo("team-x"),
                        "violations[0].rule", equalTo("must name an existing LocalQueue of the namespace"),
                        "violations[0].nearest[0]", equalTo("team-a"));
    }

    @Test
    void an_unknown_priority_class_is_refused_with_the_nearest_names() {
        queue("unknown-class", "4");
        put("/workload-priority-classes/serving", "{\"value\": 1000}");

        post(
                        "/workloads",
                        workload("unknown-class", "w", "1")
                                .replace("{\"name\"", "{\"priorityClass\": \"servin\", \"name\""))
                .statusCode(422)
                .body("type", equalTo("https://sluice.dev/problems/unknown-priority-class"))
                .body("violations[0].nearest", hasItem("serving"));
    }

    @Test
    void amounts_that_cannot_be_are_refused_by_field_value_and_rule() {
        queue("amounts", "4");

        refusedAmount("cpu", "-1", "must not be negative");
        refusedAmount("memory", "9223372036854775808", "must be at most 9223372036854775807 (2^63 - 1)");
        refusedAmount("memory", "1e400", "must be at most 9223372036854775807 (2^63 - 1)");
        refusedAmount("memory", "1e401", "must have a decimal exponent between -400 and 400");
        refusedAmount("nvidia.com/gpu", "0.5", "must be a whole number: nvidia.com/gpu cannot be divided");
        refusedAmount("cpu", "four", "must be a Kubernetes quantity");
        refusedAmount("pods", "1", "must not be requested: pods are counted by themselves");
    }

    private static void refusedAmount(String resource, String amount, String rule) {
        post("/workloads", """
                {"name": "w", "namespace": "amounts", "queue": "amounts",
                 "podSets": [{"count": 1, "requests": {"%s": "%s"}}]}""".formatted(resource, amount))
                .statusCode(422)
                .body(
                        "type", equalTo("https://sluice.dev/problems/invalid-field"),
                        "violations[0].field", equalTo("podSets[0].requests." + resource),
                        "violations[0].value", equalTo(amount),
                        "violations[0].rule", startsWith(rule));
    }

    @Test
    void qt_01_a_quota_of_an_exa_admits_and_is_shown_as_it_was_written() {
        queue("exa", "1E");

        String id = submit("exa", "w", "1");

        Awaitility.await().untilAsserted(() -> get("/workloads/" + id).body("state", equalTo("RUNNING")));
        get("/cluster-queues/exa").body("quotas[0].nominal", equalTo("1E"));
    }

    @Test
    void qt_07_a_fraction_more_than_the_quota_waits_and_says_so_in_gibibytes() {
        queue("fraction", "4");
        String body = """
                {"name": "w", "namespace": "fraction", "queue": "fraction",
                 "podSets": [{"requests": {"memory": "4.1Gi"}}]}""";

        String id = post("/workloads", body).statusCode(201).extract().path("id");

        Awaitility.await()
                .untilAsserted(() -> get("/workloads/" + id).body("waiting.reason", equalTo("EXCEEDS_MAXIMUM")));
        get("/workloads/" + id).body("waiting.message", containsString("4.1"), "charge.memory", equalTo("4402341479"));
        post("/workloads", body.replace("4.1Gi", "1.5Gi").replace("\"w\"", "\"half\""))
                .statusCode(201)
                .body("charge.memory", equalTo("1536Mi"));
    }

    @Test
    void a_request_of_as_much_as_there_can_be_waits_and_never_wraps() {
        queue("saturates", "10");

        String body = workload("saturates", "w", "9e15").replace("\"count\": 1", "\"count\": 2000");
        post("/workloads", body).statusCode(201).body("charge.cpu", startsWith("9223372036854775"));
        post("/workloads", workload("saturates", "x", "9223372036854775807")).statusCode(201);
    }

    @Test
    void a_name_that_runs_is_taken_and_an_ended_one_is_free() {
        queue("names", "4");
        String id = submit("names", "w", "9");

        post("/workloads", workload("names", "w", "1"))
                .statusCode(409)
                .body("type", equalTo("https://sluice.dev/problems/name-taken"))
                .body("detail", containsString(id));
        given().delete(BASE + "/workloads/" + id).then().statusCode(200).body("state", equalTo("CANCELLED"));
        submit("names", "w", "1");
    }

    @Test
    void a_repeated_key_gives_the_same_workload_and_another_body_under_it_is_refused() {
        queue("keys", "4");
        String body = workload("keys", "w", "1");

        String id = keyed("k1", body).statusCode(201).extract().path("id");
        keyed("k1", body).statusCode(200).body("id", equalTo(id));
        keyed("k1", body.replace("\"w\"", "\"other\""))
                .statusCode(422)
                .body("type", equalTo("https://sluice.dev/problems/idempotency-key-reused"))
                .body("violations[0].value", equalTo("k1"));
        keyed("k".repeat(201), body).statusCode(400);
    }

    private static ValidatableResponse keyed(String key, String body) {
        return json(body)
                .header("Idempotency-Key", key)
                .post(BASE + "/workloads")
                .then();
    }

    @Test
    void malformed_json_is_refused_with_line_and_column() {
        post("/workloads", "{\n  \"name\": \"w\",\n  \"podSets\": [}")
                .statusCode(400)
                .body("type", equalTo("https://sluice.dev/problems/malformed-body"))
                .body("detail", startsWith("Line 3, column "))
                .body("detail", not(containsString("com.fasterxml")));
    }

    @Test
    void malformed_yaml_is_refused_with_line_and_column() {
        yaml("apiVersion: batch/v1\nkind: Job\nmetadata: {name: [}\n")
                .post(BASE + "/workloads")
                .then()
                .statusCode(400)
                .body("type", equalTo("https://sluice.dev/problems/malformed-body"))
                .body("detail", startsWith("Line 3, column "));
    }

    @Test
    void duplicate_keys_are_refused_in_json_and_in_yaml() {
        post("/workloads", "{\"name\": \"a\", \"name\": \"b\"}")
                .statusCode(400)
                .body("detail", containsString("uplicate field 'name'"));
        yaml("kind: Job\nkind: Job\n")
                .post(BASE + "/workloads")
                .then()
                .statusCode(400)
                .body("detail", containsString("duplicate key kind"));
    }

    @Test
    void a_body_of_two_mebibytes_is_refused() {
        post("/workloads", "{\"name\": \"" + "x".repeat(2 << 20) + "\"}")
                .statusCode(413)
                .body("type", equalTo("https://sluice.dev/problems/body-too-large"));
    }

    @Test
    void ten_thousand_pod_sets_are_refused() {
        String podSets = "{\"requests\":{\"cpu\":\"1\"}},".repeat(9_999) + "{\"requests\":{\"cpu\":\"1\"}}";

        post("/workloads", "{\"name\": \"w\", \"queue\": \"q\", \"podSets\": [" + podSets + "]}")
                .statusCode(422)
                .body("violations[0].field", equalTo("podSets"))
                .body("violations[0].value", equalTo("10000 pod sets"))
                .body("violations[0].rule", equalTo("must be at most 18"));
    }

    @Test
    void an_unknown_field_is_named_with_the_nearest_known() {
        post("/workloads", "{\"name\": \"w\", \"podSets\": [{\"request\": {\"cpu\": \"1\"}}]}")
                .statusCode(422)
                .body("type", equalTo("https://sluice.dev/problems/unknown-field"))
                .body("violations[0].field", equalTo("podSets[0].request"))
                .body("violations[0].nearest", hasItem("requests"));
    }

    @Test
    void a_field_of_the_wrong_type_is_named() {
        post("/workloads", "{\"name\": \"w\", \"podSets\": [{\"count\": \"four\"}]}")
                .statusCode(422)
                .body("violations[0].field", equalTo("podSets[0].count"))
                .body("violations[0].value", equalTo("four"))
                .body("violations[0].rule", startsWith("must be a whole number"));
        post("/workloads", "{\"name\": 7}").statusCode(422).body("violations[0].field", equalTo("name"));
        post("/workloads", "[1, 2]").statusCode(400).body("detail", containsString("must be an object, not a list"));
        post("/workloads", "{\"podSets\": [{\"count\": 99999999999}]}")
                .statusCode(422)
                .body("violations[0].field", equalTo("podSets[0].count"));
    }

    @Test
    void an_empty_body_is_refused() {
        given().contentType("application/json")
                .post(BASE + "/workloads")
                .then()
                .statusCode(400)
                .body("type", equalTo("https://sluice.dev/problems/empty-body"));
        post("/workloads", "   ").statusCode(400);
        yaml("---\n---\n").post(BASE + "/workloads").then().statusCode(400);
    }

    @Test
    void deep_nesting_and_huge_numbers_are_refused() {
        post("/workloads", "[".repeat(5_000) + "]".repeat(5_000)).statusCode(400);
        post("/workloads", "{\"podSets\": [{\"count\": " + "9".repeat(500) + "}]}")
                .statusCode(400);
        yaml("[".repeat(5_000)).post(BASE + "/workloads").then().statusCode(400);
    }

    @Test
    void a_yaml_bomb_is_refused() {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for (int level = 1; level < 12; level++) {
            String below = "*a" + (level - 1);
            bomb.append("a%d: &a%d [%s]\n"
                    .formatted(level, level, String.join(", ", java.util.Collections.nCopies(9, below))));
        }

        yaml(bomb.toString()).post(BASE + "/workloads").then().statusCode(400);
    }

    @Test
    void names_that_are_no_dns_labels_are_refused() {
        for (String name :
                new String[] {"Ünïcode", "../../etc/passwd", "a/b", "UPPER", "-a", "a".repeat(64), "a b", "\\u0000"}) {
            post("/workloads", workload("names-wrong", name, "1"))
                    .statusCode(422)
                    .body("violations[0].field", equalTo("name"));
        }
    }

    @Test
    void all_mistakes_of_a_body_are_told_at_once() {
        post("/workloads", "{\"namespace\": \"A\", \"podSets\": [{\"count\": 0, \"requests\": {\"cpu\": \"-1\"}}]}")
                .statusCode(422)
                .body(
                        "violations.field",
                        contains("name", "namespace", "queue", "podSets[0].count", "podSets[0].requests.cpu"));
    }

    @Test
    void another_media_type_and_another_path_are_problems_too() {
        given().contentType("text/plain")
                .body("x")
                .post(BASE + "/workloads")
                .then()
                .statusCode(415)
                .body("type", equalTo("https://sluice.dev/problems/unsupported-media-type"));
        get("/nothing")
                .statusCode(404)
                .contentType("application/problem+json")
                .body("type", equalTo("https://sluice.dev/problems/not-found"));
        get("/workloads/no-such-id").statusCode(404).body("type", equalTo("https://sluice.dev/problems/not-found"));
        given().delete(BASE + "/workloads")
                .then()
                .statusCode(405)
                .body("type", equalTo("https://sluice.dev/problems/method-not-allowed"));
        get("/workloads?limit=0").statusCode(400).body("violations[0].field", equalTo("limit"));
        get("/workloads?limit=many").statusCode(anyOfBadRequest()).contentType("application/problem+json");
        get("/workloads?state=PENDNG").statusCode(400).body("violations[0].nearest", hasItem("PENDING"));
        get("/workloads?sort=age").statusCode(400);
    }

    private static org.hamcrest.Matcher<Integer> anyOfBadRequest() {
        return org.hamcrest.Matchers.anyOf(equalTo(400), equalTo(404));
    }

    @Test
    void without_a_token_the_service_answers_to_loopback_names_only() {
        given().header("Host", "evil.example.com")
                .get(BASE + "/workloads")
                .then()
                .statusCode(401);
        given().header("Host", "localhost:1").get(BASE + "/workloads").then().statusCode(200);
    }

    @Test
    void a_dry_run_stores_nothing_and_says_what_would_happen() {
        queue("dry", "4");

        json(workload("dry", "fits", "1"))
                .post(BASE + "/workloads?dryRun=true")
                .then()
                .statusCode(200)
                .body("verdict", equalTo("ADMIT"), "requirements[0].key", equalTo("cpu"));
        json(workload("dry", "never", "9"))
                .post(BASE + "/workloads?dryRun=true")
                .then()
                .statusCode(200)
                .body("verdict", equalTo("NEVER"), "summary", containsString("9"));
        get("/workloads?namespace=dry").body("items.size()", equalTo(0));
    }

    @Test
    void mv_02_a_cancelled_workload_is_gone_from_the_waiting_ones_at_once() {
        queue("gone", "4");
        submit("gone", "runs", "4");
        String id = submit("gone", "waits", "4");
        Awaitility.await()
                .untilAsserted(() -> get("/cluster-queues/gone/pending").body("items.id", contains(id)));

        given().delete(BASE + "/workloads/" + id).then().statusCode(200);

        get("/cluster-queues/gone/pending").body("items.size()", equalTo(0));
        get("/workloads?namespace=gone&state=PENDING").body("items.size()", equalTo(0));
        get("/cluster-queues/gone").body("status.pending", equalTo(0));
    }

    @Test
    void wh_10_a_local_queue_shows_only_its_own_namespace() {
        queue("shared-cq", "1");
        put("/local-queues/ns-a/lq", "{\"clusterQueue\": \"shared-cq\"}").statusCode(201);
        put("/local-queues/ns-b/lq", "{\"clusterQueue\": \"shared-cq\"}").statusCode(201);
        submit("shared-cq", "blocker", "1");
        String inA = lq("ns-a");
        String inB = lq("ns-b");
        Awaitility.await()
                .untilAsserted(() -> get("/cluster-queues/shared-cq/pending").body("items.id", contains(inA, inB)));

        get("/local-queues/ns-a/lq/pending").body("items.id", contains(inA));
        get("/local-queues/ns-b/lq/pending").body("items.id", contains(inB));
    }

    private static String lq(String namespace) {
        return post("/workloads", """
                {"name": "w", "namespace": "%s", "queue": "lq", "podSets": [{"requests": {"cpu": "1"}}]}""".formatted(namespace))
                .statusCode(201)
                .extract()
                .path("id");
    }

    @Test
    void mv_11_deleting_a_local_queue_empties_the_waiting_line_behind_it_at_once() {
        queue("door", "1");
        submit("door", "runs", "1");
        submit("door", "w1", "1");
        submit("door", "w2", "1");
        Awaitility.await().untilAsserted(() -> get("/cluster-queues/door").body("status.pending", equalTo(2)));

        given().delete(BASE + "/local-queues/door/door").then().statusCode(204);

        Awaitility.await().untilAsserted(() -> get("/cluster-queues/door").body("status.pending", equalTo(0)));
        get("/cluster-queues/door/pending").body("items.size()", equalTo(0));
    }

    @Test
    void a_patch_changes_priority_queue_and_activity_of_a_waiting_workload() {
        queue("patch", "1");
        queue("patch-other", "1");
        put("/local-queues/patch/second", "{\"clusterQueue\": \"patch-other\"}").statusCode(201);
        put("/workload-priority-classes/patch-high", "{\"value\": 7}");
        submit("patch", "runs", "1");
        String id = submit("patch", "waits", "1");

        patch(id, "{\"priorityClass\": \"patch-high\"}").statusCode(200).body("priority", equalTo(7));
        patch(id, "{\"priorityClass\": null}").statusCode(200).body("priority", equalTo(0));
        patch(id, "{\"active\": false}").statusCode(200).body("state", equalTo("INACTIVE"));
        patch(id, "{\"queue\": \"second\", \"active\": true}")
                .statusCode(200)
                .body("clusterQueue", equalTo("patch-other"));
        patch(id, "{\"queue\": \"secnd\"}").statusCode(422).body("violations[0].nearest", contains("second"));
        patch(id, "{\"priority\": 3}")
                .statusCode(422)
                .body("type", equalTo("https://sluice.dev/problems/unknown-field"));
        patch(id, "{}").statusCode(422);
    }

    private static ValidatableResponse patch(String id, String body) {
        return json(body).patch(BASE + "/workloads/" + id).then();
    }

    @Test
    void a_batch_answers_each_item_in_order_as_a_single_submission_would() {
        queue("batch-api", "4");
        String lines = workload("batch-api", "one", "1").replace("\n", " ") + "\n{broken\n"
                + workload("batch-api", "two", "-1").replace("\n", " ") + "\n\n"
                + workload("batch-api", "one", "1").replace("\n", " ") + "\n";

        given().urlEncodingEnabled(false)
                .contentType("application/x-ndjson")
                .body(lines.getBytes(StandardCharsets.UTF_8))
                .post(BASE + "/workloads:batch")
                .then()
                .statusCode(200)
                .body("status", contains(201, 400, 422, 409))
                .body("[0].name", equalTo("one"), "[0].state", equalTo("PENDING"))
                .body("[2].violations[0].field", equalTo("podSets[0].requests.cpu"))
                .body("[3].type", equalTo("https://sluice.dev/problems/name-taken"));
        post("/workloads:batch", "[" + workload("batch-api", "three", "1") + "]")
                .statusCode(200)
                .body("status", contains(201));
        post("/workloads:batch", "{}").statusCode(400);
    }

    @Test
    void a_batch_that_is_only_tried_stores_nothing_and_answers_a_verdict_for_each() {
        queue("batch-trial", "4");
        String items = "[" + workload("batch-trial", "fits", "3") + "," + workload("batch-trial", "broken", "-1") + ","
                + workload("batch-trial", "huge", "9") + "]";

        post("/workloads:batch?dryRun=true", items)
                .statusCode(200)
                .body("status", contains(200, 422, 200))
                .body("[0].verdict", equalTo("ADMIT"), "[2].verdict", equalTo("NEVER"));
        get("/workloads?namespace=batch-trial").body("items", hasSize(0));
    }

    @Test
    void fewer_pods_are_admitted_where_they_are_enough_and_told_beforehand() {
        queue("shrinks", "3");
        String five = workload("shrinks", "five", "1").replace("\"count\": 1", "\"count\": 5, \"minCount\": 2");

        post("/workloads?dryRun=true", five)
                .statusCode(200)
                .body("verdict", equalTo("ADMIT"), "admission[0].count", equalTo(3));
        String id = post("/workloads", five)
                .statusCode(201)
                .body("podSets[0].minCount", equalTo(2))
                .extract()
                .path("id");

        Awaitility.await()
                .untilAsserted(() -> get("/workloads/" + id)
                        .body("admission.podSets[0].count", equalTo(3), "charge.cpu", equalTo("3")));
    }

    @Test
    void more_pods_cannot_be_needed_than_there_are() {
        queue("shrinks-not", "3");
        for (String minCount : List.of("0", "6", "-1")) {
            post(
                            "/workloads",
                            workload("shrinks-not", "w", "1")
                                    .replace("\"count\": 1", "\"count\": 5, \"minCount\": " + minCount))
                    .statusCode(422)
                    .body("violations[0].field", equalTo("podSets[0].minCount"))
                    .body("violations[0].value", equalTo(minCount))
                    .body("violations[0].rule", equalTo("must be from 1 to the count, which is 5"));
        }
    }

    @Test
    void a_list_is_paged_by_key_and_counts_everything() {
        queue("paged", "0");
        for (int index = 0; index < 5; index++) {
            submit("paged", "w" + index, "1");
        }

        ValidatableResponse first =
                get("/workloads?namespace=paged&sort=name&limit=3").statusCode(200);
        first.body("items.name", contains("w0", "w1", "w2"), "counts.PENDING", equalTo(5));
        String next = first.extract().path("next");
        get("/workloads?namespace=paged&sort=name&limit=3&after=" + next)
                .body("items.name", contains("w3", "w4"), "next", nullValue());
        assertThat(next).isNotBlank();
    }
}
