package dev.sluice.kubernetes;

import static dev.sluice.testkit.controlplane.FakeNode.aNode;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.scheduling.Observation;
import dev.sluice.scheduling.Placement;
import dev.sluice.scheduling.Placement.PodSetPlacement;
import dev.sluice.testkit.controlplane.AuditLog.Request;
import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.testkit.controlplane.ControlPlaneOptions;
import dev.sluice.testkit.controlplane.FakeKubelet;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that lets the template of a Job change only before its first start, as every server before 1.36 is by default. */
@Tag("cluster")
class GatesOffTest {
    private static final ControlPlaneOptions OFF = ControlPlaneOptions.DEFAULT
            .with("MutableSchedulingDirectivesForSuspendedJobs", false)
            .with("MutablePodResourcesForSuspendedJobs", false);

    private static final Workload WORKLOAD = new Workload(
            new WorkloadId("w-1"),
            1,
            "train",
            "default",
            "main",
            null,
            0,
            List.of(PodSet.of("main", 1, Map.of("nvidia.com/gpu", 1L))),
            Instant.EPOCH,
            null,
            null);

    private final List<Observation> seen = new CopyOnWriteArrayList<>();

    @Test
    void a_stop_is_three_writes_none_of_which_fails_and_the_next_release_goes_to_another_flavor() {
        try (ControlPlane plane = ControlPlane.start(OFF);
                FakeKubelet kubelet = new FakeKubelet(plane.client());
                KubernetesCluster cluster = new KubernetesClusterForTests(plane).started()) {
            aNode("a-1").with("nvidia.com/gpu", "8").labelled("pool", "a").addTo(plane.client());
            aNode("b-1").with("nvidia.com/gpu", "8").labelled("pool", "b").addTo(plane.client());
            cluster.observe(seen::add);
            cluster.expect(List.of());
            cluster.create(
                    WORKLOAD,
                    plane.client()
                            .getKubernetesSerialization()
                            .asJson(aJob("train")
                                    .queue("main")
                                    .asks("nvidia.com/gpu", "1")
                                    .build()),
                    1);
            cluster.release(WORKLOAD, new Assignment("queue", List.of(), false), on("a"), 1);
            awaitSeen(new Observation.Ready(WORKLOAD.id(), 1));
            int before = writes(plane).size();

            cluster.stop(WORKLOAD.id(), 2);

            awaitSeen(new Observation.Gone(WORKLOAD.id(), 2));
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(job(plane).getMetadata().getAnnotations())
                            .doesNotContainKey(JobLabels.RELEASED));
            assertThat(job(plane).getSpec().getTemplate().getSpec().getNodeSelector())
                    .isNullOrEmpty();
            assertThat(writes(plane).subList(before, writes(plane).size()))
                    .hasSize(3)
                    .allSatisfy(write -> assertThat(write.status()).isEqualTo(200));

            cluster.release(WORKLOAD, new Assignment("queue", List.of(), false), on("b"), 2);

            awaitSeen(new Observation.Ready(WORKLOAD.id(), 2));
            assertThat(plane.client().pods().inNamespace("default").list().getItems())
                    .singleElement()
                    .satisfies(pod -> assertThat(pod.getSpec().getNodeName()).isEqualTo("b-1"));
            assertThat(writes(plane).subList(before + 3, writes(plane).size())).hasSize(1);
            assertThat(kubelet).isNotNull();
        }
    }

    private static Placement on(String pool) {
        return new Placement(List.of(new PodSetPlacement("main", 1, new TreeMap<>(Map.of("pool", pool)), List.of())));
    }

    private void awaitSeen(Observation observation) {
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(seen).contains(observation));
    }

    private static List<Request> writes(ControlPlane plane) {
        return plane.audit().writes(ControlPlane.SLUICE, "jobs");
    }

    private static Job job(ControlPlane plane) {
        return plane.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace("default")
                .withName("train")
                .get();
    }
}
