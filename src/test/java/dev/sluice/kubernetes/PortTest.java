package dev.sluice.kubernetes;

import static dev.sluice.testkit.controlplane.FakeNode.aNode;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.quota.Toleration;
import dev.sluice.scheduling.Cluster.Phase;
import dev.sluice.scheduling.Observation;
import dev.sluice.scheduling.Placement;
import dev.sluice.scheduling.Placement.PodSetPlacement;
import dev.sluice.testkit.controlplane.AuditLog;
import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.testkit.controlplane.FakeKubelet;
import dev.sluice.testkit.controlplane.TestJob;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the cluster port promises, on a real control plane: each story is one workload, told what to do as the leader tells it. */
@Tag("cluster")
class PortTest {
    private static final String GPU = "nvidia.com/gpu";
    private static final String NAMESPACE = "default";
    private static final Assignment ASSIGNED = new Assignment("queue", List.of(), false);
    private static final Placement ON_POOL_A = new Placement(List.of(new PodSetPlacement(
            "main",
            1,
            new TreeMap<>(Map.of("pool", "a")),
            List.of(new Toleration("dedicated", "Equal", "gpu", "NoSchedule")))));

    private static ControlPlane plane;
    private static FakeKubelet kubelet;

    private final List<Observation> seen = new CopyOnWriteArrayList<>();
    private KubernetesCluster cluster;
    private Workload workload;

    @BeforeAll
    static void startControlPlane() {
        plane = ControlPlane.start();
        aNode("a-1")
                .with(GPU, "8")
                .labelled("pool", "a")
                .tainted("dedicated", "gpu", "NoSchedule")
                .addTo(plane.client());
        aNode("b-1").with(GPU, "8").labelled("pool", "b").addTo(plane.client());
        kubelet = new FakeKubelet(plane.client());
    }

    @AfterAll
    static void stopControlPlane() {
        kubelet.close();
        plane.close();
    }

    @BeforeEach
    void connect() {
        workload = workload("job-" + UUID.randomUUID().toString().substring(0, 8));
        cluster = leader();
    }

    @AfterEach
    void leave() {
        kubelet.letGo();
        cluster.close();
        plane.client().batch().v1().jobs().inNamespace(NAMESPACE).delete();
    }

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
                WantedJob.unknown(workload.id(), 1, WantedJob.Run.HELD).released(1, ON_POOL_A), looked);

        cluster.stop(workload.id(), 2);
        awaitSeen(new Observation.Gone(workload.id(), 2));
        JobWriter.Outcome outcome = new JobWriter(plane.client()).patch(looked, late);

        assertThat(outcome).isInstanceOf(JobWriter.Outcome.Moved.class);
        assertThat(job().getSpec().getSuspend()).isTrue();
        assertThat(pods()).isEmpty();
    }

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
        plane.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace(NAMESPACE)
                .withName(workload.name())
                .delete();
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

        plane.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace(NAMESPACE)
                .withName(workload.name())
                .delete();

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

    private KubernetesCluster leader() {
        KubernetesCluster leading = new KubernetesClusterForTests(plane).started();
        leading.observe(seen::add);
        leading.expect(List.of());
        return leading;
    }

    private void create() {
        create(aJob(workload.name()).queue("main").asks(GPU, "1"));
    }

    private void create(TestJob job) {
        cluster.create(workload, plane.client().getKubernetesSerialization().asJson(job.build()), 1);
        soon().until(() -> seen.stream()
                        .anyMatch(one -> one instanceof Observation.Created created
                                && created.workload().equals(workload.id()))
                || seen.stream().anyMatch(Observation.Refused.class::isInstance));
    }

    private void awaitSeen(Observation observation) {
        soon().untilAsserted(() -> assertThat(seen).contains(observation));
    }

    private void byHand(String merge) {
        plane.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace(NAMESPACE)
                .withName(workload.name())
                .patch(PatchContext.of(PatchType.JSON_MERGE), merge);
    }

    private List<AuditLog.Request> writes() {
        return plane.audit().writes(ControlPlane.SLUICE, "jobs").stream()
                .filter(request -> request.name().equals(workload.name()))
                .toList();
    }

    private Job job() {
        return jobNamed(workload.name());
    }

    private static Job jobNamed(String name) {
        return plane.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace(NAMESPACE)
                .withName(name)
                .get();
    }

    private List<Pod> pods() {
        return plane.client()
                .pods()
                .inNamespace(NAMESPACE)
                .withLabel("batch.kubernetes.io/job-name", workload.name())
                .list()
                .getItems();
    }

    private static List<Pod> podsOf(Job job) {
        return plane.client()
                .pods()
                .inNamespace(NAMESPACE)
                .withLabel(JobLabels.CONTROLLER_UID, job.getMetadata().getUid())
                .list()
                .getItems();
    }

    private static Workload workload(String name) {
        return new Workload(
                new WorkloadId(UUID.randomUUID().toString()),
                1,
                name,
                NAMESPACE,
                "main",
                null,
                0,
                List.of(PodSet.of("main", 1, Map.of(GPU, 1L))),
                Instant.EPOCH,
                null,
                null);
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }
}
