package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.controlplane.ApiServerProxy;
import dev.sluice.testkit.controlplane.AuditLog.Request;
import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.testkit.controlplane.TestJob;
import io.fabric8.kubernetes.api.model.Pod;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The packaged service as processes of their own on a real control plane: killed without warning, and stopped in the middle. */
@Tag("cluster")
class KilledAndPausedServiceTest {
    private static final int KILLS = 50;
    private static final int JOBS = 200;
    private static final long SEED = 20_260_401;
    /** Of all queues together, in thousandths of a core. */
    private static final long QUOTA = 1_000L * WorkloadFlow.QUEUE_CPU * WorkloadFlow.QUEUE_COUNT;

    private static final double SHARE_DURING_START = 0.2;
    private static final int WORK_MILLIS_MAX = 1_500;
    /** How far the flow may run ahead of the kills. */
    private static final int AHEAD_MAX = 12;

    private ClusterWorld world;

    @BeforeEach
    void start() throws InterruptedException {
        world = new ClusterWorld();
        world.rehearse();
    }

    @AfterEach
    void stop() {
        world.close();
    }

    @Test
    void jobs_flow_through_fifty_kills_and_nothing_is_lost_or_released_twice_or_over_admitted() throws Exception {
        int port = ServiceProcess.freePort();
        try (RestClient rest = new RestClient(url(port));
                JobFlow flow = new JobFlow(world.plane().client(), rest, JOBS, SEED)) {
            long started = System.nanoTime();
            ServiceProcess service = service(port);
            service.awaitReady();
            long startMillis = (System.nanoTime() - started) / 1_000_000;
            rest.apply(WorkloadFlow.documents());
            flow.start();
            service = kill(service, port, flow, startMillis);
            SortedMap<String, String> acknowledged = flow.awaitAcknowledged(Duration.ofMinutes(2));
            awaitEnds(rest);
            service.close();

            ClusterAudit cluster = ClusterAudit.of(world.plane().audit().changes(), QUOTA);
            FlowAudit tables = FlowAudit.of(world.database(), cluster.effects(), acknowledged);

            assertThat(acknowledged).hasSize(JOBS);
            assertThat(cluster.findings()).isEmpty();
            assertThat(tables.findings()).isEmpty();
            assertThat(LedgerAudit.findings(world.database(), cluster.effects(), QUOTA))
                    .isEmpty();
            assertThat(ReplayAudit.of(world.database()).differences()).isEmpty();
            assertThat(cluster.releases()).as("the audit saw the releases").isGreaterThanOrEqualTo(JOBS);
            assertThat(cluster.heldMost()).as("the quota was in use").isGreaterThan(1_000L * WorkloadFlow.QUEUE_CPU);
        }
    }

    private ServiceProcess kill(ServiceProcess first, int port, JobFlow flow, long startMillis)
            throws InterruptedException {
        ServiceProcess service = first;
        Random random = new Random(SEED);
        int allowed = 0;
        for (int kill = 1; kill <= KILLS; kill++) {
            int share = Math.min(JOBS, JOBS * kill / KILLS + AHEAD_MAX);
            flow.allow(share - allowed);
            allowed = share;
            boolean duringStart = random.nextDouble() < SHARE_DURING_START;
            long millis = random.nextLong(duringStart ? startMillis : WORK_MILLIS_MAX);
            if (!duringStart) {
                service.awaitReady();
            }
            TimeUnit.MILLISECONDS.sleep(millis);
            service.kill();
            service = service(port);
        }
        service.awaitReady();
        return service;
    }

