package dev.sluice.kubernetes;

import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.StartRetries;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.persistence.PostgresWorkloadReader;
import dev.sluice.testkit.controlplane.ApiServerProxy;
import dev.sluice.testkit.controlplane.Component;
import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.workload.WorkloadState;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Jobs whose pods do not get ready: all of them leave, wait longer each time, and are given up with the reason. */
class StartsOnKubernetesTest extends KubernetesStory {
    private static final Duration READY_TIMEOUT = Duration.ofSeconds(4);
    private static final Duration FIRST_WAIT = Duration.ofSeconds(2);

    @Override
    AdmissionSettings settings() {
        return AdmissionSettings.defaults()
                .with(new StartRetries(READY_TIMEOUT, true, 0, FIRST_WAIT, Duration.ofSeconds(4), 2, true));
    }

    @Test
    void lc_22_pods_on_a_node_that_never_tells_of_them_leave_all_together_are_tried_again_and_are_given_up() {
        kubelet.holdStarts();
        Job job = create(aJob("stuck").asks(GPU, "2").pods(2));
        awaitState(job, WorkloadState.ADMITTED);
        soon().untilAsserted(() -> assertThat(pods("stuck")).hasSize(2).allSatisfy(pod -> {
            assertThat(pod.getSpec().getNodeName()).as("the scheduler bound it").isNotNull();
            assertThat(pod.getStatus().getContainerStatuses()).isEmpty();
        }));

        awaitState(job, WorkloadState.PENDING);
        assertThat(pods("stuck")).as("none is left when its quota is").isEmpty();
        assertThat(used(QUEUE)).isZero();
        assertThat(status(job).particulars().failedStarts()).isEqualTo(1);
        assertThat(status(job).particulars().failedStart()).isEqualTo("its pods were not ready within PT4S");
        assertThat(status(job).requeueAt()).isNotNull();

        awaitState(job, WorkloadState.ADMITTED);
        awaitState(job, WorkloadState.INACTIVE);
        assertThat(status(job).particulars().failedStarts()).isEqualTo(2);
        assertThat(suspended("stuck")).isTrue();
        assertThat(pods("stuck")).isEmpty();
        assertThat(used(QUEUE)).isZero();

        kubelet.letGo();
        assertThat(service.commands().changeActivation(id(job), true, "tester")).isNotNull();
        awaitState(job, WorkloadState.RUNNING);
    }

    @Test
    void lc_23_pods_that_get_ready_while_the_job_controller_does_not_count_them_are_not_stopped() {
        kubelet.holdStarts();
        Job job = create(aJob("counted-late").asks(GPU, "2").pods(2));
        awaitState(job, WorkloadState.ADMITTED);
        soon().until(() -> pods("counted-late").size() == 2);
        plane.pause(Component.CONTROLLER_MANAGER);
        try {
            kubelet.letGo();

            awaitState(job, WorkloadState.RUNNING);
        } finally {
            plane.resume(Component.CONTROLLER_MANAGER);
        }
        assertThat(status(job).evictionCount()).isZero();
        assertThat(pods("counted-late"))
                .hasSize(2)
                .allSatisfy(pod ->
                        assertThat(pod.getMetadata().getDeletionTimestamp()).isNull());
    }

    @Test
    void lc_23_pods_that_get_ready_before_a_late_judgement_reaches_the_api_server_are_not_stopped() {
        service.close();
        cluster.close();
        try (ApiServerProxy proxy = plane.proxy()) {
            lead(new KubernetesClusterForTests(plane.kubeconfig(ControlPlane.SLUICE, proxy), Duration.ofSeconds(30)));
            kubelet.holdStarts();
            Job job = create(aJob("judged").asks(GPU, "1"));
            awaitState(job, WorkloadState.ADMITTED);
            soon().until(() -> pods("judged").size() == 1);
            proxy.hold();
            soon().until(proxy::keepsSomething);
            kubelet.letGo();
            soon().until(() ->
                    "Running".equals(pods("judged").getFirst().getStatus().getPhase()));
            proxy.letGo();

            awaitState(job, WorkloadState.RUNNING);
            assertThat(status(job).evictionCount()).isZero();
            assertThat(writes("judged")).as("its release").hasSize(1);
        }
    }

    @Test
    void pods_too_short_to_be_ready_all_at_once_count_when_they_came_as_far_as_their_end() {
        Job job =
                create(aJob("short-pods").asks(GPU, "1").pods(3).completions(24).runsFor(Duration.ofMillis(500)));

        soon().until(() -> state(job) != WorkloadState.PENDING && state(job) != WorkloadState.ADMITTED);
        awaitState(job, WorkloadState.SUCCEEDED);
        assertThat(status(job).evictionCount()).isZero();
    }

