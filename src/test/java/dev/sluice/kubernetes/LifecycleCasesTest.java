package dev.sluice.kubernetes;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.persistence.PostgresWorkloadReader;
import dev.sluice.testkit.LocalService;
import dev.sluice.testkit.controlplane.ApiServerProxy;
import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.workload.WorkloadState;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What users of other queue managers met when Jobs ended, were deleted and made again, or the service was restarted. */
class LifecycleCasesTest extends KubernetesStory {
    @Test
    void lc_01_jobs_that_have_ended_hold_nothing_after_a_restart_and_nothing_is_said_of_them() {
        Job good = create(aJob("good").asks(GPU, "1").runsFor(Duration.ofMillis(200)));
        Job bad = create(
                aJob("bad").asks(GPU, "1").runsFor(Duration.ofMillis(200)).fails());
        awaitState(good, WorkloadState.SUCCEEDED);
        awaitState(bad, WorkloadState.FAILED);
        soon().until(() -> writes().size() == 2);
        long said = events();

        service.close();
        cluster.close();
        lead(new KubernetesClusterForTests(plane));
        Job next = create(aJob("next").asks(GPU, "4"));

        awaitState(next, WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(4);
        assertThat(writes("good")).as("its release").hasSize(1);
        assertThat(writes("bad")).as("its release").hasSize(1);
        soon().until(() -> events() > said);
        assertThat(events()).as("said of the next alone").isEqualTo(said + 1);
    }

    @Test
    void lc_02_a_job_that_is_deleted_with_its_pods_orphaned_holds_no_quota() {
        Job job = create(aJob("orphaning").asks(GPU, "1").pods(3));
        awaitState(job, WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(3);

        plane.client()
                .resource(job)
                .withPropagationPolicy(DeletionPropagation.ORPHAN)
                .delete();

        awaitState(job, WorkloadState.CANCELLED);
        soon().until(() -> used(QUEUE) == 0);
        plane.client().pods().inNamespace("default").withGracePeriod(0).delete();
    }

    @Test
    void lc_04_many_jobs_made_and_deleted_at_once_leave_nothing_behind() {
        service.configure(aCluster().queue(QUEUE, 30).build());
        List<Job> deleted = new ArrayList<>();
        for (int round = 0; round < 4; round++) {
            List<Job> flow = new ArrayList<>();
            for (int number = 0; number < 15; number++) {
                flow.add(create(aJob("quick-" + round + "-" + number).asks(GPU, "1")));
            }
            int running = round;
            soon().until(() -> flow.stream()
                            .filter(job -> state(job) == WorkloadState.RUNNING)
                            .count()
                    >= running);
            flow.forEach(job -> plane.client().resource(job).delete());
            deleted.addAll(flow);
        }
        Job last = create(aJob("last").asks(GPU, "30"));

        awaitState(last, WorkloadState.RUNNING);
        deleted.forEach(job -> assertThat(state(job)).isIn(WorkloadState.CANCELLED, null));
        assertThat(used(QUEUE)).isEqualTo(30);
        assertThat(jobs())
                .as("no finalizer holds any of them")
                .singleElement()
                .satisfies(left -> assertThat(left.getMetadata().getName()).isEqualTo("last"));
        assertThat(plane.client().pods().inNamespace("default").list().getItems())
                .hasSize(1);
    }

    @Test
    void lc_05_a_job_made_again_under_its_name_with_another_template_is_another_workload_and_runs() {
        Job first = create(aJob("again").asks(GPU, "3"));
        awaitState(first, WorkloadState.RUNNING);
        service.close();
        cluster.close();
        plane.client().resource(first).delete();
        soon().until(() -> job("again") == null);
        Job second = create(aJob("again").asks(GPU, "1").pods(2));
        lead(new KubernetesClusterForTests(plane));

        awaitState(second, WorkloadState.RUNNING);
        awaitState(first, WorkloadState.CANCELLED);
        assertThat(used(QUEUE)).isEqualTo(2);
        assertThat(pods("again"))
                .hasSize(2)
                .allSatisfy(pod -> assertThat(pod.getMetadata().getLabels())
                        .containsEntry(
                                JobLabels.CONTROLLER_UID, second.getMetadata().getUid()));
    }

    @Test
    void lc_11_a_job_that_was_held_without_a_queue_is_queued_and_runs_when_it_names_one() {
        Job held = plane.client()
                .resource(aJob("held").asks(GPU, "2").suspended().build())
                .create();
        Job other = create(aJob("other").asks(GPU, "2"));
        awaitState(other, WorkloadState.RUNNING);
        assertThat(state(held)).as("nobody asked for it yet").isNull();

        edit("held", "{\"metadata\": {\"labels\": {\"sluice.dev/queue-name\": \"" + QUEUE + "\"}}}");

        awaitState(held, WorkloadState.RUNNING);
        assertThat(used(QUEUE)).isEqualTo(4);
    }

    @Test
    void lc_17_twenty_jobs_are_all_taken_in_while_two_replicas_are_restarted_one_after_the_other() {
        KubernetesCluster otherCluster = new KubernetesClusterForTests(plane).started();
        LocalService other = LocalService.start(database, otherCluster);
        takeIn(otherCluster, other);
        List<Job> jobs = new ArrayList<>();
        for (int number = 0; number < 10; number++) {
            jobs.add(create(aJob("rolling-" + number).asks(GPU, "1").runsFor(Duration.ofMillis(300))));
        }
        service.close();
        cluster.close();
        for (int number = 10; number < 15; number++) {
            jobs.add(create(aJob("rolling-" + number).asks(GPU, "1").runsFor(Duration.ofMillis(300))));
        }
        lead(new KubernetesClusterForTests(plane));
        other.close();
        otherCluster.close();
        for (int number = 15; number < 20; number++) {
            jobs.add(create(aJob("rolling-" + number).asks(GPU, "1").runsFor(Duration.ofMillis(300))));
        }

        jobs.forEach(job -> awaitState(job, WorkloadState.SUCCEEDED));
        assertThat(used(QUEUE)).isZero();
    }

    @Test
    void lc_19_a_job_that_is_deleted_between_its_admission_and_its_release_leaves_no_reservation() {
        service.close();
        cluster.close();
        try (ApiServerProxy proxy = plane.proxy()) {
            lead(new KubernetesClusterForTests(plane.kubeconfig(ControlPlane.SLUICE, proxy), Duration.ofSeconds(30)));
            service.configure(aCluster().queue(QUEUE, 0).build());
            Job ghost = create(aJob("ghost").asks(GPU, "4"));
            soon().until(() -> isKnownToTheLeader(ghost));
            proxy.hold();
            service.configure(aCluster().queue(QUEUE, 4).build());
            awaitState(ghost, WorkloadState.ADMITTED);
            plane.client().resource(ghost).delete();
            soon().until(() -> job("ghost") == null);
            proxy.letGo();

            awaitState(ghost, WorkloadState.CANCELLED);
            assertThat(used(QUEUE)).isZero();
            Job next = create(aJob("next").asks(GPU, "4"));
            awaitState(next, WorkloadState.RUNNING);
        }
    }

    @Test
    void lc_20_a_job_that_fails_before_any_pod_of_it_runs_has_ended_and_holds_nothing() {
        kubelet.holdStarts();
        Job doomed = aJob("doomed").queue(QUEUE).asks(GPU, "4").suspended().build();
        doomed.getSpec().setActiveDeadlineSeconds(2L);
        Job job = plane.client().resource(doomed).create();
        awaitState(job, WorkloadState.ADMITTED);

        awaitState(job, WorkloadState.FAILED);

        assertThat(new PostgresWorkloadReader(database)
                        .find(id(job))
                        .orElseThrow()
                        .failure())
                .contains("DeadlineExceeded");
        soon().until(() -> used(QUEUE) == 0);
    }

    @Test
    void lc_25_a_job_made_again_while_the_old_pod_is_still_ending_waits_for_it_and_is_matched_by_uid() {
        Job first = create(aJob("again").asks(GPU, "4"));
        awaitState(first, WorkloadState.RUNNING);
        kubelet.holdTerminations();
        plane.client().resource(first).delete();
        soon().until(() -> job("again") == null);
        Job second = create(aJob("again").asks(GPU, "4"));

        awaitState(first, WorkloadState.EVICTING);
        await().during(Duration.ofSeconds(2))
                .until(() -> suspended("again") && state(second) != WorkloadState.ADMITTED);
        kubelet.letGo();

        awaitState(first, WorkloadState.CANCELLED);
        awaitState(second, WorkloadState.RUNNING);
    }

    @Test
    void a_namespace_that_is_deleted_takes_its_jobs_along_and_their_quota_comes_back() {
        service.configure(
                aCluster().queue(QUEUE, 4).localQueueIn("leaving", QUEUE, QUEUE).build());
        plane.client()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName("leaving")
                        .endMetadata()
                        .build())
                .create();
        Job running = create(aJob("running").in("leaving").asks(GPU, "4"));
        awaitState(running, WorkloadState.RUNNING);
        Job waiting = create(aJob("waiting").in("leaving").asks(GPU, "1"));
        awaitState(waiting, WorkloadState.PENDING);
        Job elsewhere = create(aJob("elsewhere").asks(GPU, "4"));

        plane.client().namespaces().withName("leaving").delete();

        awaitState(waiting, WorkloadState.CANCELLED);
        awaitState(elsewhere, WorkloadState.RUNNING);
        soon().until(() -> plane.client().namespaces().withName("leaving").get() == null);
        assertThat(state(running))
                .as("deleted, or failed since its pods were")
                .isIn(WorkloadState.CANCELLED, WorkloadState.FAILED);
    }

    @Test
    void a_job_that_a_finalizer_keeps_gives_its_quota_back_when_its_pods_are_gone() {
        Job kept = aJob("kept").queue(QUEUE).asks(GPU, "4").suspended().build();
        kept.getMetadata().setFinalizers(List.of("example.com/own"));
        Job job = plane.client().resource(kept).create();
        awaitState(job, WorkloadState.RUNNING);
        Job next = create(aJob("next").asks(GPU, "4"));

        plane.client()
                .resource(job)
                .withPropagationPolicy(DeletionPropagation.BACKGROUND)
                .delete();
        awaitState(job, WorkloadState.EVICTING);
        // While its Job is there nobody collects its pods; whoever keeps the one ends the others.
        List<Pod> pods = pods("kept");
        assertThat(pods).hasSize(1);
        await().during(Duration.ofSeconds(1)).until(() -> state(next) == WorkloadState.PENDING);
        pods.forEach(pod -> plane.client().resource(pod).delete());

        awaitState(job, WorkloadState.CANCELLED);
        awaitState(next, WorkloadState.RUNNING);
        assertThat(job("kept").getMetadata().getFinalizers()).containsExactly("example.com/own");
        edit("kept", "{\"metadata\": {\"finalizers\": null}}");
        soon().until(() -> job("kept") == null);
    }

    private static long events() {
        return plane.client().v1().events().inNamespace("default").list().getItems().stream()
                .filter(event -> event.getSource() != null
                        && "sluice".equals(event.getSource().getComponent()))
                .count();
    }
}
