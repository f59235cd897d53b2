package dev.sluice.kubernetes;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.admission.WaitReason;
import dev.sluice.testkit.controlplane.ApiServerProxy;
import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.testkit.controlplane.TestJob;
import dev.sluice.workload.WorkloadState;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is done by hand to Jobs that hold quota, while no webhook refuses it. */
class JobDriftTest extends KubernetesStory {
    private static final String OURS = "sluice.dev/queue-name";
    private static final String KUEUES = "kueue.x-k8s.io/queue-name";

    @BeforeEach
    void twoQueues() {
        service.configure(aCluster()
                .queue(QUEUE, queue -> queue.gpus(4).preemptsLower())
                .queue("annex", 4)
                .priorityClass("urgent", 1000)
                .build());
    }

    @Test
    void lc_10_a_running_job_that_is_given_another_queue_is_put_back_by_one_write_and_goes_on() {
        Job job = create(aJob("moved").asks(GPU, "2"));
        awaitState(job, WorkloadState.RUNNING);
        String pod = onlyPod("moved");

        label("moved", OURS, "annex");

        soon().untilAsserted(() -> assertThat(labels("moved")).containsEntry(OURS, QUEUE));
        await().during(Duration.ofSeconds(2)).until(() -> state(job) == WorkloadState.RUNNING);
        assertThat(writes("moved")).as("its release, and the queue").hasSize(2);
        assertThat(used(QUEUE)).isEqualTo(2);
        assertThat(used("annex")).isZero();
        assertThat(onlyPod("moved")).isEqualTo(pod);
    }

    @Test
    void lc_10_a_running_job_whose_queue_is_taken_away_gets_it_back() {
        Job job = create(aJob("stripped").kueueQueue(QUEUE).asks(GPU, "2"));
        awaitState(job, WorkloadState.RUNNING);

        edit("stripped", "{\"metadata\": {\"labels\": null}}");

        soon().untilAsserted(() ->
                assertThat(labels("stripped")).containsEntry(KUEUES, QUEUE).doesNotContainKey(OURS));
        assertThat(state(job)).isEqualTo(WorkloadState.RUNNING);
        assertThat(writes("stripped")).hasSize(2);
    }

