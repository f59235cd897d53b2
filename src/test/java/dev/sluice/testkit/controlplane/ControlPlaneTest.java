package dev.sluice.testkit.controlplane;

import static dev.sluice.testkit.controlplane.FakeDevices.devicesOf;
import static dev.sluice.testkit.controlplane.FakeNode.aNode;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodResourceClaim;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.List;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the control plane kit promises, and what of Kubernetes the product stands on. */
@Tag("cluster")
class ControlPlaneTest {
    private static final String GPU = "nvidia.com/gpu";

    private static ControlPlane plane;
    private static FakeKubelet kubelet;

    @BeforeAll
    static void start() {
        plane = ControlPlane.start();
        aNode("gpu-1").with(GPU, "8").labelled("pool", "a").addTo(plane.client());
        kubelet = new FakeKubelet(plane.client());
    }

    @AfterAll
    static void stop() {
        kubelet.close();
        plane.close();
    }

    @Test
    void a_suspended_job_makes_no_pods_and_a_released_one_is_bound_and_runs_to_its_end() {
        Job job = create(aJob("patient").suspended().asks(GPU, "2").runsFor(Duration.ofMillis(300)));
        soon().untilAsserted(() -> assertThat(job("patient").getStatus().getConditions())
                .anySatisfy(condition -> assertThat(condition.getType()).isEqualTo("Suspended")));
        assertThat(pods(job)).isEmpty();

        patch("patient", "[{\"op\": \"replace\", \"path\": \"/spec/suspend\", \"value\": false}]");

        soon().untilAsserted(() -> assertThat(pods(job))
                .singleElement()
                .satisfies(pod -> assertThat(pod.getSpec().getNodeName()).isEqualTo("gpu-1")));
        soon().untilAsserted(() -> assertThat(job("patient").getStatus().getConditions())
                .anySatisfy(condition -> assertThat(condition.getType()).isEqualTo("Complete")));
    }

    @Test
    void a_pod_that_fails_fails_its_job() {
        create(aJob("broken").asks(GPU, "1").runsFor(Duration.ofMillis(100)).fails());

        soon().untilAsserted(() -> assertThat(job("broken").getStatus().getConditions())
                .anySatisfy(condition -> assertThat(condition.getType()).isEqualTo("Failed")));
    }

    @Test
    void a_pod_can_be_held_in_termination_and_holds_its_devices_meanwhile() {
        Job job = create(aJob("clinging").asks(GPU, "1"));
        soon().until(() -> pods(job).stream()
                .anyMatch(pod -> "Running".equals(pod.getStatus().getPhase())));
        kubelet.holdTerminations();

        patch("clinging", "[{\"op\": \"replace\", \"path\": \"/spec/suspend\", \"value\": true}]");

        soon().untilAsserted(() ->
                assertThat(job("clinging").getStatus().getTerminating()).isEqualTo(1));
        assertThat(pods(job)).hasSize(1);
        kubelet.letGo();
        soon().untilAsserted(() -> assertThat(pods(job)).isEmpty());
    }

    @Test
    void a_patch_whose_test_does_not_match_changes_nothing_and_a_missing_annotation_can_be_tested_for() {
        create(aJob("guarded").suspended());
        String release = "{\"op\": \"replace\", \"path\": \"/spec/suspend\", \"value\": false}";

        assertThatThrownBy(() -> patch(
                        "guarded",
                        "[{\"op\": \"test\", \"path\": \"/metadata/annotations/sluice.dev~1fence\", \"value\": \"1\"},"
                                + release + "]"))
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        refused -> assertThat(refused.getCode()).isEqualTo(422));
        assertThat(job("guarded").getSpec().getSuspend()).isTrue();

