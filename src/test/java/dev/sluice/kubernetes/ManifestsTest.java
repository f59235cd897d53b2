package dev.sluice.kubernetes;

import static dev.sluice.testkit.controlplane.FakeNode.aNode;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.admission.Decision;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.Observation;
import dev.sluice.scheduling.Placement;
import dev.sluice.scheduling.Placement.PodSetPlacement;
import dev.sluice.testkit.InMemoryReads;
import dev.sluice.testkit.InMemoryStore;
import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.testkit.controlplane.FakeKubelet;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FieldValidateable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The manifests in {@code k8s/}, applied to a real API server: it takes them, and their rights are enough and no more than enough. */
@Tag("cluster")
class ManifestsTest {
    private static final String NAMESPACE = "sluice";
    private static final String GPU = "nvidia.com/gpu";

    private static ControlPlane plane;
    private static FakeKubelet kubelet;

    @BeforeAll
    static void apply() throws IOException {
        plane = ControlPlane.start();
        aNode("gpu-1").with(GPU, "8").addTo(plane.client());
        kubelet = new FakeKubelet(plane.client());
        for (String file : List.of("namespace", "rbac", "config", "postgres", "sluice", "webhooks", "network-policy")) {
            try (InputStream manifest = Files.newInputStream(Path.of("k8s", file + ".yaml"))) {
                for (HasMetadata object : plane.client().load(manifest).items()) {
                    if (object instanceof io.fabric8.kubernetes.api.model.Namespaced) {
                        object.getMetadata().setNamespace(NAMESPACE);
                    }
                    plane.client()
                            .resource(object)
                            .fieldValidation(FieldValidateable.Validation.STRICT)
                            .create();
                }
            }
        }
    }

    @AfterAll
    static void stop() {
        kubelet.close();
        plane.close();
    }

    @Test
    void the_api_server_takes_every_manifest_and_finds_two_replicas_a_budget_and_a_policy() {
        assertThat(plane.client()
                        .apps()
                        .deployments()
                        .inNamespace(NAMESPACE)
                        .withName("sluice")
                        .get()
                        .getSpec()
                        .getReplicas())
                .isEqualTo(2);
        assertThat(plane.client()
                        .policy()
                        .v1()
                        .podDisruptionBudget()
                        .inNamespace(NAMESPACE)
                        .list()
                        .getItems())
                .hasSize(1);
        assertThat(plane.client()
                        .network()
                        .v1()
                        .networkPolicies()
                        .inNamespace(NAMESPACE)
                        .list()
                        .getItems())
                .isNotEmpty();
    }

    @Test
    void its_rights_are_enough_to_run_and_stop_a_job() {
        List<Observation> seen = new CopyOnWriteArrayList<>();
        Workload workload = new Workload(
                new WorkloadId("w-1"),
                1,
                "train",
                "default",
                "main",
                null,
                0,
                List.of(PodSet.of("main", 1, Map.of(GPU, 1L))),
                Instant.EPOCH,
                null,
                null);
        Placement placement = new Placement(List.of(new PodSetPlacement("main", 1, new TreeMap<>(), List.of())));
        try (KubernetesCluster cluster = new KubernetesClusterForTests(
                        plane.kubeconfig(ControlPlane.SERVICE_ACCOUNT), Duration.ofSeconds(5))
                .started()) {
            cluster.observe(seen::add);
            cluster.giveNotice(() -> Configuration.EMPTY, new InMemoryReads(new InMemoryStore(InstantSource.system())));
            cluster.expect(List.of());
            assertThat(cluster.capacity().nodes()).hasSize(1);
            cluster.create(
                    workload,
                    plane.client()
                            .getKubernetesSerialization()
                            .asJson(aJob("train").queue("main").asks(GPU, "1").build()),
                    1);
            cluster.release(workload, new Assignment("queue", List.of(), false), placement, 1);
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(seen).contains(new Observation.Ready(workload.id(), 1)));
            assertThat(cluster.jobs()).hasSize(1);
            assertThat(cluster.podRules().limitRanges("default")).isEmpty();
            assertThat(cluster.podRules().overhead("none")).isEmpty();
            cluster.committed(admitting(workload));
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(plane.client()
                                    .batch()
                                    .v1()
                                    .jobs()
                                    .inNamespace("default")
                                    .withName("train")
                                    .get()
                                    .getStatus()
                                    .getConditions())
                            .extracting(JobCondition::getType)
                            .contains(JobLabels.ADMITTED));
            assertThat(plane.client()
                            .v1()
                            .events()
                            .inNamespace("default")
                            .list()
                            .getItems())
                    .extracting(Event::getReason)
                    .contains("Admitted");

