package dev.sluice.kubernetes;

import static dev.sluice.testkit.controlplane.FakeNode.aNode;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.scheduling.Observation;
import dev.sluice.scheduling.Placement;
import dev.sluice.scheduling.Placement.PodSetPlacement;
import dev.sluice.testkit.controlplane.Component;
import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.testkit.controlplane.FakeKubelet;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Jobs released and stopped in quick succession, by many hands at once, while the Job controller is paused, slow or restarted. Whenever
 * a workload is said to be gone, the API server is asked on the spot: a pod that lives then, or comes before the next release, is one
 * whose devices somebody else may have been given.
 */
@Tag("cluster")
class QuickStopsTest {
    private static final int HANDS = 10;
    private static final Assignment ASSIGNED = new Assignment("queue", List.of(), false);
    private static final Placement PLACED =
            new Placement(List.of(new PodSetPlacement("main", 1, new TreeMap<>(Map.of("pool", "a")), List.of())));

    private static ControlPlane plane;
    private static FakeKubelet kubelet;
    private static KubernetesCluster cluster;
    private static final Map<Observation, CountDownLatch> AWAITED = new ConcurrentHashMap<>();

    @BeforeAll
    static void start() {
        plane = ControlPlane.start();
        aNode("a-1").with("nvidia.com/gpu", "1000").labelled("pool", "a").addTo(plane.client());
        kubelet = new FakeKubelet(plane.client());
        cluster = new KubernetesClusterForTests(plane).started();
        cluster.observe(observation -> AWAITED.computeIfAbsent(observation, key -> new CountDownLatch(1))
                .countDown());
        cluster.expect(List.of());
    }

    @AfterAll
    static void stop() {
        cluster.close();
        kubelet.close();
        plane.close();
    }

    @Test
    void a_thousand_quick_rounds_leave_no_pod_behind_a_workload_that_is_said_to_be_gone() throws Exception {
        assertThat(rounds(100, 1)).isEmpty();
    }

    @Test
    void nor_do_rounds_under_a_job_controller_that_is_paused_and_restarted() throws Exception {
        Thread troubles = Thread.ofPlatform().start(QuickStopsTest::trouble);
        try {
            assertThat(rounds(20, 2)).isEmpty();
        } finally {
            troubles.interrupt();
            troubles.join();
        }
    }

    private static void trouble() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                plane.pause(Component.CONTROLLER_MANAGER);
                try {
                    Thread.sleep(700);
                } finally {
                    plane.resume(Component.CONTROLLER_MANAGER);
                }
                Thread.sleep(300);
                plane.kill(Component.CONTROLLER_MANAGER);
                plane.restart(Component.CONTROLLER_MANAGER);
                Thread.sleep(1500);
            }
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<String> rounds(int perHand, int seed) throws Exception {
        List<String> breaches = new ArrayList<>();
        try (ExecutorService hands = Executors.newFixedThreadPool(HANDS)) {
            List<Future<List<String>>> results = new ArrayList<>();
            for (int hand = 0; hand < HANDS; hand++) {
                Random random = new Random(seed * 100L + hand);
                results.add(hands.submit(() -> releaseAndStop(perHand, random)));
            }
            for (Future<List<String>> result : results) {
                breaches.addAll(result.get());
            }
        }
        return breaches;
    }

    private static List<String> releaseAndStop(int rounds, Random random) throws InterruptedException {
        Workload workload = workload();
        cluster.create(
                workload,
                plane.client()
                        .getKubernetesSerialization()
                        .asJson(aJob(workload.name())
                                .queue("main")
                                .asks("nvidia.com/gpu", "1")
                                .build()),
                1);
        String uid =
                await().atMost(Duration.ofSeconds(60)).until(() -> uid(workload.name()), found -> !found.isEmpty());
        List<String> breaches = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            cluster.release(workload, ASSIGNED, PLACED, round);
            Thread.sleep(random.nextInt(30));
            cluster.stop(workload.id(), round + 1);
            AWAITED.computeIfAbsent(new Observation.Gone(workload.id(), round + 1), key -> new CountDownLatch(1))
                    .await();
            long live = livePods(uid);
            Thread.sleep(random.nextInt(20));
            live += livePods(uid);
            if (live > 0) {
                breaches.add(workload.name() + " had pods in round " + round);
            }
        }
        return breaches;
    }

    private static String uid(String name) {
        Job job = plane.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace("default")
                .withName(name)
                .get();
        return job == null ? "" : job.getMetadata().getUid();
    }

    private static long livePods(String uid) {
        return plane
                .client()
                .pods()
                .inNamespace("default")
                .withLabel(JobLabels.CONTROLLER_UID, uid)
                .list()
                .getItems()
                .stream()
                .filter(pod -> !isEnded(pod))
                .count();
    }

    private static boolean isEnded(Pod pod) {
        return List.of("Succeeded", "Failed").contains(pod.getStatus().getPhase());
    }

    private static Workload workload() {
        String name = "quick-" + UUID.randomUUID().toString().substring(0, 8);
        return new Workload(
                new WorkloadId(UUID.randomUUID().toString()),
                1,
                name,
                "default",
                "main",
                null,
                0,
                List.of(PodSet.of("main", 1, Map.of("nvidia.com/gpu", 1L))),
                Instant.EPOCH,
                null,
                null);
    }
}