        patch("guarded", "[{\"op\": \"test\", \"path\": \"/metadata/annotations\", \"value\": null}]");
        patch("guarded", "[{\"op\": \"add\", \"path\": \"/metadata/annotations\", \"value\": {\"other\": \"x\"}}]");
        patch(
                "guarded",
                "[{\"op\": \"test\", \"path\": \"/metadata/annotations/sluice.dev~1fence\", \"value\": null}]");
        assertThatThrownBy(() -> patch(
                        "guarded", "[{\"op\": \"test\", \"path\": \"/metadata/annotations/other\", \"value\": null}]"))
                .isInstanceOf(KubernetesClientException.class);
    }

    @Test
    void the_audit_log_tells_who_wrote_what_failures_included() {
        try (KubernetesClient sluice = plane.clientOf(ControlPlane.SLUICE)) {
            Job written = aJob("audited").suspended().build();
            sluice.resource(written).create();
            assertThatThrownBy(() -> sluice.resource(written).create()).isInstanceOf(KubernetesClientException.class);
        }

        assertThat(plane.audit().writes(ControlPlane.SLUICE, "jobs"))
                .filteredOn(request ->
                        request.name().equals("audited") || request.name().isEmpty())
                .extracting(AuditLog.Request::verb, AuditLog.Request::status)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("create", 201),
                        org.assertj.core.groups.Tuple.tuple("create", 409));
    }

    @Test
    void a_paused_component_does_nothing_until_it_is_resumed_and_a_stopped_one_comes_back_with_its_data() {
        plane.pause(Component.CONTROLLER_MANAGER);
        Job job = create(aJob("overlooked").asks(GPU, "1"));
        Config impatient =
                Config.fromKubeconfig(plane.kubeconfig(ControlPlane.TESTER).toFile());
        assertThat(job("overlooked").getStatus().getActive()).isNull();
        plane.resume(Component.CONTROLLER_MANAGER);
        soon().untilAsserted(() -> assertThat(pods(job)).hasSize(1));

        plane.stop(Component.API_SERVER);
        impatient.setRequestRetryBackoffLimit(0);
        try (KubernetesClient client =
                new KubernetesClientBuilder().withConfig(impatient).build()) {
            assertThatThrownBy(() -> client.raw("/readyz")).isInstanceOf(KubernetesClientException.class);
        }
        plane.restart(Component.API_SERVER);
        assertThat(job("overlooked").getMetadata().getUid())
                .isEqualTo(job.getMetadata().getUid());
    }

    @Test
    void the_scheduler_allocates_devices_of_a_complete_pool_to_a_claim_and_none_of_an_incomplete_one() {
        String driver = "gpu.example.com";
        FakeDevices.createClass(
                plane.client(),
                "large",
                driver,
                "device.capacity[\"" + driver + "\"].memory.isGreaterThan(quantity(\"40Gi\"))");
        FakeDevices.createClaimTemplate(plane.client(), "default", "two-large", "large", 2);
        aNode("dra-incomplete").addTo(plane.client());
        aNode("dra-complete").addTo(plane.client());
        devicesOf(driver, "dra-incomplete")
                .with(2, "model: {string: a100}", "memory: {value: 80Gi}")
                .inSlices(2)
                .addTo(plane.client());
        devicesOf(driver, "dra-complete")
                .with(1, "model: {string: t4}", "memory: {value: 16Gi}")
                .with(2, "model: {string: a100}", "memory: {value: 80Gi}")
                .addTo(plane.client());
        Job claiming = aJob("claiming").build();
        claiming.getSpec()
                .getTemplate()
                .getSpec()
                .setResourceClaims(List.of(new PodResourceClaim("devices", null, "two-large")));

        Job job = plane.client().resource(claiming).create();

        soon().untilAsserted(() -> assertThat(pods(job))
                .singleElement()
                .satisfies(pod -> assertThat(pod.getSpec().getNodeName()).isEqualTo("dra-complete")));
        assertThat(plane.client()
                        .resources(ResourceClaim.class)
                        .inNamespace("default")
                        .list()
                        .getItems())
                .singleElement()
                .satisfies(claim -> assertThat(
                                claim.getStatus().getAllocation().getDevices().getResults())
                        .extracting(DeviceRequestAllocationResult::getDevice)
                        .containsExactlyInAnyOrder("device-1", "device-2"));
    }

    private static Job create(TestJob job) {
        return plane.client().resource(job.build()).create();
    }

    private static Job job(String name) {
        return plane.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace("default")
                .withName(name)
                .get();
    }

    private static void patch(String name, String operations) {
        plane.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace("default")
                .withName(name)
                .patch(PatchContext.of(PatchType.JSON), operations);
    }

    private static List<Pod> pods(Job job) {
        return plane.client()
                .pods()
                .inNamespace("default")
                .withLabel(
                        "batch.kubernetes.io/controller-uid", job.getMetadata().getUid())
                .list()
                .getItems();
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }
}
