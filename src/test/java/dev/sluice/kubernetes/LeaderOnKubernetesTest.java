package dev.sluice.kubernetes;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.admission.CheckStatus;
import dev.sluice.scheduling.Command;
import dev.sluice.scheduling.ManifestTrial;
import dev.sluice.scheduling.Submission;
import dev.sluice.testkit.controlplane.ApiServerProxy;
import dev.sluice.testkit.controlplane.AuditLog.Request;
import dev.sluice.testkit.controlplane.Component;
import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.PodSetUpdate;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A leader, its store and a real control plane, while one or the other is away, late or replaced. */
class LeaderOnKubernetesTest extends KubernetesStory {
    @Test
    void a_release_that_a_deposed_leader_had_under_way_changes_nothing_once_its_workload_was_cancelled() {
        service.close();
        cluster.close();
        try (ApiServerProxy proxy = plane.proxy()) {
            lead(new KubernetesClusterForTests(plane.kubeconfig(ControlPlane.SLUICE, proxy), Duration.ofMinutes(2)));
            KubernetesCluster deposed = cluster;
            service.configure(aCluster().queue(QUEUE, 0).build());
            Job job = create(aJob("late").asks(GPU, "4"));
            // It is stored before anybody leads; the leader knows it only once it has looked at the cluster.
            soon().until(() -> isKnownToTheLeader(job));
            proxy.hold();
            service.configure(aCluster().queue(QUEUE, 4).build());
            awaitState(job, WorkloadState.ADMITTED);
            // Between commit and answer: long enough for the release to be on the wire, which nobody can see from here.
            await().during(Duration.ofSeconds(1)).until(() -> suspended("late"));
            service.close();

            lead(new KubernetesClusterForTests(plane));
            awaitState(job, WorkloadState.RUNNING);
            service.cancel(id(job));
            awaitState(job, WorkloadState.CANCELLED);
            int before = writes("late").size();
            proxy.letGo();

            await().during(Duration.ofSeconds(2)).until(() -> suspended("late"));
            assertThat(pods("late")).isEmpty();
            assertThat(writes("late").subList(before, writes("late").size()))
                    .as("it arrived, and was refused")
                    .isNotEmpty()
                    .allSatisfy(write -> assertThat(write.status()).isEqualTo(422));
            deposed.close();
        }
    }

    @Test
    void what_an_admission_check_adds_is_on_the_pods_also_if_the_next_leader_lets_them_go() {
        service.configure(aCluster()
                .admissionCheck("budget")
                .queue(QUEUE, queue -> queue.gpus(4).checks("budget"))
                .build());
        Job job = create(aJob("checked").asks(GPU, "1"));
        awaitState(job, WorkloadState.RESERVED);
        cluster.close();
        service.commands()
                .changeCheck(
                        new Command.ChangeCheck(
                                id(job),
                                "budget",
                                CheckStatus.State.READY,
                                "",
                                null,
                                List.of(new PodSetUpdate(
                                        JobLabels.POD_SET,
                                        new TreeMap<>(Map.of("example.com/budget", "b7")),
                                        new TreeMap<>(),
                                        new TreeMap<>(),
                                        List.of()))),
                        "tester");
        awaitState(job, WorkloadState.ADMITTED);
        assertThat(suspended("checked")).as("nobody let it go").isTrue();
        service.close();

        lead(new KubernetesClusterForTests(plane));

        awaitState(job, WorkloadState.RUNNING);
        assertThat(pods("checked"))
                .singleElement()
                .satisfies(pod -> assertThat(pod.getMetadata().getLabels()).containsEntry("example.com/budget", "b7"));
        service.cancel(id(job));
        awaitState(job, WorkloadState.CANCELLED);
        soon().untilAsserted(() -> assertThat(job("checked").getSpec().getTemplate())
                .isEqualTo(job.getSpec().getTemplate()));
    }

    @Test
    void running_work_is_untouched_by_a_restart_of_the_service_and_waiting_work_goes_on_waiting() {
        Job running = create(aJob("running").asks(GPU, "3"));
        awaitState(running, WorkloadState.RUNNING);
        Job waiting = create(aJob("waiting").asks(GPU, "3"));
        awaitState(waiting, WorkloadState.PENDING);
        String pod = pods("running").getFirst().getMetadata().getUid();
        int written = writes().size();

        service.close();
        cluster.close();
        lead(new KubernetesClusterForTests(plane));
        Job small = create(aJob("small").asks(GPU, "1"));
        awaitState(small, WorkloadState.RUNNING);

        assertThat(pods("running"))
                .singleElement()
                .satisfies(same -> assertThat(same.getMetadata().getUid()).isEqualTo(pod));
        assertThat(writes().subList(written, writes().size()))
                .extracting(Request::name)
                .containsExactly("small");
    }