    @Test
    void lc_10_another_queue_in_the_other_label_is_taken_away_also_if_it_came_while_the_service_was_away() {
        Job job = create(aJob("doubled").kueueQueue(QUEUE).asks(GPU, "2"));
        awaitState(job, WorkloadState.RUNNING);
        service.close();
        cluster.close();
        label("doubled", OURS, "annex");

        lead(new KubernetesClusterForTests(plane));

        soon().untilAsserted(() ->
                assertThat(labels("doubled")).containsEntry(KUEUES, QUEUE).doesNotContainKey(OURS));
        assertThat(state(job)).isEqualTo(WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(2);
    }

    @Test
    void lc_10_a_queue_that_is_changed_between_admission_and_release_is_put_back_with_the_release() {
        admittedButNotReleased(aJob("hurried").asks(GPU, "2"), job -> label("hurried", OURS, "annex"));

        awaitState(job("hurried"), WorkloadState.RUNNING);
        assertThat(labels("hurried")).containsEntry(OURS, QUEUE);
        assertThat(used(QUEUE)).isEqualTo(2);
        assertThat(used("annex")).isZero();
    }

    @Test
    void a_job_follows_its_author_to_a_queue_that_is_made_later() {
        Job blocker = create(aJob("blocker").asks(GPU, "4"));
        awaitState(blocker, WorkloadState.RUNNING);
        Job job = create(aJob("early").asks(GPU, "2"));
        awaitState(job, WorkloadState.PENDING);
        soon().until(() -> isKnownToTheLeader(job));

        label("early", OURS, "later");
        await().during(Duration.ofSeconds(1)).until(() -> state(job) == WorkloadState.PENDING);
        service.configure(aCluster().queue("later", 2).build());

        awaitState(job, WorkloadState.RUNNING);
        assertThat(used("later")).isEqualTo(2);
    }

    @Test
    void a_fence_that_is_taken_away_or_garbled_is_put_back_and_the_job_goes_on() {
        Job job = create(aJob("fenced").asks(GPU, "4"));
        awaitState(job, WorkloadState.RUNNING);
        Job urgent = create(aJob("urgent").asks(GPU, "4").priorityClass("urgent"));
        awaitState(urgent, WorkloadState.RUNNING);
        plane.client().resource(urgent).delete();
        awaitState(job, WorkloadState.RUNNING);
        String fence = job("fenced").getMetadata().getAnnotations().get(JobLabels.FENCE);
        assertThat(fence).isEqualTo("2");
        String pod = onlyPod("fenced");
        int before = writes("fenced").size();

        for (String byHand : List.of("null", "\"none\"", "\"1\"")) {
            edit("fenced", "{\"metadata\": {\"annotations\": {\"" + JobLabels.FENCE + "\": " + byHand + "}}}");
            soon().untilAsserted(() ->
                    assertThat(job("fenced").getMetadata().getAnnotations()).containsEntry(JobLabels.FENCE, fence));
        }

        assertThat(writes("fenced")).as("one for each").hasSize(before + 3);
        assertThat(onlyPod("fenced")).isEqualTo(pod);
        assertThat(state(job)).isEqualTo(WorkloadState.RUNNING);
    }

    @Test
    void a_fence_that_is_raised_by_hand_does_not_take_the_job_out_of_hand() {
        Job job = create(aJob("outrun").asks(GPU, "4"));
        awaitState(job, WorkloadState.RUNNING);

        edit("outrun", "{\"metadata\": {\"annotations\": {\"" + JobLabels.FENCE + "\": \"99\"}}}");
        soon().untilAsserted(() ->
                assertThat(job("outrun").getMetadata().getAnnotations()).containsEntry(JobLabels.FENCE, "100"));
        soon().untilAsserted(() -> assertThat(suspended("outrun")).isFalse());
        plane.client().resource(job).delete();

        awaitState(job, WorkloadState.CANCELLED);
        assertThat(used(QUEUE)).isZero();
    }

    @Test
    void what_is_asked_for_between_admission_and_release_is_charged_before_it_runs() {
        admittedButNotReleased(aJob("swelling").asks(GPU, "2"), job -> ask(job, "4"));

        Job job = job("swelling");
        awaitState(job, WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(4);
        assertThat(pods("swelling"))
                .singleElement()
                .satisfies(pod -> assertThat(pod.getSpec()
                                .getContainers()
                                .getFirst()
                                .getResources()
                                .getRequests())
                        .containsEntry(GPU, new Quantity("4")));
    }

    @Test
    void what_can_never_be_had_and_is_asked_for_between_admission_and_release_does_not_run() {
        admittedButNotReleased(aJob("bursting").asks(GPU, "2"), job -> ask(job, "8"));

        Job job = job("bursting");
        soon().untilAsserted(() -> assertThat(reason(job)).isInstanceOf(WaitReason.ExceedsMaximum.class));
        assertThat(suspended("bursting")).isTrue();
        assertThat(pods("bursting")).isEmpty();
        assertThat(used(QUEUE)).isZero();
        ask(job, "3");
        awaitState(job, WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(3);
    }

    @Test
    void more_pods_that_are_wanted_between_admission_and_release_are_charged_before_they_run() {
        admittedButNotReleased(
                aJob("spreading").asks(GPU, "1").pods(2).completions(9),
                job -> edit("spreading", "{\"spec\": {\"parallelism\": 4}}"));

        awaitState(job("spreading"), WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(4);
        soon().untilAsserted(() -> assertThat(pods("spreading")).hasSize(4));
    }

    @Test
    void a_running_job_that_is_suspended_and_edited_by_hand_runs_again_only_with_what_is_charged() {
        Job job = create(aJob("tampered").asks(GPU, "2"));
        awaitState(job, WorkloadState.RUNNING);
        service.close();
        cluster.close();
        edit("tampered", "{\"spec\": {\"suspend\": true}}");
        soon().until(() -> pods("tampered").isEmpty());
        ask(job, "4");

        lead(new KubernetesClusterForTests(plane));

        soon().untilAsserted(() -> assertThat(used(QUEUE)).isEqualTo(4));
        awaitState(job, WorkloadState.RUNNING);
        soon().untilAsserted(() -> assertThat(pods("tampered"))
                .singleElement()
                .satisfies(pod -> assertThat(pod.getSpec()
                                .getContainers()
                                .getFirst()
                                .getResources()
                                .getRequests())
                        .containsEntry(GPU, new Quantity("4"))));
    }

    /** The Job is admitted, but whatever is sent to the API server for it waits until it was edited. */
    private void admittedButNotReleased(TestJob manifest, Edit edit) {
        service.close();
        cluster.close();
        try (ApiServerProxy proxy = plane.proxy()) {
            lead(new KubernetesClusterForTests(plane.kubeconfig(ControlPlane.SLUICE, proxy), Duration.ofSeconds(30)));
            service.configure(aCluster()
                    .queue(QUEUE, 0)
                    .queue("annex", 4)
                    .priorityClass("urgent", 1000)
                    .build());
            Job job = create(manifest);
            soon().until(() -> isKnownToTheLeader(job));
            proxy.hold();
            service.configure(aCluster().queue(QUEUE, 4).build());
            awaitState(job, WorkloadState.ADMITTED);
            soon().until(proxy::keepsSomething);
            edit.of(job);
            proxy.letGo();
            soon().until(() -> !suspended(job.getMetadata().getName())
                    || state(job) == WorkloadState.PENDING
                    || state(job) == WorkloadState.EVICTING);
            service.close();
            cluster.close();
        }
        lead(new KubernetesClusterForTests(plane));
    }

    private interface Edit {
        void of(Job job);
    }

    private static void ask(Job job, String gpus) {
        plane.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace("default")
                .withName(job.getMetadata().getName())
                .edit(old -> {
                    var resources = old.getSpec()
                            .getTemplate()
                            .getSpec()
                            .getContainers()
                            .getFirst()
                            .getResources();
                    resources.getRequests().put(GPU, new Quantity(gpus));
                    resources.getLimits().put(GPU, new Quantity(gpus));
                    return old;
                });
    }

    private static String onlyPod(String job) {
        List<Pod> pods = pods(job);
        assertThat(pods).hasSize(1);
        return pods.getFirst().getMetadata().getUid();
    }

    private static Map<String, String> labels(String job) {
        return job(job).getMetadata().getLabels();
    }
}