    @Test
    void one_pod_that_fits_on_no_node_takes_the_others_of_its_group_along() {
        // Somebody else's pod takes what the second one needs.
        Job squatter = plane.client()
                .resource(aJob("squatter").asks("cpu", "70").build())
                .create();
        soon().untilAsserted(() -> assertThat(pods("squatter"))
                .anySatisfy(pod -> assertThat(pod.getStatus().getPhase()).isEqualTo("Running")));
        Job job = create(aJob("halved").asks("cpu", "50").asks(GPU, "1").pods(2));
        awaitState(job, WorkloadState.ADMITTED);
        soon().untilAsserted(() -> assertThat(pods("halved"))
                .filteredOn(pod -> "Running".equals(pod.getStatus().getPhase()))
                .hasSize(1));

        awaitState(job, WorkloadState.PENDING);

        assertThat(pods("halved")).isEmpty();
        assertThat(used(QUEUE)).isZero();
        plane.client().resource(squatter).delete();
    }

    @Test
    void once_its_pods_were_ready_a_job_has_all_its_tries_again() {
        kubelet.holdStarts();
        Job job = create(aJob("late").asks(GPU, "1"));
        soon().until(() -> status(job).particulars().failedStarts() == 1);

        kubelet.letGo();

        awaitState(job, WorkloadState.RUNNING);
        assertThat(status(job).particulars().failedStarts()).isZero();
        assertThat(status(job).particulars().failedStart()).isNull();
    }

    @Test
    void pods_that_the_cluster_does_not_let_be_created_hold_quota_no_longer_than_those_that_are_not_ready() {
        plane.client()
                .resource(new ResourceQuotaBuilder()
                        .withNewMetadata()
                        .withName("no-pods")
                        .withNamespace("default")
                        .endMetadata()
                        .withNewSpec()
                        .addToHard("pods", new Quantity("0"))
                        .endSpec()
                        .build())
                .create();
        try {
            soon().until(() -> plane.client()
                            .resourceQuotas()
                            .inNamespace("default")
                            .withName("no-pods")
                            .get()
                            .getStatus()
                    != null);
            Job job = create(aJob("banned").asks(GPU, "4"));
            awaitState(job, WorkloadState.ADMITTED);
            awaitState(job, WorkloadState.PENDING);
            assertThat(used(QUEUE)).isZero();
        } finally {
            plane.client()
                    .resourceQuotas()
                    .inNamespace("default")
                    .withName("no-pods")
                    .delete();
        }
    }

    @Test
    void a_release_that_the_api_server_refuses_is_a_failed_start_with_its_words() {
        plane.client().resource("""
                apiVersion: admissionregistration.k8s.io/v1
                kind: ValidatingAdmissionPolicy
                metadata: {name: no-starts}
                spec:
                  failurePolicy: Fail
                  matchConstraints:
                    resourceRules:
                    - {apiGroups: ["batch"], apiVersions: ["v1"], operations: ["UPDATE"], resources: ["jobs"]}
                  validations:
                  - {expression: "object.spec.suspend || object.metadata.name != 'refused'", message: "not this week"}
                """).create();
        plane.client().resource("""
                apiVersion: admissionregistration.k8s.io/v1
                kind: ValidatingAdmissionPolicyBinding
                metadata: {name: no-starts}
                spec: {policyName: no-starts, validationActions: [Deny]}
                """).create();
        try {
            Job probe =
                    plane.client().resource(aJob("refused").suspended().build()).create();
            soon().until(() -> isHeldByThePolicy(probe));
            plane.client().resource(probe).delete();

            Job job = create(aJob("refused").asks(GPU, "4"));

            soon().until(() -> status(job).particulars().failedStarts() > 0);
            assertThat(status(job).particulars().failedStart()).contains("not this week");
            awaitState(job, WorkloadState.INACTIVE);
            assertThat(used(QUEUE)).isZero();
            assertThat(pods("refused")).isEmpty();
        } finally {
            var policies = plane.client().admissionRegistration().v1();
            policies.validatingAdmissionPolicyBindings().withName("no-starts").delete();
            policies.validatingAdmissionPolicies().withName("no-starts").delete();
        }
    }

    private static boolean isHeldByThePolicy(Job probe) {
        try {
            plane.client()
                    .resource(probe)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": {\"suspend\": false}}");
            plane.client()
                    .resource(probe)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": {\"suspend\": true}}");
            return false;
        } catch (KubernetesClientException refused) {
            return String.valueOf(refused.getMessage()).contains("not this week");
        }
    }

    private WorkloadStatus status(Job job) {
        await().until(() -> state(job) != null);
        return new PostgresWorkloadReader(database).find(id(job)).orElseThrow().status();
    }
}
