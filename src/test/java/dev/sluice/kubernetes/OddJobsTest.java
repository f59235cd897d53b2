package dev.sluice.kubernetes;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.workload.WorkloadState;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.PodFailurePolicyBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Jobs as they come in real clusters, with whatever a Job may say of itself. */
class OddJobsTest extends KubernetesStory {
    @Test
    void an_indexed_job_runs_as_many_pods_as_were_admitted_until_all_its_indexes_are_done() {
        Job indexed = aJob("indexed")
                .queue(QUEUE)
                .asks(GPU, "1")
                .pods(2)
                .completions(5)
                .runsFor(Duration.ofMillis(300))
                .suspended()
                .build();
        indexed.getSpec().setCompletionMode("Indexed");
        Job job = plane.client().resource(indexed).create();
        awaitState(job, WorkloadState.SUCCEEDED);
        assertThat(job("indexed").getStatus().getCompletedIndexes()).isEqualTo("0-4");
        assertThat(used(QUEUE)).isZero();
    }

    @Test
    void a_running_job_that_is_suspended_by_hand_runs_on_when_its_pods_are_gone() {
        Job job = create(aJob("held-by-hand").asks(GPU, "2"));
        awaitState(job, WorkloadState.RUNNING);
        String pod = pods("held-by-hand").getFirst().getMetadata().getUid();

        edit("held-by-hand", "{\"spec\": {\"suspend\": true}}");

        soon().untilAsserted(() -> assertThat(pods("held-by-hand"))
                .singleElement()
                .satisfies(other -> {
                    assertThat(other.getMetadata().getUid()).isNotEqualTo(pod);
                    assertThat(other.getStatus().getPhase()).isEqualTo("Running");
                }));
        assertThat(used(QUEUE)).isEqualTo(2);
    }

    @Test
    void a_job_that_is_swept_the_moment_it_ends_has_ended_as_it_did() {
        for (int number = 0; number < 5; number++) {
            Job swept = aJob("swept-" + number)
                    .queue(QUEUE)
                    .asks(GPU, "4")
                    .runsFor(Duration.ofMillis(100))
                    .suspended()
                    .build();
            swept.getSpec().setTtlSecondsAfterFinished(0);
            Job job = plane.client().resource(swept).create();
            soon().until(() -> state(job) != null && job(job.getMetadata().getName()) == null);
            awaitState(job, WorkloadState.SUCCEEDED);
        }
        assertThat(used(QUEUE)).isZero();
    }

    @Test
    void a_job_whose_pods_fail_is_tried_again_by_kubernetes_within_its_quota_and_fails_at_last() {
        Job flaky = aJob("flaky")
                .queue(QUEUE)
                .asks(GPU, "4")
                .runsFor(Duration.ofMillis(100))
                .fails()
                .suspended()
                .build();
        flaky.getSpec().setBackoffLimit(1);
        Job job = plane.client().resource(flaky).create();

        awaitState(job, WorkloadState.FAILED);
        assertThat(used(QUEUE)).isZero();
        assertThat(pods("flaky")).hasSize(2);
    }

