package dev.sluice.kubernetes;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.admission.WaitReason;
import dev.sluice.workload.WorkloadState;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Jobs whose authors change what they ask for, while they wait and while they run. */
class JobEditsTest extends KubernetesStory {
    @Test
    void a_waiting_job_that_asks_for_fewer_pods_starts_if_those_fit() {
        Job job = create(aJob("shrinking").asks(GPU, "2").pods(3).completions(8));
        awaitState(job, WorkloadState.PENDING);
        soon().until(() -> isKnownToTheLeader(job));

        edit("shrinking", "{\"spec\": {\"parallelism\": 2}}");

        awaitState(job, WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(4);
        soon().untilAsserted(() -> assertThat(pods("shrinking")).hasSize(2));
    }

    @Test
    void a_waiting_job_that_asks_for_more_than_can_ever_be_had_says_so_and_lets_others_by() {
        Job running = create(aJob("running").asks(GPU, "4"));
        awaitState(running, WorkloadState.RUNNING);
        Job job = create(aJob("growing").asks(GPU, "2").completions(8));
        awaitState(job, WorkloadState.PENDING);
        soon().until(() -> isKnownToTheLeader(job));
        Job behind = create(aJob("behind").asks(GPU, "1"));

        edit("growing", "{\"spec\": {\"parallelism\": 3}}");

        soon().untilAsserted(() -> assertThat(reason(job))
                .isInstanceOfSatisfying(WaitReason.ExceedsMaximum.class, exceeds -> {
                    assertThat(exceeds.requested()).isEqualTo(6);
                    assertThat(exceeds.largestPossible()).isEqualTo(4);
                }));
        plane.client().resource(running).delete();
        awaitState(behind, WorkloadState.RUNNING);
        assertThat(state(job)).isEqualTo(WorkloadState.PENDING);
        assertThat(suspended("growing")).isTrue();
    }

    @Test
    void what_a_waiting_job_asks_for_per_pod_is_counted_anew() {
        Job job = create(aJob("modest").asks(GPU, "8"));
        awaitState(job, WorkloadState.PENDING);
        soon().until(() -> isKnownToTheLeader(job));

        plane.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace("default")
                .withName("modest")
                .edit(old -> {
                    var resources = old.getSpec()
                            .getTemplate()
                            .getSpec()
                            .getContainers()
                            .getFirst()
                            .getResources();
                    resources.getRequests().put(GPU, new Quantity("3"));
                    resources.getLimits().put(GPU, new Quantity("3"));
                    return old;
                });

        awaitState(job, WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(3);
    }

    @Test
    void edits_that_were_made_while_the_service_was_away_are_found_when_it_is_back() {
        service.configure(aCluster().queue(QUEUE, 4).queue("annex", 2).build());
        Job running = create(aJob("running").asks(GPU, "4"));
        awaitState(running, WorkloadState.RUNNING);
        Job smaller = create(aJob("smaller").asks(GPU, "2").pods(3).completions(8));
        Job mover = create(aJob("mover").asks(GPU, "2"));
        awaitState(smaller, WorkloadState.PENDING);
        awaitState(mover, WorkloadState.PENDING);
        service.close();
        cluster.close();

        edit("smaller", "{\"spec\": {\"parallelism\": 1}}");
        label("mover", "sluice.dev/queue-name", "annex");
        lead(new KubernetesClusterForTests(plane));

        awaitState(mover, WorkloadState.RUNNING);
        plane.client().resource(running).delete();
        awaitState(smaller, WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(2);
        assertThat(used("annex")).isEqualTo(2);
    }

    @Test
    void lc_14_a_running_job_that_is_scaled_down_frees_the_quota_of_the_pods_that_are_gone_and_takes_none_back() {
        Job job = create(aJob("elastic").asks(GPU, "1").pods(4).completions(100));
        awaitState(job, WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(4);
        Job next = create(aJob("next").asks(GPU, "2"));
        awaitState(next, WorkloadState.PENDING);
        kubelet.holdTerminations();

        edit("elastic", "{\"spec\": {\"parallelism\": 2}}");
        soon().untilAsserted(() ->
                assertThat(job("elastic").getStatus().getTerminating()).isEqualTo(2));
        await().during(Duration.ofSeconds(1)).until(() -> used(QUEUE) == 4);
        kubelet.letGo();

        awaitState(next, WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(4);
        edit("elastic", "{\"spec\": {\"parallelism\": 4}}");
        soon().untilAsserted(() ->
                assertThat(job("elastic").getSpec().getParallelism()).isEqualTo(2));
        soon().untilAsserted(() -> assertThat(pods("elastic")).hasSize(2));
        assertThat(used(QUEUE)).isEqualTo(4);
    }

    @Test
    void lc_13_a_running_job_that_is_scaled_up_keeps_to_what_was_admitted_and_asks_for_more_when_it_waits_again() {
        service.configure(aCluster()
                .queue(QUEUE, queue -> queue.gpus(4).preemptsLower())
                .priorityClass("urgent", 1000)
                .build());
        Job job = create(aJob("elastic").asks(GPU, "1").pods(2).completions(100));
        awaitState(job, WorkloadState.RUNNING);

        edit("elastic", "{\"spec\": {\"parallelism\": 6}}");

        soon().untilAsserted(() ->
                assertThat(job("elastic").getSpec().getParallelism()).isEqualTo(2));
        soon().untilAsserted(() -> assertThat(pods("elastic")).hasSize(2));
        assertThat(used(QUEUE)).isEqualTo(2);

        Job urgent = create(aJob("urgent").asks(GPU, "4").priorityClass("urgent"));
        awaitState(urgent, WorkloadState.RUNNING);
        soon().untilAsserted(() -> assertThat(reason(job))
                .isInstanceOfSatisfying(
                        WaitReason.ExceedsMaximum.class,
                        exceeds -> assertThat(exceeds.requested()).isEqualTo(6)));
        assertThat(job("elastic").getSpec().getParallelism()).isEqualTo(6);
    }

    @Test
    void a_running_job_that_is_scaled_to_nothing_holds_nothing_once_its_pods_are_gone_and_asks_anew_when_scaled_up() {
        Job job = create(aJob("paused").asks(GPU, "1").pods(2).completions(100));
        awaitState(job, WorkloadState.RUNNING);
        Job next = create(aJob("next").asks(GPU, "4"));
        awaitState(next, WorkloadState.PENDING);
        kubelet.holdTerminations();

        edit("paused", "{\"spec\": {\"parallelism\": 0}}");
        soon().untilAsserted(() ->
                assertThat(job("paused").getStatus().getTerminating()).isEqualTo(2));
        await().during(Duration.ofSeconds(1)).until(() -> used(QUEUE) == 2);
        kubelet.letGo();

        awaitState(next, WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(4);
        assertThat(state(job)).isEqualTo(WorkloadState.RUNNING);
        assertThat(suspended("paused")).isFalse();

        edit("paused", "{\"spec\": {\"parallelism\": 3}}");
        awaitState(job, WorkloadState.PENDING);
        soon().untilAsserted(() -> assertThat(reason(job))
                .isInstanceOfSatisfying(
                        WaitReason.QuotaExhausted.class,
                        exhausted -> assertThat(exhausted.requested()).isEqualTo(3)));
        assertThat(pods("paused")).isEmpty();
        plane.client().resource(next).delete();
        awaitState(job, WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(3);
        soon().untilAsserted(() -> assertThat(pods("paused")).hasSize(3));
    }

    @Test
    void a_job_that_never_wanted_pods_is_let_go_and_asks_for_quota_when_it_does() {
        Job other = create(aJob("other").asks(GPU, "4"));
        awaitState(other, WorkloadState.RUNNING);
        Job job = create(aJob("template").asks(GPU, "1").pods(0).completions(100));
        awaitState(job, WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(4);

        edit("template", "{\"spec\": {\"parallelism\": 2}}");

        awaitState(job, WorkloadState.PENDING);
        plane.client().resource(other).delete();
        awaitState(job, WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(2);
    }

    @Test
    void what_its_author_scaled_down_after_it_was_taken_back_counts_when_it_waits_again() {
        service.configure(aCluster()
                .queue(QUEUE, queue -> queue.gpus(4).preemptsLower())
                .priorityClass("urgent", 1000)
                .build());
        Job job = create(aJob("wavering").asks(GPU, "1").pods(3).completions(100));
        awaitState(job, WorkloadState.RUNNING);
        edit("wavering", "{\"spec\": {\"parallelism\": 6}}");
        soon().untilAsserted(() ->
                assertThat(job("wavering").getSpec().getParallelism()).isEqualTo(3));

        edit("wavering", "{\"spec\": {\"parallelism\": 1}}");
        soon().until(() -> used(QUEUE) == 1);
        Job urgent = create(aJob("urgent").asks(GPU, "4").priorityClass("urgent"));
        awaitState(urgent, WorkloadState.RUNNING);

        assertThat(job("wavering").getSpec().getParallelism()).isEqualTo(1);
        plane.client().resource(urgent).delete();
        awaitState(job, WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(1);
    }
}