    @Test
    void an_eviction_that_a_killed_leader_began_is_ended_by_the_next() {
        Job job = create(aJob("evicted").asks(GPU, "4"));
        awaitState(job, WorkloadState.RUNNING);
        kubelet.holdTerminations();
        service.cancel(id(job));
        soon().until(() -> suspended("evicted"));
        service.close();
        cluster.close();

        lead(new KubernetesClusterForTests(plane));
        Job next = create(aJob("next").asks(GPU, "4"));
        await().during(Duration.ofSeconds(2)).until(() -> state(job) == WorkloadState.EVICTING);
        kubelet.letGo();

        awaitState(job, WorkloadState.CANCELLED);
        awaitState(next, WorkloadState.RUNNING);
        assertThat(pods("evicted")).isEmpty();
        soon().untilAsserted(() ->
                assertThat(job("evicted").getMetadata().getAnnotations()).doesNotContainKey(JobLabels.RELEASED));
    }

    @Test
    void decisions_go_on_while_the_api_server_is_away_and_take_hold_when_it_is_back() {
        Job running = create(aJob("running").asks(GPU, "2"));
        awaitState(running, WorkloadState.RUNNING);
        Job evicted = create(aJob("evicted").asks(GPU, "2"));
        awaitState(evicted, WorkloadState.RUNNING);
        Job waiting = create(aJob("waiting").asks(GPU, "2"));
        awaitState(waiting, WorkloadState.PENDING);

        plane.stop(Component.API_SERVER);
        service.cancel(id(evicted));
        awaitState(evicted, WorkloadState.EVICTING);
        plane.restart(Component.API_SERVER);

        awaitState(evicted, WorkloadState.CANCELLED);
        awaitState(waiting, WorkloadState.RUNNING);
        assertThat(state(running)).isEqualTo(WorkloadState.RUNNING);
        assertThat(pods("evicted")).isEmpty();
        soon().untilAsserted(() -> assertThat(pods("waiting")).hasSize(1));
    }

    @Test
    void everything_catches_up_after_the_api_server_was_paused() {
        Job running = create(aJob("running").asks(GPU, "4"));
        awaitState(running, WorkloadState.RUNNING);
        List<Job> flow = new ArrayList<>();
        for (int number = 1; number <= 8; number++) {
            flow.add(create(aJob("flow-" + number).asks(GPU, "1").runsFor(Duration.ofMillis(200))));
        }
        flow.forEach(job -> awaitState(job, WorkloadState.PENDING));

        plane.pause(Component.API_SERVER);
        service.cancel(id(running));
        awaitState(running, WorkloadState.EVICTING);
        // Longer than a request may take: those under way are given up, and whether they took hold is unknown.
        await().pollDelay(Duration.ofSeconds(6)).until(() -> true);
        plane.resume(Component.API_SERVER);

        flow.forEach(job -> awaitState(job, WorkloadState.SUCCEEDED));
        awaitState(running, WorkloadState.CANCELLED);
        flow.forEach(job -> assertThat(writes(job.getMetadata().getName()))
                .as("released once")
                .filteredOn(write -> write.status() == 200)
                .hasSize(1));
    }

    @Test
    void a_submission_is_tried_on_the_api_server_while_that_is_there_and_taken_while_it_is_not() {
        ManifestTrial trial = cluster.trial();
        assertThat(trial.refusal(submission("Never"))).isEmpty();
        assertThat(trial.refusal(submission("Sometimes")))
                .hasValueSatisfying(reason -> assertThat(reason).contains("spec.template.spec.restartPolicy"));
        assertThat(job("tried")).as("nothing came of it").isNull();

        plane.pause(Component.API_SERVER);
        try {
            // It may finish what it is at before it stands still.
            soon().until(() -> trial.refusal(submission("Sometimes")).isEmpty());
        } finally {
            plane.resume(Component.API_SERVER);
        }

        soon().until(() -> trial.refusal(submission("Sometimes")).isPresent());
    }

    @Test
    void of_many_submissions_each_is_tried_and_one_bad_one_does_not_hinder_the_others() {
        ManifestTrial trial = cluster.trial();
        List<Submission> many = new ArrayList<>();
        for (int number = 0; number < 60; number++) {
            many.add(submission(number % 7 == 3 ? "Sometimes" : "Never"));
        }

        List<Optional<String>> refusals = trial.refusals(many);

        assertThat(refusals).hasSize(60);
        for (int number = 0; number < 60; number++) {
            assertThat(refusals.get(number).isPresent()).as("item " + number).isEqualTo(number % 7 == 3);
        }
        assertThat(job("tried")).as("nothing came of it").isNull();
        plane.pause(Component.API_SERVER);
        try {
            long began = System.nanoTime();
            // What the server was at before it stood still may still be answered.
            soon().until(() -> trial.refusals(many).stream().allMatch(Optional::isEmpty));
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
        } finally {
            plane.resume(Component.API_SERVER);
        }
    }

    private static Submission submission(String restartPolicy) {
        Job job = aJob("tried").queue(QUEUE).asks(GPU, "1").build();
        job.getSpec().getTemplate().getSpec().setRestartPolicy(restartPolicy);
        return new Submission(
                new WorkloadId("w-tried"),
                "tried",
                "default",
                QUEUE,
                null,
                0,
                List.of(PodSet.of("main", 1, Map.of(GPU, 1L))),
                null,
                null,
                plane.client().getKubernetesSerialization().asJson(job),
                "tester",
                null,
                "hash");
    }
}