    @Test
    void a_job_whose_policy_gives_up_at_an_exit_code_fails_with_its_first_pod_and_frees_all() {
        Job strict = aJob("strict")
                .queue(QUEUE)
                .asks(GPU, "2")
                .pods(2)
                .runsFor(Duration.ofMillis(100))
                .fails()
                .suspended()
                .build();
        strict.getSpec()
                .setPodFailurePolicy(new PodFailurePolicyBuilder()
                        .addNewRule()
                        .withAction("FailJob")
                        .withNewOnExitCodes()
                        .withOperator("In")
                        .withValues(1)
                        .endOnExitCodes()
                        .endRule()
                        .build());
        Job job = plane.client().resource(strict).create();

        awaitState(job, WorkloadState.FAILED);
        assertThat(job("strict").getStatus().getConditions())
                .anySatisfy(condition -> assertThat(condition.getReason()).isEqualTo("PodFailurePolicy"));
        assertThat(used(QUEUE)).isZero();
        assertThat(pods("strict")).as("none is tried again").hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void a_job_that_is_deleted_in_the_foreground_keeps_its_quota_until_its_pods_are_gone() {
        Job job = create(aJob("foreground").asks(GPU, "4"));
        awaitState(job, WorkloadState.RUNNING);
        Job next = create(aJob("next").asks(GPU, "4"));
        kubelet.holdTerminations();

        plane.client()
                .resource(job)
                .withPropagationPolicy(DeletionPropagation.FOREGROUND)
                .delete();
        awaitState(job, WorkloadState.EVICTING);
        await().during(Duration.ofSeconds(2)).until(() -> state(next) == WorkloadState.PENDING);
        kubelet.letGo();

        awaitState(job, WorkloadState.CANCELLED);
        awaitState(next, WorkloadState.RUNNING);
    }

    @Test
    void names_that_are_generated_or_as_long_as_they_may_be_are_names() {
        Job generated = aJob("x").queue(QUEUE).asks(GPU, "1").suspended().build();
        generated.getMetadata().setName(null);
        generated.getMetadata().setGenerateName("train-");
        Job first = plane.client().resource(generated).create();
        Job second = create(aJob("l" + "o".repeat(61) + "g").asks(GPU, "1"));

        Job dotted = create(aJob("train.v2.3").asks(GPU, "1"));
        awaitState(first, WorkloadState.RUNNING);
        awaitState(second, WorkloadState.RUNNING);
        awaitState(dotted, WorkloadState.RUNNING);
        soon().until(() -> plane.client().v1().events().inNamespace("default").list().getItems().stream()
                .anyMatch(event -> second.getMetadata()
                                .getUid()
                                .equals(event.getInvolvedObject().getUid())
                        && "Admitted".equals(event.getReason())));
    }

    /** The API server itself gives the labels of the pods to a Job that comes without any. */
    @Test
    void a_queue_that_only_the_pods_of_a_labelled_job_name_is_none() {
        Job unmanaged = aJob("template-only").asks(GPU, "1").build();
        unmanaged.getMetadata().setLabels(Map.of("team", "vision"));
        unmanaged.getSpec().getTemplate().getMetadata().setLabels(Map.of("sluice.dev/queue-name", QUEUE));
        Job job = plane.client().resource(unmanaged).create();
        Job bare = aJob("bare").asks(GPU, "1").build();
        bare.getSpec().getTemplate().getMetadata().setLabels(Map.of("sluice.dev/queue-name", QUEUE));
        Job inheriting = plane.client().resource(bare).create();

        awaitState(inheriting, WorkloadState.RUNNING);
        soon().untilAsserted(() -> assertThat(pods("template-only"))
                .singleElement()
                .satisfies(pod -> assertThat(pod.getStatus().getPhase()).isEqualTo("Running")));
        assertThat(state(job)).isNull();
        assertThat(writes("template-only")).isEmpty();
        assertThat(used(QUEUE)).as("of the other").isEqualTo(1);
    }

    @Test
    void quantities_count_the_same_however_they_are_written() {
        service.configure(aCluster()
                .queue("cpus", queue -> queue.quota("cpu", "2"))
                .queue(QUEUE, 4)
                .build());
        Job milli = plane.client()
                .resource(aJob("milli")
                        .queue("cpus")
                        .asks("cpu", "1000m")
                        .suspended()
                        .build())
                .create();
        Job fraction = plane.client()
                .resource(aJob("fraction")
                        .queue("cpus")
                        .asks("cpu", "0.5")
                        .suspended()
                        .build())
                .create();
        Job exponent = plane.client()
                .resource(aJob("exponent")
                        .queue("cpus")
                        .asks("cpu", "5e-1")
                        .suspended()
                        .build())
                .create();
        awaitState(milli, WorkloadState.RUNNING);
        awaitState(fraction, WorkloadState.RUNNING);
        awaitState(exponent, WorkloadState.RUNNING);
        assertThat(used("cpus")).isEqualTo(2000);
        Job more = plane.client()
                .resource(
                        aJob("more").queue("cpus").asks("cpu", "1m").suspended().build())
                .create();
        awaitState(more, WorkloadState.PENDING);
        await().during(Duration.ofSeconds(1)).until(() -> suspended("more"));
    }

    @Test
    void a_job_of_somebody_elses_controller_is_not_let_go() {
        Job foreign = aJob("foreign").queue(QUEUE).asks(GPU, "1").suspended().build();
        foreign.getSpec().setManagedBy("example.com/elsewhere");
        Job job = plane.client().resource(foreign).create();
        Job own = aJob("own").queue(QUEUE).asks(GPU, "1").suspended().build();
        own.getSpec().setManagedBy("kubernetes.io/job-controller");
        Job named = plane.client().resource(own).create();

        awaitState(named, WorkloadState.RUNNING);
        await().during(Duration.ofSeconds(2)).until(() -> suspended("foreign"));
        assertThat(state(job)).isNull();
    }

    @Test
    void a_job_that_another_owns_is_a_job_of_its_own() {
        Job parent = create(aJob("parent").asks(GPU, "1"));
        awaitState(parent, WorkloadState.RUNNING);
        Job child = aJob("child").queue(QUEUE).asks(GPU, "4").suspended().build();
        child.getMetadata()
                .setOwnerReferences(List.of(new OwnerReferenceBuilder()
                        .withApiVersion("batch/v1")
                        .withKind("Job")
                        .withName("parent")
                        .withUid(parent.getMetadata().getUid())
                        .build()));
        Job job = plane.client().resource(child).create();
        awaitState(job, WorkloadState.PENDING);

        plane.client()
                .resource(parent)
                .withPropagationPolicy(DeletionPropagation.BACKGROUND)
                .delete();

        awaitState(parent, WorkloadState.CANCELLED);
        awaitState(job, WorkloadState.CANCELLED);
        assertThat(used(QUEUE)).isZero();
    }

    @Test
    void jobs_of_a_cron_job_are_taken_in_one_by_one() {
        plane.client().resource("""
                apiVersion: batch/v1
                kind: CronJob
                metadata: {name: nightly, namespace: default}
                spec:
                  schedule: "* * * * *"
                  concurrencyPolicy: Forbid
                  jobTemplate:
                    metadata:
                      labels: {kueue.x-k8s.io/queue-name: lab}
                    spec:
                      template:
                        spec:
                          restartPolicy: Never
                          containers:
                          - name: main
                            image: example.com/train
                            resources: {requests: {nvidia.com/gpu: 3}, limits: {nvidia.com/gpu: 3}}
                """).create();
        try {
            await().atMost(Duration.ofSeconds(100)).until(() -> used(QUEUE) == 3);
            assertThat(jobs()).singleElement().satisfies(child -> awaitState(child, WorkloadState.RUNNING));
        } finally {
            plane.client()
                    .batch()
                    .v1()
                    .cronjobs()
                    .inNamespace("default")
                    .withName("nightly")
                    .delete();
        }
        soon().until(() -> used(QUEUE) == 0);
    }

    @Test
    void a_job_waits_for_a_queue_that_does_not_exist_and_goes_on_when_it_is_made() {
        Job job = plane.client()
                .resource(aJob("first")
                        .queue("to-come")
                        .asks(GPU, "1")
                        .suspended()
                        .build())
                .create();
        await().during(Duration.ofSeconds(1)).until(() -> state(job) == null);

        service.configure(aCluster().queue("to-come", 1).build());

        awaitState(job, WorkloadState.RUNNING);
    }

    @Test
    void a_queue_of_another_namespace_is_none() {
        plane.client()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName("stranger")
                        .endMetadata()
                        .build())
                .create();
        Job job = plane.client()
                .resource(
                        aJob("lost").in("stranger").queue(QUEUE).asks(GPU, "1").build())
                .create();

        soon().until(() -> Boolean.TRUE.equals(plane.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace("stranger")
                .withName("lost")
                .get()
                .getSpec()
                .getSuspend()));
        assertThat(state(job)).isNull();
        service.configure(aCluster()
                .queue(QUEUE, 4)
                .localQueueIn("stranger", QUEUE, QUEUE)
                .build());
        awaitState(job, WorkloadState.RUNNING);
        plane.client().namespaces().withName("stranger").delete();
        soon().untilAsserted(() -> assertThat(state(job))
                .as("deleted, or failed since its pods were")
                .isIn(WorkloadState.CANCELLED, WorkloadState.FAILED));
    }

    @Test
    void requests_of_a_pod_that_names_none_cost_nothing_and_it_runs() {
        Job job = plane.client()
                .resource(aJob("free").queue(QUEUE).suspended().build())
                .create();
        awaitState(job, WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isZero();
        List<Pod> pods = pods("free");
        assertThat(pods).hasSize(1);
        assertThat(pods.getFirst()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getResources()
                        .getRequests())
                .isNotEqualTo(Map.of(GPU, new Quantity("1")));
    }
}
