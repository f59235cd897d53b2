package dev.sluice.kubernetes;

import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.quota.Toleration;
import dev.sluice.scheduling.Cluster.Phase;
import dev.sluice.scheduling.Observation;
import dev.sluice.scheduling.Placement;
import dev.sluice.scheduling.Placement.PodSetPlacement;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What the cluster port promises of releases and stops. */
class PortTest extends PortStory {
    @Test
    void a_job_is_created_suspended_and_released_in_one_write_onto_the_nodes_of_its_flavor() {
        create();
        assertThat(job().getSpec().getSuspend()).isTrue();
        assertThat(job().getMetadata().getAnnotations())
                .containsEntry(JobLabels.WORKLOAD, workload.id().value())
                .containsEntry(JobLabels.FENCE, "1");
        assertThat(pods()).isEmpty();
        int before = writes().size();

        cluster.release(workload, ASSIGNED, ON_POOL_A, 1);

        awaitSeen(new Observation.Ready(workload.id(), 1));
        assertThat(writes().subList(before, writes().size()))
                .as("one write per release")
                .hasSize(1);
        assertThat(pods()).singleElement().satisfies(pod -> {
            assertThat(pod.getSpec().getNodeName()).isEqualTo("a-1");
            assertThat(pod.getSpec().getNodeSelector()).containsEntry("pool", "a");
        });
    }

    @Test
    void what_admission_checks_add_is_on_the_pods_and_is_gone_from_the_template_after_the_stop() {
        create(aJob(workload.name()).asks(GPU, "1"));
        Job original = job();
        Placement checked = new Placement(List.of(new PodSetPlacement(
                "main",
                1,
                new TreeMap<>(Map.of("pool", "a")),
                List.of(new Toleration("dedicated", "Equal", "gpu", "NoSchedule")),
                new TreeMap<>(Map.of("example.com/budget", "b7")),
                new TreeMap<>(Map.of("example.com/paid-by", "the team \"vision\"")))));
        int before = writes().size();

        cluster.release(workload, ASSIGNED, checked, 1);

        awaitSeen(new Observation.Ready(workload.id(), 1));
        assertThat(writes().subList(before, writes().size()))
                .as("one write per release")
                .hasSize(1);
        assertThat(pods()).singleElement().satisfies(pod -> {
            assertThat(pod.getMetadata().getLabels()).containsEntry("example.com/budget", "b7");
            assertThat(pod.getMetadata().getAnnotations()).containsEntry("example.com/paid-by", "the team \"vision\"");
        });
        cluster.stop(workload.id(), 2);
        awaitSeen(new Observation.Gone(workload.id(), 2));
        soon().untilAsserted(
                        () -> assertThat(job().getMetadata().getAnnotations()).doesNotContainKey(JobLabels.RELEASED));
        assertThat(job().getSpec().getTemplate()).isEqualTo(original.getSpec().getTemplate());
    }

    @Test
    void what_an_admission_check_wants_otherwise_than_the_pods_have_it_is_a_rejected_start() {
        create(aJob(workload.name()).asks(GPU, "1"));
        int before = writes().size();
        String jobName = "batch.kubernetes.io/job-name";
        Placement other = new Placement(List.of(new PodSetPlacement(
                "main", 1, new TreeMap<>(), List.of(), new TreeMap<>(Map.of(jobName, "mine")), new TreeMap<>())));

        cluster.release(workload, ASSIGNED, other, 1);

        awaitSeen(new Observation.StartRejected(
                workload.id(),
                1,
                "an admission check wants label " + jobName + "=mine on its pods, and they have " + workload.name()));
        assertThat(writes()).hasSize(before);
        assertThat(job().getSpec().getSuspend()).isTrue();
    }

    @Test
    void a_stop_is_two_writes_and_leaves_the_template_exactly_as_it_was() {
        create(aJob(workload.name())
                .asks(GPU, "1")
                .asks("cpu", "1500m")
                .asks("memory", "1.5Gi")
                .onNodesWith("kubernetes.io/os", "linux"));
        Job original = job();
        cluster.release(workload, ASSIGNED, ON_POOL_A, 1);
        awaitSeen(new Observation.Ready(workload.id(), 1));
        int before = writes().size();

        cluster.stop(workload.id(), 2);

        awaitSeen(new Observation.Gone(workload.id(), 2));
        assertThat(pods()).isEmpty();
        soon().untilAsserted(
                        () -> assertThat(job().getMetadata().getAnnotations()).doesNotContainKey(JobLabels.RELEASED));
        assertThat(writes().subList(before, writes().size()))
                .as("two writes per stop")
                .hasSize(2);
        assertThat(job().getSpec().getTemplate()).isEqualTo(original.getSpec().getTemplate());
        assertThat(job().getSpec().getParallelism())
                .isEqualTo(original.getSpec().getParallelism());
        assertThat(job().getMetadata().getAnnotations()).containsEntry(JobLabels.FENCE, "2");
    }

