package dev.sluice.api;

import static dev.sluice.api.RestStory.get;
import static dev.sluice.api.RestStory.put;
import static dev.sluice.api.RestStory.submit;
import static dev.sluice.api.RestStory.yaml;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.nullValue;

import io.quarkus.test.junit.QuarkusTest;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Admission checks by REST: configured, asked for, told, and in both forms of the export. */
@QuarkusTest
class AdmissionCheckTest {
    private static void checkedQueue(String name, String check) {
        put("/admission-checks/" + check, "{\"controllerName\": \"example.com/budget\"}")
                .statusCode(201);
        put("/cluster-queues/" + name, """
                {"quotas": [{"resource": "cpu", "nominal": "4"}], "admissionChecks": [{"name": "%s"}]}""".formatted(check)).statusCode(201);
        put("/local-queues/" + name + "/" + name, "{\"clusterQueue\": \"" + name + "\"}")
                .statusCode(201);
    }

    private static void awaitState(String id, String state) {
        Awaitility.await().untilAsserted(() -> get("/workloads/" + id).body("state", equalTo(state)));
    }

    @Test
    void a_workload_waits_with_its_quota_until_the_check_is_ready() {
        checkedQueue("check-ready", "budget-ready");
        String id = submit("check-ready", "w", "4");
        awaitState(id, "RESERVED");
        get("/workloads/" + id)
                .body("waiting.reason", equalTo("AWAITING_CHECKS"))
                .body(
                        "waiting.message",
                        equalTo("Has its quota and starts when its admission check is ready: budget-ready."))
                .body("admissionChecks[0].name", equalTo("budget-ready"))
                .body("admissionChecks[0].state", equalTo("Pending"));
        get("/cluster-queues/check-ready").body("status.usage.cpu.used", equalTo("4"));

        put("/workloads/" + id + "/admission-checks/budget-ready", "{\"state\": \"Ready\", \"message\": \"paid\"}")
                .statusCode(200)
                .body("admissionChecks[0].message", equalTo("paid"));

        awaitState(id, "RUNNING");
    }

    @Test
    void a_rejection_is_shown_with_its_reason_and_a_retry_with_its_time() {
        checkedQueue("check-no", "budget-no");
        String rejected = submit("check-no", "rejected", "2");
        String retried = submit("check-no", "retried", "2");
        awaitState(retried, "RESERVED");

        put(
                        "/workloads/" + rejected + "/admission-checks/budget-no",
                        "{\"state\": \"Rejected\", \"message\": \"the budget is spent\"}")
                .statusCode(200)
                .body("state", equalTo("INACTIVE"))
                .body("evictions[0].reason", equalTo("AdmissionCheck"))
                .body("evictions[0].by", nullValue())
                .body(
                        "startFailures.lastReason",
                        equalTo("admission check budget-no rejected it: the budget is spent"));
        put("/workloads/" + retried + "/admission-checks/budget-no", "{\"state\": \"Retry\", \"retryAfter\": \"PT1H\"}")
                .statusCode(200)
                .body("state", equalTo("PENDING"))
                .body("waiting.reason", equalTo("BACKING_OFF"))
                .body("admissionChecks[0].retryCount", equalTo(1));
    }

    @Test
    void what_a_check_adds_to_the_pods_is_shown_and_comes_too_late_once_they_are_let_go() {
        checkedQueue("check-adds", "budget-adds");
        String id = submit("check-adds", "w", "4");
        awaitState(id, "RESERVED");
        String path = "/workloads/" + id + "/admission-checks/budget-adds";

        put(path, """
                {"state": "Ready", "podSetUpdates": [{"name": "main", "labels": {"example.com/budget": "b7"},
                  "annotations": {"example.com/paid-by": "the team"}, "nodeSelector": {"pool": "a"},
                  "tolerations": [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]}]}""")
                .statusCode(200)
                .body("admissionChecks[0].podSetUpdates[0].name", equalTo("main"))
                .body("admissionChecks[0].podSetUpdates[0].labels.'example.com/budget'", equalTo("b7"))
                .body("admissionChecks[0].podSetUpdates[0].tolerations[0].operator", equalTo("Equal"));
        awaitState(id, "RUNNING");
        put(path, "{\"state\": \"Ready\", \"podSetUpdates\": [{\"name\": \"main\", \"labels\": {\"a\": \"b\"}}]}")
                .statusCode(409)
                .body("detail", equalTo("its pods were let go already, and nothing can be added to them"));
        put(path, "{\"state\": \"Ready\", \"message\": \"still paid\"}")
                .statusCode(200)
                .body("admissionChecks[0].message", equalTo("still paid"))
                .body("admissionChecks[0].podSetUpdates[0].name", equalTo("main"));
    }