    private static void awaitEnds(RestClient rest) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (rest.count("SUCCEEDED") < JOBS && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    @Test
    void a_leader_that_stood_still_between_commit_and_release_changes_nothing_once_its_workload_was_cancelled()
            throws Exception {
        assertThatLateReleaseChangesNothing((next, id) -> {
            cancel(next, id);
            soon().until(() -> count(next, "CANCELLED") == 1);
        });
        assertThat(runningPods()).isEmpty();
    }

    @Test
    void a_leader_that_stood_still_between_commit_and_release_changes_nothing_once_its_workload_was_evicted()
            throws Exception {
        assertThatLateReleaseChangesNothing((next, id) -> {
            create(TestJob.aJob("urgent").priorityClass("high").asks("cpu", "8"));
            soon().until(() -> count(next, "RUNNING") == 1 && count(next, "PENDING") == 1);
            soon().until(() -> runningPods().equals(List.of("urgent")));
        });
        assertThat(runningPods()).containsExactly("urgent");
    }

    private interface Story {
        void go(ServiceProcess next, String workload) throws InterruptedException;
    }

    private void assertThatLateReleaseChangesNothing(Story meanwhile) throws InterruptedException {
        try (ApiServerProxy proxy = world.plane().proxy()) {
            ServiceProcess deposed = world.startService(
                    ServiceProcess.freePort(),
                    world.plane().kubeconfig(ControlPlane.SLUICE, proxy),
                    Map.of("sluice.kubernetes.request-timeout", "300s"));
            deposed.awaitReady();
            apply(deposed, documents(0));
            String id = create(TestJob.aJob("late").asks("cpu", "8"));
            soon().until(() -> count(deposed, "PENDING") == 1);

            proxy.hold();
            apply(deposed, documents(8));
            soon().until(() -> count(deposed, "ADMITTED") == 1);
            soon().until(proxy::keepsSomething);
            deposed.pause();
            ServiceProcess next = service(ServiceProcess.freePort());
            next.awaitReady();
            soon().until(() -> count(next, "RUNNING") == 1);
            meanwhile.go(next, id);
            int before = writes().size();

            deposed.resume();
            proxy.letGo();

            soon().untilAsserted(() -> assertThat(writes().subList(before, writes().size()))
                    .as("the late release arrived")
                    .isNotEmpty());
            await().during(Duration.ofSeconds(3)).atMost(Duration.ofSeconds(10)).until(this::isSuspended);
            assertThat(writes().subList(before, writes().size()))
                    .allSatisfy(write -> assertThat(write.status()).isEqualTo(422));
        }
    }

    private static String documents(int cpu) {
        return WorkloadFlow.documents()
                .replace("nominalQuota: " + WorkloadFlow.QUEUE_CPU, "nominalQuota: " + cpu)
                .replace("  cohort: flow\n", "");
    }

    private ServiceProcess service(int port) {
        return world.startService(port, world.plane().kubeconfig(ControlPlane.SLUICE), Map.of());
    }

    private String create(TestJob job) {
        return world.plane()
                .client()
                .resource(job.in(JobFlow.NAMESPACE).queue("queue-0").suspended().build())
                .create()
                .getMetadata()
                .getUid();
    }

    private List<Request> writes() {
        return world.plane().audit().writes(ControlPlane.SLUICE, "jobs").stream()
                .filter(write -> write.resource().equals("jobs") && write.name().equals("late"))
                .toList();
    }

    private boolean isSuspended() {
        return Boolean.TRUE.equals(world.plane()
                .client()
                .batch()
                .v1()
                .jobs()
                .inNamespace(JobFlow.NAMESPACE)
                .withName("late")
                .get()
                .getSpec()
                .getSuspend());
    }

    /** By the names of their Jobs. */
    private List<String> runningPods() {
        return world.plane().client().pods().inNamespace(JobFlow.NAMESPACE).list().getItems().stream()
                .filter(pod -> pod.getStatus().getPhase().equals("Running"))
                .map(KilledAndPausedServiceTest::jobName)
                .toList();
    }

    private static String jobName(Pod pod) {
        return String.valueOf(pod.getMetadata().getLabels().get("batch.kubernetes.io/job-name"));
    }

    private static void apply(ServiceProcess service, String documents) throws InterruptedException {
        try (RestClient rest = new RestClient(service.url())) {
            rest.apply(documents);
        }
    }

    private static long count(ServiceProcess service, String state) throws InterruptedException {
        try (RestClient rest = new RestClient(service.url())) {
            return rest.count(state);
        }
    }

    private static void cancel(ServiceProcess service, String workload) throws InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            int status = http.send(
                            HttpRequest.newBuilder(service.url().resolve("/api/v1/workloads/" + workload))
                                    .DELETE()
                                    .build(),
                            BodyHandlers.discarding())
                    .statusCode();
            assertThat(status).isLessThan(300);
        } catch (java.io.IOException away) {
            throw new AssertionError("the service does not answer", away);
        }
    }

    private static URI url(int port) {
        return URI.create("http://127.0.0.1:" + port);
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(90));
    }
}
