package dev.sluice.kubernetes;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.controlplane.FakeNode.aNode;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.api.CurrentConfiguration;
import dev.sluice.api.ManifestSubmissions;
import dev.sluice.persistence.PostgresConfigurationStore;
import dev.sluice.persistence.PostgresWorkloadReader;
import dev.sluice.testkit.LocalService;
import dev.sluice.testkit.PostgresForTests;
import dev.sluice.testkit.controlplane.ApiServerProxy;
import dev.sluice.testkit.controlplane.AuditLog.Request;
import dev.sluice.testkit.controlplane.Component;
import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.testkit.controlplane.FakeKubelet;
import dev.sluice.testkit.controlplane.TestJob;
import dev.sluice.workload.QuotaCharge;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import io.agroal.api.AgroalDataSource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A leader, its store and a real control plane, while one or the other is away, late or replaced. */
@Tag("cluster")
class LeaderOnKubernetesTest {
    private static final String GPU = "nvidia.com/gpu";
    private static final String QUEUE = "lab";

    private static ControlPlane plane;
    private static FakeKubelet kubelet;

    private AgroalDataSource database;
    private KubernetesCluster cluster;
    private LocalService service;

    @BeforeAll
    static void startControlPlane() {
        plane = ControlPlane.start();
        aNode("gpu-1").with(GPU, "64").addTo(plane.client());
        kubelet = new FakeKubelet(plane.client());
    }

    @AfterAll
    static void stopControlPlane() {
        kubelet.close();
        plane.close();
    }

    @BeforeEach
    void start() {
        database = PostgresForTests.freshDatabase().open();
        lead(new KubernetesClusterForTests(plane));
        service.configure(aCluster().queue(QUEUE, 4).build());
    }

    @AfterEach
    void stop() {
        kubelet.letGo();
        service.close();
        cluster.close();
        database.close();
        plane.client().batch().v1().jobs().inNamespace("default").delete();
        soon().untilAsserted(() -> assertThat(
                        plane.client().pods().inNamespace("default").list().getItems())
                .isEmpty());
    }

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
    void running_work_is_untouched_by_a_restart_of_the_service_and_waiting_work_goes_on_waiting() {
        Job running = create(aJob("running").asks(GPU, "3"));
        awaitState(running, WorkloadState.RUNNING);
        Job waiting = create(aJob("waiting").asks(GPU, "3"));
        awaitState(waiting, WorkloadState.PENDING);
        String pod = pods("running").getFirst().getMetadata().getUid();
        int written = plane.audit().writes(ControlPlane.SLUICE, "jobs").size();

        service.close();
        cluster.close();
        lead(new KubernetesClusterForTests(plane));
        Job small = create(aJob("small").asks(GPU, "1"));
        awaitState(small, WorkloadState.RUNNING);

        assertThat(pods("running"))
                .singleElement()
                .satisfies(same -> assertThat(same.getMetadata().getUid()).isEqualTo(pod));
        assertThat(plane.audit()
                        .writes(ControlPlane.SLUICE, "jobs")
                        .subList(
                                written,
                                plane.audit()
                                        .writes(ControlPlane.SLUICE, "jobs")
                                        .size()))
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
    void a_job_that_is_deleted_with_its_pods_orphaned_gives_its_quota_back() {
        Job job = create(aJob("orphaning").asks(GPU, "3"));
        awaitState(job, WorkloadState.RUNNING);

        plane.client()
                .resource(job)
                .withPropagationPolicy(io.fabric8.kubernetes.api.model.DeletionPropagation.ORPHAN)
                .delete();

        awaitState(job, WorkloadState.CANCELLED);
        soon().untilAsserted(() -> assertThat(
                        Objects.requireNonNull(service.usage().queues().get(QUEUE))
                                .lines()
                                .getFirst()
                                .used())
                .isZero());
        plane.client().pods().inNamespace("default").withGracePeriod(0).delete();
    }

    @Test
    void a_job_deleted_and_made_again_under_its_name_is_another_workload() {
        Job first = create(aJob("again").asks(GPU, "3"));
        awaitState(first, WorkloadState.RUNNING);
        plane.client().resource(first).delete();
        Job second = create(aJob("again").asks(GPU, "3"));

        awaitState(first, WorkloadState.CANCELLED);
        awaitState(second, WorkloadState.RUNNING);
        assertThat(second.getMetadata().getUid())
                .isNotEqualTo(first.getMetadata().getUid());
    }

    @Test
    void a_waiting_job_follows_its_labels_to_another_queue_and_to_another_priority() {
        service.configure(aCluster()
                .queue(QUEUE, 1)
                .queue("annex", 1)
                .priorityClass("urgent", 1000)
                .build());
        Job running = create(aJob("running").asks(GPU, "1"));
        awaitState(running, WorkloadState.RUNNING);
        Job mover = create(aJob("mover").asks(GPU, "1"));
        awaitState(mover, WorkloadState.PENDING);
        Job patient = create(aJob("patient").asks(GPU, "1"));
        awaitState(patient, WorkloadState.PENDING);
        Job hasty = create(aJob("hasty").asks(GPU, "1"));
        awaitState(hasty, WorkloadState.PENDING);
        soon().until(() -> isKnownToTheLeader(hasty));

        label("mover", "sluice.dev/queue-name", "annex");
        awaitState(mover, WorkloadState.RUNNING);

        label("hasty", "sluice.dev/priority-class", "urgent");
        soon().until(() -> priority(hasty) == 1000);
        plane.client().resource(running).delete();
        awaitState(hasty, WorkloadState.RUNNING);
        assertThat(state(patient)).isEqualTo(WorkloadState.PENDING);
    }

    @Test
    void the_queue_of_a_job_that_runs_stays_what_it_is_whatever_its_label_says() {
        service.configure(aCluster().queue(QUEUE, 1).queue("annex", 1).build());
        Job running = create(aJob("running").asks(GPU, "1"));
        awaitState(running, WorkloadState.RUNNING);

        label("running", "sluice.dev/queue-name", null);
        label("running", "sluice.dev/queue-name", "annex");
        Job other = create(aJob("other").asks(GPU, "1"));

        awaitState(other, WorkloadState.PENDING);
        await().during(Duration.ofSeconds(1)).until(() -> state(other) == WorkloadState.PENDING);
        assertThat(state(running)).isEqualTo(WorkloadState.RUNNING);
        assertThat(Objects.requireNonNull(service.usage().queues().get("annex"))
                        .lines()
                        .getFirst()
                        .used())
                .isZero();
    }

    @Test
    void jobs_that_have_ended_are_not_taken_in_at_a_start() {
        service.close();
        cluster.close();
        Job done = plane.client()
                .resource(aJob("done")
                        .queue(QUEUE)
                        .asks(GPU, "1")
                        .runsFor(Duration.ZERO)
                        .build())
                .create();
        soon().until(() -> JobSnapshot.of(job("done")).status().end() != null);

        lead(new KubernetesClusterForTests(plane));
        Job next = create(aJob("next").asks(GPU, "4"));

        awaitState(next, WorkloadState.RUNNING);
        assertThat(new PostgresWorkloadReader(database).find(id(done))).isEmpty();
    }

    private static void label(String job, String key, @Nullable String value) {
        plane.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace("default")
                .withName(job)
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"metadata\": {\"labels\": {\"" + key + "\": "
                                + (value == null ? "null" : "\"" + value + "\"") + "}}}");
    }

