package dev.sluice.kubernetes;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.LocalService;
import dev.sluice.testkit.controlplane.AuditLog.Request;
import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.workload.WorkloadState;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What who knows nothing but kubectl sees of Sluice, and what that costs the API server. */
class KubectlUsersTest extends KubernetesStory {
    @AfterEach
    void forgetEvents() {
        plane.client().v1().events().inNamespace("default").delete();
    }

    @Test
    void an_admission_is_told_by_one_event_and_one_condition_beside_the_one_write_of_the_release() {
        Job job = create(aJob("train").asks(GPU, "4"));
        awaitState(job, WorkloadState.RUNNING);

        awaitCondition("train", "True", "Admitted");
        assertThat(condition("train").getMessage()).isEqualTo("Queue lab admitted it with 4 GPUs of flavor default.");
        assertThat(events("train")).singleElement().satisfies(event -> {
            assertThat(event.getReason()).isEqualTo("Admitted");
            assertThat(event.getType()).isEqualTo("Normal");
            assertThat(event.getMessage()).contains("Queue lab");
            assertThat(event.getInvolvedObject().getUid())
                    .isEqualTo(job.getMetadata().getUid());
        });
        assertThat(writes("train")).as("the release").hasSize(1);
        assertThat(statusWrites("train")).as("the condition").hasSize(1);
        assertThat(eventWrites("train")).isEqualTo(1);
    }

    @Test
    void an_eviction_names_who_takes_the_place_and_by_which_right_beside_the_two_writes_of_the_stop() {
        service.configure(aCluster()
                .queue(QUEUE, queue -> queue.gpus(4).preemptsLower())
                .priorityClass("urgent", 1000)
                .build());
        Job victim = create(aJob("victim").asks(GPU, "4"));
        awaitState(victim, WorkloadState.RUNNING);
        awaitCondition("victim", "True", "Admitted");
        Job urgent = create(aJob("urgent").asks(GPU, "4").priorityClass("urgent"));

        awaitState(urgent, WorkloadState.RUNNING);
        awaitCondition("victim", "False", "Preempted");
        assertThat(condition("victim").getMessage())
                .isEqualTo("default/urgent of queue lab takes its place, for a higher priority in its own queue."
                        + " It waits for another.");
        assertThat(events("victim")).extracting(Event::getReason).containsExactlyInAnyOrder("Admitted", "Preempted");
        assertThat(events("victim"))
                .filteredOn(event -> event.getReason().equals("Preempted"))
                .allSatisfy(event -> assertThat(event.getType()).isEqualTo("Warning"));
        assertThat(writes("victim")).as("a release and a stop").hasSize(1 + 2);
        assertThat(statusWrites("victim")).hasSize(2);
        assertThat(eventWrites("victim")).isEqualTo(2);
    }

    @Test
    void what_a_leader_did_not_get_to_say_is_said_by_the_next_and_what_it_said_is_not_said_again() {
        service.configure(aCluster()
                .queue(QUEUE, queue -> queue.gpus(4).preemptsLower())
                .priorityClass("urgent", 1000)
                .build());
        Job told = create(aJob("told-once").asks(GPU, "1"));
        awaitCondition("told-once", "True", "Admitted");
        Job victim = create(aJob("bumped").asks(GPU, "3"));
        awaitCondition("bumped", "True", "Admitted");
        leadQuietly();
        Job urgent = create(aJob("hurry").asks(GPU, "3").priorityClass("urgent"));
        awaitState(urgent, WorkloadState.RUNNING);
        awaitState(victim, WorkloadState.PENDING);
        Job waiting = create(aJob("later").asks(GPU, "1"));
        awaitState(waiting, WorkloadState.PENDING);
        assertThat(events("hurry")).isEmpty();

        service.close();
        cluster.close();
        lead(new KubernetesClusterForTests(plane));

        awaitCondition("hurry", "True", "Admitted");
        awaitCondition("bumped", "False", "Preempted");
        assertThat(condition("bumped").getMessage())
                .startsWith("default/hurry of queue lab takes its place, for a higher priority in its own queue.");
        assertThat(events("hurry")).extracting(Event::getReason).containsExactly("Admitted");
        assertThat(events("bumped")).extracting(Event::getReason).containsExactlyInAnyOrder("Admitted", "Preempted");
        await().during(Duration.ofSeconds(2)).until(() -> true);
        assertThat(eventWrites("told-once")).isEqualTo(1);
        assertThat(statusWrites("told-once")).hasSize(1);
        assertThat(writes("bumped")).as("a release and a stop").hasSize(1 + 2);
        assertThat(plane.audit().requests())
                .filteredOn(request -> request.isWrite() && request.user().equals(ControlPlane.SLUICE))
                .noneMatch(request -> request.name().startsWith("later"));
        assertThat(state(told)).isEqualTo(WorkloadState.RUNNING);
    }

    /** Another leader, which goes away before it says anything. */
    private void leadQuietly() {
        service.close();
        cluster.close();
        cluster = new KubernetesClusterForTests(plane).started();
        service = LocalService.start(database, cluster, settings());
        takeInQuietly(cluster, service);
    }