    @Test
    void it_is_gone_only_when_its_last_pod_is() {
        create();
        cluster.release(workload, ASSIGNED, ON_POOL_A, 1);
        awaitSeen(new Observation.Ready(workload.id(), 1));
        kubelet.holdTerminations();

        cluster.stop(workload.id(), 2);

        soon().untilAsserted(
                        () -> assertThat(job().getStatus().getTerminating()).isEqualTo(1));
        assertThat(seen).doesNotContain(new Observation.Gone(workload.id(), 2));
        kubelet.letGo();
        awaitSeen(new Observation.Gone(workload.id(), 2));
        assertThat(pods()).isEmpty();
    }

    @Test
    void it_is_released_again_only_when_the_old_pods_are_gone() {
        create();
        cluster.release(workload, ASSIGNED, ON_POOL_A, 1);
        awaitSeen(new Observation.Ready(workload.id(), 1));
        kubelet.holdTerminations();
        String first = pods().getFirst().getMetadata().getUid();
        cluster.stop(workload.id(), 2);
        soon().untilAsserted(
                        () -> assertThat(job().getStatus().getTerminating()).isEqualTo(1));

        cluster.release(workload, ASSIGNED, ON_POOL_A, 2);

        await().during(Duration.ofSeconds(1)).until(() -> job().getSpec().getSuspend());
        kubelet.letGo();

        awaitSeen(new Observation.Ready(workload.id(), 2));
        assertThat(pods())
                .singleElement()
                .satisfies(pod -> assertThat(pod.getMetadata().getUid()).isNotEqualTo(first));
    }

    @Test
    void it_ends_as_its_pods_end() {
        create(aJob(workload.name()).asks(GPU, "1").runsFor(Duration.ofMillis(100)));
        cluster.release(workload, ASSIGNED, ON_POOL_A, 1);
        awaitSeen(new Observation.Finished(workload.id(), 1, true, ""));

        workload = workload(workload.name() + "-bad");
        create(aJob(workload.name())
                .asks(GPU, "1")
                .runsFor(Duration.ofMillis(100))
                .fails());
        cluster.release(workload, ASSIGNED, ON_POOL_A, 1);
        awaitSeen(new Observation.Finished(
                workload.id(), 1, false, "BackoffLimitExceeded: Job has reached the specified backoff limit"));
    }

    @Test
    void what_was_never_released_is_gone_at_once_and_its_fence_keeps_a_late_release_out() {
        create();

        cluster.stop(workload.id(), 2);

        awaitSeen(new Observation.Gone(workload.id(), 2));
        assertThat(job().getMetadata().getAnnotations()).containsEntry(JobLabels.FENCE, "2");
        assertThat(job().getMetadata().getAnnotations()).doesNotContainKey(JobLabels.RELEASED);
    }

    @Test
    void a_release_that_was_made_before_the_fence_rose_changes_nothing_when_it_arrives() {
        create();
        JobSnapshot looked = JobSnapshot.of(job());
        String late = JobPatch.release(
                WantedJob.unknown(workload.id(), 1, WantedJob.Run.HELD).released(1, ON_POOL_A, null), looked);

        cluster.stop(workload.id(), 2);
        awaitSeen(new Observation.Gone(workload.id(), 2));
        JobWriter.Outcome outcome = new JobWriter(plane.client()).patch(looked, late);

        assertThat(outcome).isInstanceOf(JobWriter.Outcome.Moved.class);
        assertThat(job().getSpec().getSuspend()).isTrue();
        assertThat(pods()).isEmpty();
    }

    @Test
    void a_new_leader_finds_what_runs_and_knows_it_again() {
        create();
        cluster.release(workload, ASSIGNED, ON_POOL_A, 1);
        awaitSeen(new Observation.Ready(workload.id(), 1));
        cluster.close();
        seen.clear();

        cluster = new KubernetesClusterForTests(plane).started();
        assertThat(cluster.jobs())
                .filteredOn(job -> job.workload().equals(workload.id()))
                .singleElement()
                .satisfies(job -> {
                    assertThat(job.phase()).isEqualTo(Phase.RUNNING);
                    assertThat(job.uid()).isEqualTo(job().getMetadata().getUid());
                });
    }
}