            cluster.stop(workload.id(), 2);

            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(seen).contains(new Observation.Gone(workload.id(), 2)));
        }
        assertThat(plane.audit().requests())
                .filteredOn(request -> request.user().equals(ControlPlane.SERVICE_ACCOUNT))
                .isNotEmpty()
                .allSatisfy(request -> assertThat(request.status()).isNotEqualTo(403));
    }

    private static Batch admitting(Workload workload) {
        WorkloadStatus status = new WorkloadStatus(
                WorkloadState.ADMITTED,
                "main",
                "queue",
                null,
                0,
                true,
                Instant.EPOCH,
                null,
                null,
                1,
                true,
                List.of(),
                null,
                0,
                null,
                null);
        return new Batch(
                1,
                Instant.EPOCH,
                1,
                List.of(new Batch.Entry.Decided(
                        1, new Decision.Admit(workload.id(), new Assignment("queue", List.of(), false), 1))),
                List.of(new Batch.WorkloadChange(
                        workload.id(), List.of(WorkloadState.ADMITTED), status, 1, null, null, null, null)),
                List.of(),
                List.of());
    }

    @Test
    void it_may_do_nothing_beyond() {
        plane.client().resource(aJob("others").suspended().build()).create();
        try (KubernetesClient service = plane.clientOf(ControlPlane.SERVICE_ACCOUNT)) {
            assertForbidden(() -> service.batch()
                    .v1()
                    .jobs()
                    .inNamespace("default")
                    .withName("others")
                    .delete());
            assertForbidden(
                    () -> service.pods().inNamespace("default").withName("any").get());
            assertForbidden(() -> service.resource(new PodBuilder()
                            .withNewMetadata()
                            .withName("own")
                            .withNamespace("default")
                            .endMetadata()
                            .build())
                    .create());
            assertForbidden(() -> service.v1().events().inNamespace("default").list());
            assertForbidden(() ->
                    service.v1().events().inNamespace("default").withName("any").delete());
            assertForbidden(() -> service.raw("/apis/batch/v1/namespaces/default/jobs/others/status"));
            assertForbidden(() -> service.secrets().inNamespace(NAMESPACE).list());
            assertForbidden(() -> service.secrets()
                    .inNamespace(NAMESPACE)
                    .withName("sluice-secrets")
                    .get());
            assertForbidden(() -> service.resource(secret("default", "own")).create());
            assertForbidden(() -> service.admissionRegistration()
                    .v1()
                    .mutatingWebhookConfigurations()
                    .withName("others")
                    .get());
            assertForbidden(() -> service.nodes().withName("gpu-1").delete());
            assertForbidden(() ->
                    service.limitRanges().inNamespace("default").withName("any").get());
            assertForbidden(() -> service.limitRanges().inNamespace("default").delete());
            assertForbidden(
                    () -> service.resources(RuntimeClass.class).withName("any").get());
            assertForbidden(() -> service.namespaces().withName("default").get());
            assertForbidden(() -> service.namespaces().withName("default").delete());
            assertForbidden(() -> service.rbac().clusterRoles().list());
        }
    }

    @Test
    void its_rights_are_enough_to_keep_the_certificate_of_its_webhooks() {
        try (KubernetesClient service = plane.clientOf(ControlPlane.SERVICE_ACCOUNT)) {
            service.resource(secret(NAMESPACE, "sluice-webhook-certificate")).create();
            service.resource(service.secrets()
                            .inNamespace(NAMESPACE)
                            .withName("sluice-webhook-certificate")
                            .get())
                    .update();
            var registered = service.admissionRegistration().v1();
            service.resource(registered
                            .mutatingWebhookConfigurations()
                            .withName("sluice")
                            .get())
                    .update();
            service.resource(registered
                            .validatingWebhookConfigurations()
                            .withName("sluice")
                            .get())
                    .update();
        }
    }

    private static Secret secret(String namespace, String name) {
        return new SecretBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .endMetadata()
                .build();
    }

    private static void assertForbidden(ThrowingCallable request) {
        assertThatThrownBy(request)
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        refused -> assertThat(refused.getCode()).isEqualTo(403));
    }
}