    @Test
    void nothing_is_written_on_a_job_that_waits() {
        Job running = create(aJob("running").asks(GPU, "4"));
        awaitState(running, WorkloadState.RUNNING);
        Job waiting = create(aJob("waiting").asks(GPU, "1"));
        awaitState(waiting, WorkloadState.PENDING);
        awaitCondition("running", "True", "Admitted");

        service.configure(aCluster().queue(QUEUE, 3).build());
        await().during(Duration.ofSeconds(2)).until(() -> state(waiting) == WorkloadState.PENDING);

        assertThat(plane.audit().requests())
                .filteredOn(request -> request.isWrite() && request.user().equals(ControlPlane.SLUICE))
                .noneMatch(request -> request.name().startsWith("waiting"));
        assertThat(events("waiting")).isEmpty();
    }

    @Test
    void the_job_controller_leaves_the_condition_alone_to_the_end_of_the_job() {
        Job job = create(aJob("short").asks(GPU, "1").runsFor(Duration.ofSeconds(3)));
        awaitState(job, WorkloadState.RUNNING);
        awaitCondition("short", "True", "Admitted");

        awaitState(job, WorkloadState.SUCCEEDED);
        assertThat(job("short").getStatus().getConditions())
                .extracting(JobCondition::getType)
                .contains("Complete", JobLabels.ADMITTED);
    }

    @Test
    void a_cluster_that_takes_no_notices_is_asked_once_for_each_and_runs_and_stops_jobs_all_the_same() {
        refuseNotices();
        try {
            Job job = create(aJob("unsaid").asks(GPU, "4"));
            awaitState(job, WorkloadState.RUNNING);
            soon().until(() -> eventWrites("unsaid") == 1);

            service.cancel(id(job));

            awaitState(job, WorkloadState.CANCELLED);
            soon().until(() -> eventWrites("unsaid") == 2);
            await().during(Duration.ofSeconds(3)).until(() -> eventWrites("unsaid") == 2);
            assertThat(writes("unsaid")).as("a release and a stop").hasSize(1 + 2);
            assertThat(statusWrites("unsaid"))
                    .as("each condition was tried once")
                    .hasSize(2)
                    .allSatisfy(write -> assertThat(write.status()).isEqualTo(422));
            assertThat(events("unsaid")).isEmpty();
        } finally {
            allowNotices();
        }
    }

    /** The API server itself says no to Sluice, and to nobody else. */
    private static void refuseNotices() {
        plane.client().resource("""
                apiVersion: admissionregistration.k8s.io/v1
                kind: ValidatingAdmissionPolicy
                metadata: {name: no-notices}
                spec:
                  failurePolicy: Fail
                  matchConstraints:
                    resourceRules:
                    - {apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["events"]}
                    - {apiGroups: ["batch"], apiVersions: ["v1"], operations: ["UPDATE"], resources: ["jobs/status"]}
                  validations:
                  - {expression: "request.userInfo.username != 'sluice'", message: "not from you"}
                """).create();
        plane.client().resource("""
                apiVersion: admissionregistration.k8s.io/v1
                kind: ValidatingAdmissionPolicyBinding
                metadata: {name: no-notices}
                spec: {policyName: no-notices, validationActions: [Deny]}
                """).create();
        soon().until(KubectlUsersTest::noticesAreRefused);
    }

    private static boolean noticesAreRefused() {
        try (KubernetesClient sluice = plane.clientOf(ControlPlane.SLUICE)) {
            return isRefused(() -> sluice.resource(new EventBuilder()
                            .withNewMetadata()
                            .withName("probe." + UUID.randomUUID())
                            .withNamespace("default")
                            .endMetadata()
                            .withNewInvolvedObject()
                            .withNamespace("default")
                            .endInvolvedObject()
                            .build())
                    .create());
        }
    }

    private static boolean isRefused(Runnable request) {
        try {
            request.run();
            return false;
        } catch (KubernetesClientException refused) {
            return String.valueOf(refused.getMessage()).contains("not from you");
        }
    }

    private static void allowNotices() {
        var policies = plane.client().admissionRegistration().v1();
        policies.validatingAdmissionPolicyBindings().withName("no-notices").delete();
        policies.validatingAdmissionPolicies().withName("no-notices").delete();
        // The API server goes by what it knew for a moment longer.
        soon().until(() -> !noticesAreRefused());
    }

    private static void awaitCondition(String job, String status, String reason) {
        soon().untilAsserted(() -> assertThat(job(job).getStatus().getConditions())
                .filteredOn(condition -> condition.getType().equals(JobLabels.ADMITTED))
                .singleElement()
                .satisfies(condition -> {
                    assertThat(condition.getStatus()).isEqualTo(status);
                    assertThat(condition.getReason()).isEqualTo(reason);
                }));
    }

    private static JobCondition condition(String job) {
        return job(job).getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals(JobLabels.ADMITTED))
                .findFirst()
                .orElseThrow();
    }

    /** Those that are Sluice's. */
    private static List<Event> events(String job) {
        return plane.client().v1().events().inNamespace("default").list().getItems().stream()
                .filter(event -> job.equals(event.getInvolvedObject().getName())
                        && event.getSource() != null
                        && "sluice".equals(event.getSource().getComponent()))
                .toList();
    }

    private static List<Request> statusWrites(String job) {
        return plane.audit().writes(ControlPlane.SLUICE, "jobs/status").stream()
                .filter(request -> request.name().equals(job))
                .toList();
    }

    private static long eventWrites(String job) {
        return plane.audit().writes(ControlPlane.SLUICE, "events").stream()
                .filter(request -> request.name().startsWith(job + "."))
                .count();
    }
}
