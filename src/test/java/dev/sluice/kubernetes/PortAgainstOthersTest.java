package dev.sluice.kubernetes;

import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.scheduling.Observation;
import dev.sluice.scheduling.Placement;
import dev.sluice.scheduling.Placement.PodSetPlacement;
import dev.sluice.testkit.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What the cluster port does about Jobs that others made, changed or deleted. */
class PortAgainstOthersTest extends PortStory {
    @Test
    void a_job_that_somebody_suspends_by_hand_comes_back_and_one_that_somebody_starts_by_hand_is_stopped() {
        create();
        byHand("{\"spec\": {\"suspend\": false}}");
        soon().untilAsserted(() -> assertThat(job().getSpec().getSuspend()).isTrue());
        soon().untilAsserted(() -> assertThat(pods()).isEmpty());

        cluster.release(workload, ASSIGNED, ON_POOL_A, 1);
        awaitSeen(new Observation.Ready(workload.id(), 1));
        byHand("{\"spec\": {\"suspend\": true}}");
        soon().untilAsserted(() -> assertThat(job().getSpec().getSuspend()).isFalse());
        soon().untilAsserted(() -> assertThat(pods())
                .singleElement()
                .satisfies(pod -> assertThat(pod.getStatus().getPhase()).isEqualTo("Running")));
    }

    @Test
    void a_job_that_is_scaled_up_beyond_what_was_admitted_is_scaled_back() {
        create(aJob(workload.name()).asks(GPU, "1").pods(1));
        byName(workload.name()).delete();
        workload = workload(workload.name() + "-elastic");
        create(aJob(workload.name()).asks(GPU, "1").pods(2).completions(10));
        Placement two = new Placement(List.of(new PodSetPlacement("main", 2, new TreeMap<>(), List.of())));
        cluster.release(workload, ASSIGNED, two, 1);
        awaitSeen(new Observation.Ready(workload.id(), 1));

        byHand("{\"spec\": {\"parallelism\": 6}}");

        soon().untilAsserted(() -> assertThat(job().getSpec().getParallelism()).isEqualTo(2));
        soon().untilAsserted(() -> assertThat(pods()).hasSize(2));
    }

    @Test
    void a_job_that_is_deleted_is_told_and_is_gone_when_its_pods_are() {
        create();
        cluster.release(workload, ASSIGNED, ON_POOL_A, 1);
        awaitSeen(new Observation.Ready(workload.id(), 1));
        kubelet.holdTerminations();

        byName(workload.name()).delete();

        awaitSeen(new Observation.Deleted(workload.id()));
        cluster.stop(workload.id(), 2);
        soon().until(() -> pods().stream().allMatch(pod -> pod.getMetadata().getDeletionTimestamp() != null));
        assertThat(seen).doesNotContain(new Observation.Gone(workload.id(), 2));
        kubelet.letGo();
        awaitSeen(new Observation.Gone(workload.id(), 2));
    }

    @Test
    void a_job_that_the_api_server_refuses_ends_with_its_reason() {
        create(aJob(workload.name()).queue("Not A Label!"));

        soon().untilAsserted(() -> assertThat(seen)
                .anySatisfy(one -> assertThat(one)
                        .isInstanceOfSatisfying(
                                Observation.Refused.class,
                                refused -> assertThat(refused.reason()).contains("metadata.labels"))));
    }

    @Test
    void a_name_that_another_job_has_is_refused_and_the_other_is_not_touched() {
        Job other = plane.client()
                .resource(aJob(workload.name()).suspended().build())
                .create();

        create();

        soon().untilAsserted(() -> assertThat(seen)
                .anySatisfy(one -> assertThat(one)
                        .isInstanceOfSatisfying(
                                Observation.Refused.class,
                                refused -> assertThat(refused.reason()).contains("already exists"))));
        assertThat(job().getMetadata().getUid()).isEqualTo(other.getMetadata().getUid());
        assertThat(job().getMetadata().getAnnotations()).doesNotContainKey(JobLabels.FENCE);
    }

    @Test
    void jobs_that_name_no_queue_are_never_written_to_and_labelled_ones_that_nobody_admitted_do_not_run() {
        Job free = plane.client().resource(aJob("free").asks(GPU, "1").build()).create();
        Job labelled = plane.client()
                .resource(aJob("eager").queue("main").asks(GPU, "1").build())
                .create();

        soon().untilAsserted(() ->
                assertThat(jobNamed("eager").getSpec().getSuspend()).isTrue());
        soon().untilAsserted(() -> assertThat(podsOf(labelled)).isEmpty());
        soon().untilAsserted(() -> assertThat(podsOf(free))
                .singleElement()
                .satisfies(pod -> assertThat(pod.getStatus().getPhase()).isEqualTo("Running")));
        assertThat(plane.audit().writes(ControlPlane.SLUICE, "jobs"))
                .noneMatch(request -> request.name().equals("free"));
    }
}