    @Test
    void two_checks_that_want_different_things_of_the_pods_put_the_workload_back_with_the_reason() {
        put("/admission-checks/budget-two", "{\"controllerName\": \"example.com/budget\"}")
                .statusCode(201);
        put("/admission-checks/nodes-two", "{\"controllerName\": \"example.com/nodes\"}")
                .statusCode(201);
        put("/cluster-queues/check-two", """
                {"quotas": [{"resource": "cpu", "nominal": "4"}],
                 "admissionChecks": [{"name": "budget-two"}, {"name": "nodes-two"}]}""").statusCode(201);
        put("/local-queues/check-two/check-two", "{\"clusterQueue\": \"check-two\"}")
                .statusCode(201);
        String id = submit("check-two", "w", "4");
        awaitState(id, "RESERVED");
        String says =
                "{\"state\": \"Ready\", \"podSetUpdates\": [{\"name\": \"main\", \"labels\": {\"tier\": \"%s\"}}]}";

        put("/workloads/" + id + "/admission-checks/budget-two", says.formatted("gold"))
                .statusCode(200);
        put("/workloads/" + id + "/admission-checks/nodes-two", says.formatted("spot"))
                .statusCode(200)
                .body("state", equalTo("PENDING"))
                .body("waiting.reason", equalTo("BACKING_OFF"))
                .body(
                        "startFailures.lastReason",
                        equalTo("admission check nodes-two wants label tier=spot on pod set main, and admission check"
                                + " budget-two wants gold"))
                .body("admissionChecks[1].state", equalTo("Pending"))
                .body("admissionChecks[1].retryCount", equalTo(1));
    }

    @Test
    void what_cannot_be_said_of_a_check_is_refused_by_name() {
        checkedQueue("check-bad", "budget-bad");
        String id = submit("check-bad", "w", "1");
        awaitState(id, "RESERVED");
        put("/workloads/" + id + "/admission-checks/budget-bad", "{\"state\": \"Redy\"}")
                .statusCode(422)
                .body("violations[0].field", equalTo("state"))
                .body("violations[0].nearest[0]", equalTo("Ready"));
        put("/workloads/" + id + "/admission-checks/budget-bad", "{\"state\": \"Ready\", \"retryAfter\": \"PT1M\"}")
                .statusCode(422)
                .body("violations[0].field", equalTo("retryAfter"));
        put(
                        "/workloads/" + id + "/admission-checks/budget-bad",
                        "{\"state\": \"Pending\", \"podSetUpdates\": [{\"name\": \"main\"}]}")
                .statusCode(422)
                .body("violations[0].field", equalTo("podSetUpdates"));
        put("/workloads/" + id + "/admission-checks/budget-bad", """
                {"state": "Ready", "podSetUpdates": [{"name": "mian"}, {"name": "main", "labels": {"-": "b"},
                  "annotations": {"-": "b"}, "tolerations": [{"key": "a", "operator": "exists"}]}, {"name": "main"}]}""")
                .statusCode(422)
                .body("violations[0].field", equalTo("podSetUpdates[0].name"))
                .body("violations[0].nearest[0]", equalTo("main"))
                .body("violations[1].field", equalTo("podSetUpdates[1].tolerations[0].operator"))
                .body("violations[2].field", equalTo("podSetUpdates[1].labels.-"))
                .body("violations[3].field", equalTo("podSetUpdates[1].annotations.-"))
                .body("violations[4].field", equalTo("podSetUpdates[2].name"));
        put("/workloads/" + id + "/admission-checks/other", "{\"state\": \"Ready\"}")
                .statusCode(409)
                .body("detail", equalTo("admission check other is not asked of the workload now"));
        put("/admission-checks/nameless", "{}").statusCode(422).body("violations[0].field", equalTo("controllerName"));
    }

    @Test
    void kueues_checks_are_taken_and_given_back_with_the_flavors_that_they_count_for() {
        yaml("""
                apiVersion: kueue.x-k8s.io/v1beta2
                kind: AdmissionCheck
                metadata: {name: check-export}
                spec:
                  controllerName: example.com/budget
                  parameters: {apiGroup: example.com, kind: Budget, name: yearly}
                ---
                apiVersion: kueue.x-k8s.io/v1beta2
                kind: ResourceFlavor
                metadata: {name: check-flavor}
                ---
                apiVersion: kueue.x-k8s.io/v1beta2
                kind: ClusterQueue
                metadata: {name: check-export}
                spec:
                  namespaceSelector: {}
                  resourceGroups:
                  - coveredResources: [cpu]
                    flavors: [{name: check-flavor, resources: [{name: cpu, nominalQuota: 4}]}]
                  admissionChecksStrategy:
                    admissionChecks: [{name: check-export, onFlavors: [check-flavor]}]
                """).post(RestStory.BASE + "/apply").then().statusCode(200);

        get("/cluster-queues/check-export")
                .body("admissionChecks[0].name", equalTo("check-export"))
                .body("admissionChecks[0].onFlavors[0]", equalTo("check-flavor"));
        for (String form : new String[] {"kueue", "sluice"}) {
            String exported = given().get(RestStory.BASE + "/export?as=" + form)
                    .then()
                    .statusCode(200)
                    .extract()
                    .asString();
            assertThat(exported).contains("AdmissionCheck", "yearly", "onFlavors");
            yaml(exported).post(RestStory.BASE + "/apply?dryRun=true").then().statusCode(200);
        }
    }
}
