package dev.sluice.kubernetes;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.admission.WaitReason;
import dev.sluice.quota.StopPolicy;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.ConfigurationKind;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.QueueBuilder;
import dev.sluice.workload.WorkloadState;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What users of other queue managers met when queues were stopped, deleted and made again over Jobs that run. */
class QueueCasesTest extends KubernetesStory {
    @Test
    void lc_07_a_queue_on_hold_starts_nothing_when_a_job_of_it_is_deleted() {
        Job running = create(aJob("running").asks(GPU, "2"));
        awaitState(running, WorkloadState.RUNNING);
        kubelet.holdStarts();
        Job starting = create(aJob("starting").asks(GPU, "2"));
        awaitState(starting, WorkloadState.ADMITTED);
        Job waiting = create(aJob("waiting").asks(GPU, "2"));
        awaitState(waiting, WorkloadState.PENDING);

        stopped(StopPolicy.HOLD);
        plane.client().resource(running).delete();
        awaitState(running, WorkloadState.CANCELLED);

        await().during(Duration.ofSeconds(1)).until(() -> state(waiting) == WorkloadState.PENDING);
        assertThat(reason(waiting)).isInstanceOf(WaitReason.QueueStopped.class);
        stopped(StopPolicy.NONE);
        awaitState(waiting, WorkloadState.ADMITTED);
    }

    @Test
    void lc_08_a_workload_and_its_queues_that_are_deleted_in_quick_order_are_gone_when_the_last_pod_is() {
        Job job = create(aJob("leaving").asks(GPU, "4"));
        awaitState(job, WorkloadState.RUNNING);
        kubelet.holdTerminations();

        plane.client().resource(job).delete();
        delete(ConfigurationKind.LOCAL_QUEUE, ClusterBuilder.NAMESPACE + "/" + QUEUE);
        delete(ConfigurationKind.CLUSTER_QUEUE, QUEUE);

        awaitState(job, WorkloadState.EVICTING);
        await().during(Duration.ofSeconds(1)).until(() -> state(job) == WorkloadState.EVICTING);
        assertThat(isCharged(job)).as("as long as its pod is there").isTrue();
        kubelet.letGo();
        awaitState(job, WorkloadState.CANCELLED);
        assertThat(isCharged(job)).isFalse();
    }

    @Test
    void lc_16_a_queue_made_again_under_its_name_counts_what_still_runs_and_closes_when_that_has_ended() {
        Job running = create(aJob("running").asks(GPU, "4"));
        awaitState(running, WorkloadState.RUNNING);
        delete(ConfigurationKind.LOCAL_QUEUE, ClusterBuilder.NAMESPACE + "/" + QUEUE);
        delete(ConfigurationKind.CLUSTER_QUEUE, QUEUE);

        service.configure(aCluster().queue(QUEUE, 4).build());
        assertThat(used(QUEUE)).isEqualTo(4);
        Job next = create(aJob("next").asks(GPU, "1"));
        awaitState(next, WorkloadState.PENDING);
        stopped(StopPolicy.HOLD);

        assertThat(state(running)).isEqualTo(WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(4);
        plane.client().resource(running).delete();
        soon().until(() -> used(QUEUE) == 0);
        assertThat(state(next)).isEqualTo(WorkloadState.PENDING);
    }

    @Test
    void wh_07_a_queue_of_seventeen_flavors_counts_every_one_of_them() {
        ClusterBuilder seventeen = aCluster();
        Consumer<QueueBuilder> quotas = queue -> {};
        for (int number = 1; number <= 17; number++) {
            String flavor = "flavor-" + number;
            seventeen.flavor(flavor, Map.of());
            quotas = quotas.andThen(queue -> queue.quota(flavor, GPU, "1"));
        }
        service.configure(seventeen.queue("wide", quotas).build());
        List<Job> jobs = new ArrayList<>();
        for (int number = 1; number <= 18; number++) {
            jobs.add(plane.client()
                    .resource(aJob("wide-" + number)
                            .queue("wide")
                            .asks(GPU, "1")
                            .suspended()
                            .build())
                    .create());
        }

        soon().until(() ->
                jobs.stream().filter(job -> state(job) == WorkloadState.RUNNING).count() == 17);
        assertThat(Objects.requireNonNull(service.usage().queues().get("wide")).lines())
                .hasSize(17)
                .allSatisfy(line -> assertThat(line.used()).isEqualTo(1));
    }

    @Test
    void wh_13_a_guarantee_larger_than_the_cluster_harms_nobody_and_what_cannot_be_placed_says_so() {
        service.configure(aCluster().queue(QUEUE, 1000).build());
        Job large = create(aJob("large").asks(GPU, "1").pods(65));
        awaitState(large, WorkloadState.PENDING);
        Job small = create(aJob("small").asks(GPU, "1"));

        awaitState(small, WorkloadState.RUNNING);
        soon().untilAsserted(() -> assertThat(reason(large)).isInstanceOf(WaitReason.NotPlaceable.class));
        assertThat(state(large)).isEqualTo(WorkloadState.PENDING);
    }

    private void stopped(StopPolicy policy) {
        service.configure(
                aCluster().queue(QUEUE, queue -> queue.gpus(4).stop(policy)).build());
    }

    private void delete(ConfigurationKind kind, String key) {
        service.configurations().edit("tester", stored -> List.of(new ConfigurationChange.Delete(kind, key)));
    }

    private boolean isCharged(Job job) {
        return service.loop()
                .ask((engine, now) -> engine.charged().containsKey(id(job)))
                .orElseThrow()
                .join();
    }
}
