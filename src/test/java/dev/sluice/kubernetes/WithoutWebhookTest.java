package dev.sluice.kubernetes;

import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.workload.WorkloadState;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** No webhook answers: what is created is stored as it is, and starts at once if its author did not suspend it. */
class WithoutWebhookTest extends KubernetesStory {
    @Test
    void wh_01_a_job_without_a_queue_runs_at_once_and_is_never_touched() {
        Job free = plane.client().resource(aJob("free").asks(GPU, "4").build()).create();

        soon().untilAsserted(() -> assertThat(pods("free"))
                .singleElement()
                .satisfies(pod -> assertThat(pod.getStatus().getPhase()).isEqualTo("Running")));
        assertThat(plane.audit().requests())
                .filteredOn(request -> request.user().equals(ControlPlane.SLUICE) && request.isWrite())
                .noneMatch(request -> request.name().startsWith("free"));
        assertThat(state(free)).isNull();
        assertThat(used(QUEUE)).isZero();
    }

    @Test
    void wh_01_a_job_that_names_a_queue_is_suspended_within_seconds_and_no_pod_of_it_runs_on_unadmitted() {
        Job running = create(aJob("running").asks(GPU, "4"));
        awaitState(running, WorkloadState.RUNNING);

        Job eager = plane.client()
                .resource(aJob("eager").queue(QUEUE).asks(GPU, "4").build())
                .create();

        await().atMost(Duration.ofSeconds(10)).until(() -> suspended("eager"));
        awaitState(eager, WorkloadState.PENDING);
        soon().untilAsserted(() -> assertThat(pods("eager")).isEmpty());
        await().during(Duration.ofSeconds(2))
                .until(() -> suspended("eager") && pods("eager").isEmpty());

        plane.client().resource(running).delete();
        awaitState(eager, WorkloadState.RUNNING);
        assertThat(pods("eager")).hasSize(1);
        assertThat(job("eager").getMetadata().getAnnotations()).containsKey(JobLabels.RELEASED);
    }

    @Test
    void wh_01_a_job_that_started_by_itself_is_stopped_and_admitted_before_it_runs_even_if_there_is_room() {
        Job eager = plane.client()
                .resource(aJob("eager").queue(QUEUE).asks(GPU, "4").build())
                .create();

        awaitState(eager, WorkloadState.RUNNING);

        assertThat(writes("eager")).as("a stop of two writes and a release").hasSizeGreaterThanOrEqualTo(3);
        assertThat(pods("eager")).hasSize(1);
        assertThat(used(QUEUE)).isEqualTo(4);
    }

    @Test
    void wh_01_jobs_that_started_by_themselves_while_the_service_was_away_too_are_stopped_when_it_is_back() {
        Job running = create(aJob("running").asks(GPU, "4"));
        awaitState(running, WorkloadState.RUNNING);
        service.close();
        cluster.close();
        Job eager = plane.client()
                .resource(aJob("eager").queue(QUEUE).asks(GPU, "4").build())
                .create();
        soon().untilAsserted(() -> assertThat(pods("eager")).hasSize(1));

        lead(new KubernetesClusterForTests(plane));

        soon().until(() -> suspended("eager") && pods("eager").isEmpty());
        awaitState(eager, WorkloadState.PENDING);
        assertThat(state(running)).isEqualTo(WorkloadState.RUNNING);
    }

    @Test
    void wh_01_a_copy_of_a_running_job_with_all_its_annotations_is_stopped_and_waits_its_turn() {
        Job original = create(aJob("original").asks(GPU, "4"));
        awaitState(original, WorkloadState.RUNNING);
        service.commands().changeActivation(id(original), false, "tester");
        awaitState(original, WorkloadState.INACTIVE);
        service.commands().changeActivation(id(original), true, "tester");
        awaitState(original, WorkloadState.RUNNING);

        Job copy = plane.client()
                .resource(
                        new JobBuilder(aJob("copy").queue(QUEUE).asks(GPU, "4").build())
                                .editMetadata()
                                .withAnnotations(job("original").getMetadata().getAnnotations())
                                .endMetadata()
                                .build())
                .create();

        awaitState(copy, WorkloadState.PENDING);
        soon().until(() -> suspended("copy") && pods("copy").isEmpty());
        plane.client().resource(original).delete();
        awaitState(copy, WorkloadState.RUNNING);
        assertThat(pods("copy")).hasSize(1);
    }
}
