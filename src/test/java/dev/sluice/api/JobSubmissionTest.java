package dev.sluice.api;

import static dev.sluice.api.RestStory.BASE;
import static dev.sluice.api.RestStory.get;
import static dev.sluice.api.RestStory.put;
import static dev.sluice.api.RestStory.queue;
import static dev.sluice.api.RestStory.yaml;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.startsWith;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.ValidatableResponse;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

@QuarkusTest
class JobSubmissionTest {
    @Test
    void an_unmodified_job_is_taken_in_yaml() {
        queue("job", "9");
        put("/workload-priority-classes/job-high", "{\"value\": 5}");

        submit("""
                apiVersion: batch/v1
                kind: Job
                metadata:
                  name: train
                  namespace: job
                  uid: 0c1c2c3c
                  labels:
                    kueue.x-k8s.io/queue-name: job
                    kueue.x-k8s.io/priority-class: job-high
                spec:
                  parallelism: 5
                  completions: 3
                  suspend: true
                  template:
                    spec:
                      restartPolicy: Never
                      tolerations: [{key: gpu, operator: Exists}]
                      containers:
                      - name: main
                        image: example.com/train:1
                        resources: {requests: {cpu: 1, memory: 100Mi}, limits: {cpu: "2"}}
                """)
                .statusCode(201)
                .body("name", equalTo("train"), "priority", equalTo(5), "podSets[0].count", equalTo(3))
                .body("charge.cpu", equalTo("3"), "charge.memory", equalTo("300Mi"));
    }

    @Test
    void a_job_that_may_run_with_fewer_pods_starts_with_those_that_fit() {
        queue("job-min", "3");

        String id = submit("""
                apiVersion: batch/v1
                kind: Job
                metadata:
                  name: shrinking
                  namespace: job-min
                  labels:
                    kueue.x-k8s.io/queue-name: job-min
                  annotations:
                    kueue.x-k8s.io/job-min-parallelism: "2"
                spec:
                  parallelism: 5
                  completions: 20
                  template:
                    spec:
                      restartPolicy: Never
                      containers:
                      - {name: main, image: x, resources: {requests: {cpu: 1}}}
                """)
                .statusCode(201)
                .body("podSets[0].count", equalTo(5), "podSets[0].minCount", equalTo(2))
                .extract()
                .path("id");

        Awaitility.await()
                .untilAsserted(() -> get("/workloads/" + id)
                        .body("state", equalTo("RUNNING"), "admission.podSets[0].count", equalTo(3))
                        .body("charge.cpu", equalTo("3")));
    }

    @Test
    void a_repeat_of_the_same_uid_gives_the_same_workload() {
        queue("job-uid", "9");
        String job = job("job-uid", "cpu: 1").replace("  name: w", "  name: w\n  uid: u-1");

        String id = submit(job).statusCode(201).extract().path("id");

        submit(job).statusCode(200).body("id", equalTo(id));
    }

    @Test
    void qm_07_a_sidecar_stacks_on_later_init_containers() {
        queue("qm07", "250m");

        String id = submit("""
                apiVersion: batch/v1
                kind: Job
                metadata: {name: w, namespace: qm07, labels: {sluice.dev/queue-name: qm07}}
                spec:
                  template:
                    spec:
                      initContainers:
                      - {name: proxy, restartPolicy: Always, resources: {requests: {cpu: 100m}}}
                      - {name: fetch, resources: {requests: {cpu: 200m}}}
                      containers:
                      - {name: app, resources: {requests: {cpu: 100m}}}
                """)
                .statusCode(201)
                .body("charge.cpu", equalTo("300m"))
                .extract()
                .path("id");

        Awaitility.await()
                .untilAsserted(() -> get("/workloads/" + id)
                        .body("state", equalTo("PENDING"), "waiting.reason", equalTo("EXCEEDS_MAXIMUM")));
    }

    @Test
    void qm_08_overhead_is_charged_for_every_pod() {
        queue("qm08", "4");

        submit(job("qm08", "cpu: 1")
                        .replace("spec:\n  template", "spec:\n  parallelism: 4\n  completions: 4\n  template")
                        .replace("      containers:", "      overhead: {cpu: 250m}\n      containers:"))
                .statusCode(201)
                .body("charge.cpu", equalTo("5"));
    }

    @Test
    void qt_05_a_negative_request_gives_no_credit() {
        queue("qt05", "4");

        submit(job("qt05", "cpu: 4")
                        .replace(
                                "      - name: main",
                                "      - {name: cheat, resources: {requests: {cpu: -4}}}\n      - name: main"))
                .statusCode(422)
                .body("violations[0].field", equalTo("spec.template.spec.containers[0].resources.requests.cpu"))
                .body("violations[0].value", equalTo("-4"))
                .body("violations[0].rule", equalTo("must not be negative"));
    }

    @Test
    void qt_10_a_limit_is_the_request_where_there_is_none() {
        queue("qt10", "4");

        submit(job("qt10", "cpu: 3").replace("requests:", "limits:"))
                .statusCode(201)
                .body("charge.cpu", equalTo("3"));
    }

