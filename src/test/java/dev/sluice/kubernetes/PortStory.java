package dev.sluice.kubernetes;

import static dev.sluice.testkit.controlplane.FakeNode.aNode;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.quota.Toleration;
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
import io.fabric8.kubernetes.client.dsl.ScalableResource;
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

/** The cluster port on a real control plane: each story is one workload, told what to do as the leader tells it. */
@Tag("cluster")
abstract class PortStory {
    static final String GPU = "nvidia.com/gpu";
    static final String NAMESPACE = "default";
    static final Assignment ASSIGNED = new Assignment("queue", List.of(), false);
    static final Placement ON_POOL_A = new Placement(List.of(new PodSetPlacement(
            "main",
            1,
            new TreeMap<>(Map.of("pool", "a")),
            List.of(new Toleration("dedicated", "Equal", "gpu", "NoSchedule")))));

    static ControlPlane plane;
    static FakeKubelet kubelet;

    final List<Observation> seen = new CopyOnWriteArrayList<>();
    KubernetesCluster cluster;
    Workload workload;

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

    KubernetesCluster leader() {
        KubernetesCluster leading = new KubernetesClusterForTests(plane).started();
        leading.observe(seen::add);
        leading.expect(List.of());
        return leading;
    }

    void create() {
        create(aJob(workload.name()).queue("main").asks(GPU, "1"));
    }

    void create(TestJob job) {
        cluster.create(workload, plane.client().getKubernetesSerialization().asJson(job.build()), 1);
        soon().until(() -> seen.stream()
                        .anyMatch(one -> one instanceof Observation.Created created
                                && created.workload().equals(workload.id()))
                || seen.stream().anyMatch(Observation.Refused.class::isInstance));
    }

    void awaitSeen(Observation observation) {
        soon().untilAsserted(() -> assertThat(seen).contains(observation));
    }

    void byHand(String merge) {
        byName(workload.name()).patch(PatchContext.of(PatchType.JSON_MERGE), merge);
    }

    /** As the Job controller writes it. */
    void statusByHand(String merge) {
        byName(workload.name()).subresource("status").patch(PatchContext.of(PatchType.JSON_MERGE), merge);
    }

    List<AuditLog.Request> writes() {
        return plane.audit().writes(ControlPlane.SLUICE, "jobs").stream()
                .filter(request -> request.name().equals(workload.name()))
                .toList();
    }

    Job job() {
        return jobNamed(workload.name());
    }

    static Job jobNamed(String name) {
        return byName(name).get();
    }

    static ScalableResource<Job> byName(String name) {
        return plane.client().batch().v1().jobs().inNamespace(NAMESPACE).withName(name);
    }

    List<Pod> pods() {
        return plane.client()
                .pods()
                .inNamespace(NAMESPACE)
                .withLabel("batch.kubernetes.io/job-name", workload.name())
                .list()
                .getItems();
    }

    static List<Pod> podsOf(Job job) {
        return plane.client()
                .pods()
                .inNamespace(NAMESPACE)
                .withLabel(JobLabels.CONTROLLER_UID, job.getMetadata().getUid())
                .list()
                .getItems();
    }

    static Workload workload(String name) {
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

    static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }
}
