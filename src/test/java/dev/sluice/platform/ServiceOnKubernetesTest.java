package dev.sluice.platform;

import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.controlplane.ControlPlaneTestResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.quarkus.test.common.TestResourceScope;
import io.quarkus.test.common.WithTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.awaitility.core.ConditionFactory;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.hamcrest.Matchers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The whole service on a real control plane: asked over REST and by Jobs, it runs both. */
@QuarkusTest
@WithTestResource(value = ControlPlaneTestResource.class, scope = TestResourceScope.RESTRICTED_TO_CLASS)
@Tag("cluster")
class ServiceOnKubernetesTest {
    private static final String API = "/api/v1";
    private static final String TEAM = "vision";

    @ConfigProperty(name = ControlPlaneTestResource.KUBECONFIG, defaultValue = "none")
    String kubeconfig = "";

    private KubernetesClient client;

    @BeforeEach
    void configure() {
        client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(new File(kubeconfig)))
                .build();
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(TEAM)
                        .endMetadata()
                        .build())
                .serverSideApply();
        put("/cluster-queues/" + TEAM, """
                {"quotas": [{"resource": "nvidia.com/gpu", "nominal": "4"}, {"resource": "cpu", "nominal": "64"}]}""");
        put("/local-queues/" + TEAM + "/" + TEAM, "{\"clusterQueue\": \"" + TEAM + "\"}");
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    @Test
    void an_unmodified_manifest_becomes_a_job_that_runs_to_its_end() {
        String id = submit("""
                apiVersion: batch/v1
                kind: Job
                metadata:
                  name: train
                  namespace: vision
                  labels: {kueue.x-k8s.io/queue-name: vision}
                spec:
                  parallelism: 2
                  completions: 2
                  template:
                    metadata:
                      annotations: {kubelet.test/run-for: PT0.2S}
                    spec:
                      restartPolicy: Never
                      containers:
                      - name: main
                        image: example.com/train
                        resources:
                          requests: {cpu: 1500m, nvidia.com/gpu: "2"}
                          limits: {nvidia.com/gpu: "2"}
                """);

        soon().untilAsserted(() -> assertThat(workload(id).getString("state")).isEqualTo("SUCCEEDED"));
        Job job = client.batch().v1().jobs().inNamespace(TEAM).withName("train").get();
        assertThat(job.getMetadata().getAnnotations()).containsEntry("sluice.dev/workload-id", id);
    }

    @Test
    void a_job_that_names_a_queue_is_a_workload_and_waits_its_turn_like_any_other() {
        Job first = client.resource(gpuJob("first", "4")).create();
        soon().untilAsserted(
                        () -> assertThat(workload(first.getMetadata().getUid()).getString("state"))
                                .isEqualTo("RUNNING"));
        Job second = client.resource(gpuJob("second", "2")).create();

        soon().untilAsserted(
                        () -> assertThat(workload(second.getMetadata().getUid()).getString("waiting.reason"))
                                .isEqualTo("QUOTA_EXHAUSTED"));
        assertThat(state("second")).isTrue();
        client.resource(first).delete();

        soon().untilAsserted(
                        () -> assertThat(workload(first.getMetadata().getUid()).getString("state"))
                                .isEqualTo("CANCELLED"));
        soon().untilAsserted(
                        () -> assertThat(workload(second.getMetadata().getUid()).getString("state"))
                                .isEqualTo("RUNNING"));
        client.resource(second).delete();
    }

    @Test
    void what_the_api_server_will_not_take_is_refused_with_its_reason_and_leaves_nothing_behind() {
        given().contentType("application/yaml")
                .body("""
                        apiVersion: batch/v1
                        kind: Job
                        metadata:
                          name: odd
                          namespace: vision
                          labels: {kueue.x-k8s.io/queue-name: vision}
                        spec:
                          template:
                            spec:
                              restartPolicy: Sometimes
                              containers:
                              - name: main
                                image: example.com/train
                        """.getBytes(StandardCharsets.UTF_8))
                .post(API + "/workloads")
                .then()
                .statusCode(422)
                .contentType("application/problem+json")
                .body("type", Matchers.endsWith("/refused-by-cluster"))
                .body("detail", Matchers.containsString("restartPolicy"));

        assertThat(client.batch().v1().jobs().inNamespace(TEAM).withName("odd").get())
                .isNull();
        given().get(API + "/workloads?name=odd").then().statusCode(200).body("items", Matchers.empty());
    }

    private Boolean state(String job) {
        return client.batch()
                .v1()
                .jobs()
                .inNamespace(TEAM)
                .withName(job)
                .get()
                .getSpec()
                .getSuspend();
    }

    private static Job gpuJob(String name, String gpus) {
        return aJob(name)
                .in(TEAM)
                .queue(TEAM)
                .asks("nvidia.com/gpu", gpus)
                .suspended()
                .build();
    }

    private static String submit(String manifest) {
        return given().contentType("application/yaml")
                .body(manifest.getBytes(StandardCharsets.UTF_8))
                .post(API + "/workloads")
                .then()
                .statusCode(201)
                .extract()
                .jsonPath()
                .getString("id");
    }

    private static void put(String path, String body) {
        given().contentType(ContentType.JSON).body(body).put(API + path).then().statusCode(Matchers.lessThan(300));
    }

    private static JsonPath workload(String id) {
        return given().get(API + "/workloads/" + id)
                .then()
                .statusCode(200)
                .extract()
                .jsonPath();
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60));
    }
}