    private int priority(Job job) {
        return new PostgresWorkloadReader(database)
                .find(id(job))
                .orElseThrow()
                .status()
                .priority();
    }

    private boolean isKnownToTheLeader(Job job) {
        return service.loop()
                .ask((engine, now) -> engine.status(id(job)).isPresent())
                .map(CompletableFuture::join)
                .orElse(false);
    }

    private void lead(KubernetesConfig config) {
        cluster = KubernetesCluster.connect(config);
        service = LocalService.start(database, cluster);
        cluster.takeIn(
                new ManifestSubmissions(
                        new CurrentConfiguration(new PostgresConfigurationStore(database)), QuotaCharge.PLAIN),
                new PostgresWorkloadReader(database),
                service.commands());
    }

    private static Job create(TestJob job) {
        return plane.client().resource(job.queue(QUEUE).suspended().build()).create();
    }

    private static WorkloadId id(Job job) {
        return new WorkloadId(job.getMetadata().getUid());
    }

    private void awaitState(Job job, WorkloadState state) {
        soon().untilAsserted(() ->
                assertThat(state(job)).as(job.getMetadata().getName()).isEqualTo(state));
    }

    private @Nullable WorkloadState state(Job job) {
        return new PostgresWorkloadReader(database)
                .find(id(job))
                .map(row -> row.status().state())
                .orElse(null);
    }

    private static List<Request> writes(String job) {
        return plane.audit().writes(ControlPlane.SLUICE, "jobs").stream()
                .filter(request -> request.name().equals(job))
                .toList();
    }

    private static Job job(String name) {
        return plane.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace("default")
                .withName(name)
                .get();
    }

    private static boolean suspended(String name) {
        return Boolean.TRUE.equals(job(name).getSpec().getSuspend());
    }

    private static List<Pod> pods(String job) {
        return plane.client()
                .pods()
                .inNamespace("default")
                .withLabel("batch.kubernetes.io/job-name", job)
                .list()
                .getItems();
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60));
    }
}