    @Test
    void qt_02_a_derived_resource_is_multiplied_before_it_is_rounded() {
        put("/cluster-queues/qt02", """
                {"quotas": [{"resource": "cpu", "nominal": "4"}, {"resource": "example.com/credits", "nominal": "300"}]}""").statusCode(201);
        put("/local-queues/qt02/qt02", "{\"clusterQueue\": \"qt02\"}").statusCode(201);

        submit(job("qt02", "{cpu: 1, example.com/metered: 3}"))
                .statusCode(201)
                .body("charge.'example.com/credits'", equalTo("300"), "charge.cpu", equalTo("1"));
    }

    @Test
    void qt_08_a_product_beyond_the_range_of_long_saturates() {
        queue("qt08", "4");

        submit(job("qt08", "{cpu: 1, example.com/metered: 9223372036854775807}"))
                .statusCode(201)
                .body("charge.'example.com/credits'", equalTo("9223372036854775807"));
    }

    @Test
    void wh_11_an_invalid_label_of_the_pod_template_is_refused_at_submission() {
        queue("wh11", "4");

        submit(job("wh11", "cpu: 1").replace("  template:", "  template:\n    metadata: {labels: {app: 'not valid!'}}"))
                .statusCode(422)
                .body("violations[0].field", equalTo("spec.template.metadata.labels.app"))
                .body("violations[0].value", equalTo("not valid!"))
                .body("violations[0].rule", startsWith("must be a label value"));
    }

    @Test
    void a_limit_below_its_request_is_refused() {
        queue("below", "4");

        submit(job("below", "cpu: 2")
                        .replace("{requests: cpu: 2}", "")
                        .replace(
                                "resources: {requests: {cpu: 2}}", "resources: {requests: {cpu: 2}, limits: {cpu: 1}}"))
                .statusCode(422)
                .body("violations[0].field", equalTo("spec.template.spec.containers[0].resources.limits.cpu"));
    }

    @Test
    void a_job_without_the_queue_label_is_refused() {
        queue("unlabelled", "4");

        submit(job("unlabelled", "cpu: 1").replace("kueue.x-k8s.io/queue-name", "app"))
                .statusCode(422)
                .body("violations[0].field", equalTo("metadata.labels.sluice.dev/queue-name"));
    }

    @Test
    void other_kinds_and_claims_are_refused_by_name() {
        submit("apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: r}\n")
                .statusCode(422)
                .body("type", equalTo("https://sluice.dev/problems/unsupported-kind"))
                .body("violations[0].value", equalTo("ray.io/v1/RayJob"));
        queue("claims", "4");
        submit(job("claims", "cpu: 1") + "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\n")
                .statusCode(422)
                .body("type", equalTo("https://sluice.dev/problems/unsupported-kind"));
        submit(job("claims", "cpu: 1")
                        .replace(
                                "      containers:",
                                "      resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]\n      containers:"))
                .statusCode(422)
                .body("type", equalTo("https://sluice.dev/problems/unsupported-field"))
                .body("violations[0].field", equalTo("spec.template.spec.resourceClaims"));
    }

    @Test
    void an_extended_resource_and_a_device_request_draw_from_one_line() {
        put("/device-classes/one-line.example.com", "{\"extendedResourceName\": \"one-line.example.com/gpu\"}")
                .statusCode(201);
        put("/cluster-queues/one-line", """
                {"quotas": [{"deviceClass": "one-line.example.com", "nominal": "4"}]}""").statusCode(201);
        put("/local-queues/one-line/one-line", "{\"clusterQueue\": \"one-line\"}")
                .statusCode(201);

        submit(job("one-line", "{one-line.example.com/gpu: 2}"))
                .statusCode(201)
                .body("charge.'deviceclass/one-line.example.com'", equalTo("2"));
        RestStory.post("/workloads", """
                {"name": "native", "namespace": "one-line", "queue": "one-line",
                 "podSets": [{"count": 2, "deviceRequests": [{"deviceClass": "one-line.example.com", "count": 2}]}]}""")
                .statusCode(201)
                .body("charge.'deviceclass/one-line.example.com'", equalTo("4"));
        put("/cluster-queues/two-lines", """
                {"quotas": [{"resource": "one-line.example.com/gpu", "nominal": "4"}]}""")
                .statusCode(422)
                .body("violations[0].nearest", hasItem("deviceclass/one-line.example.com"))
                .body("violations[0].field", equalTo("quotas[0].resource"));
    }

    @Test
    void wrong_types_in_a_manifest_are_named_by_path() {
        queue("types", "4");

        submit(job("types", "cpu: 1").replace("spec:\n  template", "spec:\n  parallelism: many\n  template"))
                .statusCode(422)
                .body("violations[0].field", equalTo("spec.parallelism"));
        submit("apiVersion: batch/v1\nkind: Job\nmetadata: 7\n")
                .statusCode(422)
                .body("violations[0].field", equalTo("metadata"));
        submit("apiVersion: batch/v1\nkind: Job\nspec: {template: {spec: {containers: {}}}}\n")
                .statusCode(422)
                .body("violations.field", hasItem(containsString("containers")));
    }

    private static ValidatableResponse submit(String manifest) {
        return yaml(manifest).post(BASE + "/workloads").then();
    }

    private static String job(String queue, String requests) {
        String map = requests.startsWith("{") ? requests : "{" + requests + "}";
        return """
                apiVersion: batch/v1
                kind: Job
                metadata:
                  name: w
                  namespace: %s
                  labels: {kueue.x-k8s.io/queue-name: %s}
                spec:
                  template:
                    spec:
                      containers:
                      - name: main
                        resources: {requests: %s}
                """.formatted(queue, queue, map);
    }
}
