package dev.sluice.kubernetes;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.api.CurrentConfiguration;
import dev.sluice.api.ManifestSubmissions;
import dev.sluice.persistence.PostgresConfigurationStore;
import dev.sluice.persistence.PostgresWorkloadReader;
import dev.sluice.scheduling.ManifestIntake;
import dev.sluice.scheduling.Observation;
import dev.sluice.scheduling.Placement;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.testkit.LocalService;
import dev.sluice.testkit.PostgresForTests;
import dev.sluice.testkit.controlplane.AuditLog.Request;
import dev.sluice.testkit.controlplane.Component;
import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.testkit.controlplane.FaultyApiServer;
import dev.sluice.testkit.controlplane.FaultyApiServer.Fault;
import dev.sluice.testkit.controlplane.FaultyApiServer.Refusal;
import dev.sluice.testkit.controlplane.TestJob;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.QuotaCharge;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A part of the control plane is away, stands still or refuses everything for a while. Each time the same must hold: what runs goes on
 * untouched, decisions are made and kept, nothing is asked without pause, and afterwards everything catches up, once.
 */
class ApiServerFaultsTest extends KubernetesStory {
    private static final String FREE_QUEUE = "annex";
    private static final Duration AWAY = Duration.ofSeconds(10);
    /** Pauses between attempts double from 10 ms to 5 s: ten fit into ten seconds, each of two requests at most. */
    private static final long REQUESTS_MAX = 24;

    private FaultyApiServer faulty;
    private ManifestIntake manifests;

    /** Without notices, which are requests as well. */
    @BeforeEach
    @Override
    void start() {
        database = PostgresForTests.freshDatabase().open();
        faulty = plane.faulty();
        cluster = KubernetesCluster.connect(
                new KubernetesClusterForTests(plane.kubeconfig(ControlPlane.SLUICE, faulty), Duration.ofSeconds(5)));
        service = LocalService.start(database, cluster);
        manifests = new ManifestSubmissions(
                new CurrentConfiguration(new PostgresConfigurationStore(database)), QuotaCharge.PLAIN);
        cluster.takeIn(manifests, new PostgresWorkloadReader(database), service.commands());
        service.configure(aCluster().queue(QUEUE, 6).queue(FREE_QUEUE, 3).build());
    }

    @AfterEach
    @Override
    void stop() {
        super.stop();
        faulty.close();
    }

    @Test
    void everything_catches_up_after_the_api_server_was_stopped_for_ten_seconds() {
        assertEverythingCatchesUp(
                () -> plane.kill(Component.API_SERVER), () -> plane.restart(Component.API_SERVER), AWAY);
    }

    @Test
    void everything_catches_up_after_the_api_server_stood_still_for_ten_seconds() {
        assertEverythingCatchesUp(
                () -> plane.pause(Component.API_SERVER), () -> plane.resume(Component.API_SERVER), AWAY);
    }

    @Test
    void everything_catches_up_after_the_controller_manager_stood_still_for_ten_seconds() {
        assertEverythingCatchesUp(
                () -> plane.pause(Component.CONTROLLER_MANAGER),
                () -> plane.resume(Component.CONTROLLER_MANAGER),
                AWAY);
    }

    @Test
    void everything_catches_up_after_every_request_failed_with_500_for_ten_seconds() {
        assertEverythingCatchesUp(new Fault(500, "InternalError", "something broke", false, 0), AWAY);
        assertThat(requestsPerObject().values())
                .isNotEmpty()
                .allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(REQUESTS_MAX));
    }

    @Test
    void everything_catches_up_after_every_write_met_a_conflict_for_ten_seconds() {
        assertEverythingCatchesUp(new Fault(409, "Conflict", "the object has been modified", true, 0), AWAY);
        assertThat(requestsPerObject().values())
                .isNotEmpty()
                .allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(REQUESTS_MAX));
    }

    @Test
    void everything_catches_up_after_the_api_server_did_not_know_for_a_while_what_the_service_may_do() {
        assertEverythingCatchesUp(
                new Fault(
                        403,
                        "Forbidden",
                        "jobs.batch is forbidden: User \"sluice\" cannot create resource \"jobs\" in API group \"batch\"",
                        true,
                        0),
                Duration.ofSeconds(3));
    }

    @Test
    void an_api_server_that_asks_for_patience_is_given_it() {
        assertEverythingCatchesUp(new Fault(429, "TooManyRequests", "please try again later", false, 6), AWAY);
        // Two rounds fit into ten seconds. In each, a request that every worker had under way meets the answer.
        assertThat(requests()).isNotEmpty().hasSizeLessThanOrEqualTo(2 * 16);
    }

    @Test
    void a_leader_that_takes_over_while_the_api_server_is_away_decides_and_everything_catches_up() {
        WorkloadId steady = id(create(aJob("kept").asks(GPU, "1")));
        WorkloadId evicted = id(create(aJob("let-go").asks(GPU, "5")));
        WorkloadId ending = id(plane.client()
                .resource(aJob("ending")
                        .queue(FREE_QUEUE)
                        .asks(GPU, "1")
                        .runsFor(Duration.ofSeconds(5))
                        .suspended()
                        .build())
                .create());
        awaitState(steady, WorkloadState.RUNNING);
        awaitState(evicted, WorkloadState.RUNNING);
        WorkloadId waiting = id(create(aJob("waiting").asks(GPU, "4")));
        awaitState(waiting, WorkloadState.PENDING);
        List<Pod> ofSteady = pods("kept");
        service.close();
        cluster.close();
        faulty.answerWith(new Fault(500, "InternalError", "something broke", false, 0));
        cluster = KubernetesCluster.connect(
                new KubernetesClusterForTests(plane.kubeconfig(ControlPlane.SLUICE, faulty), Duration.ofSeconds(5)));
        service = LocalService.start(database, cluster);
        cluster.takeIn(manifests, new PostgresWorkloadReader(database), service.commands());

        WorkloadId submitted =
                submit(aJob("submitted").queue(FREE_QUEUE).asks(GPU, "1").runsFor(Duration.ofMillis(200)));
        awaitState(submitted, WorkloadState.ADMITTED);
        service.cancel(evicted);
        awaitState(evicted, WorkloadState.EVICTING);
        assertThat(state(waiting)).as("nobody saw its pods go").isEqualTo(WorkloadState.PENDING);
        assertThat(job("submitted")).isNull();
        faulty.letThrough();

        awaitState(submitted, WorkloadState.SUCCEEDED);
        awaitState(evicted, WorkloadState.CANCELLED);
        awaitState(waiting, WorkloadState.RUNNING);
        awaitState(ending, WorkloadState.SUCCEEDED);
        assertThat(state(steady)).isEqualTo(WorkloadState.RUNNING);
        assertThat(pods("kept"))
                .extracting(pod -> pod.getMetadata().getUid())
                .containsExactly(ofSteady.getFirst().getMetadata().getUid());
        assertThat(writes("submitted")).as("made once and released once").hasSize(2);
        assertThat(writes("kept")).as("its release").hasSize(1);
        assertThat(writes("waiting")).as("its release").hasSize(1);
    }

    @Test
    void a_workload_that_was_stopped_before_its_job_could_be_made_runs_when_it_is_admitted_again() {
        Workload workload = new Workload(
                new WorkloadId(UUID.randomUUID().toString()),
                1,
                "hasty",
                "default",
                "main",
                null,
                0,
                List.of(PodSet.of("main", 1, Map.of(GPU, 1L))),
                Instant.EPOCH,
                null,
                null);
        String manifest = plane.client()
                .getKubernetesSerialization()
                .asJson(aJob("hasty").asks(GPU, "1").build());
        Assignment assigned = new Assignment(QUEUE, List.of(), false);
        Placement anywhere = new Placement(List.of());
        List<Observation> seen = new CopyOnWriteArrayList<>();
        try (KubernetesCluster alone = KubernetesCluster.connect(
                new KubernetesClusterForTests(plane.kubeconfig(ControlPlane.SLUICE, faulty), Duration.ofSeconds(5)))) {
            alone.observe(seen::add);
            alone.expect(List.of());
            faulty.answerWith(new Fault(500, "InternalError", "something broke", false, 0));
            alone.create(workload, manifest, 1);
            alone.release(workload, assigned, anywhere, 1);
            alone.stop(workload.id(), 2);
            soon().untilAsserted(() -> assertThat(seen).contains(new Observation.Gone(workload.id(), 2)));
            faulty.letThrough();

            alone.release(workload, assigned, anywhere, 2);

            soon().untilAsserted(() -> assertThat(seen).contains(new Observation.Ready(workload.id(), 2)));
        }
    }

    private void assertEverythingCatchesUp(Fault fault, Duration length) {
        assertEverythingCatchesUp(() -> faulty.answerWith(fault), faulty::letThrough, length);
    }

    private void assertEverythingCatchesUp(Runnable begin, Runnable end, Duration length) {
        int before = plane.audit().requests().size();
        WorkloadId steady = id(create(aJob("steady").asks(GPU, "1")));
        WorkloadId evicted = id(create(aJob("evicted").asks(GPU, "5")));
        awaitState(steady, WorkloadState.RUNNING);
        awaitState(evicted, WorkloadState.RUNNING);
        List<Pod> ofSteady = pods("steady");
        List<WorkloadId> waiting = new ArrayList<>();
        for (int number = 1; number <= 5; number++) {
            waiting.add(id(create(aJob("waiting-" + number).asks(GPU, "2").runsFor(Duration.ofMillis(200)))));
        }
        waiting.forEach(one -> awaitState(one, WorkloadState.PENDING));

        begin.run();
        long over = System.nanoTime() + length.toNanos();
        service.cancel(evicted);
        List<WorkloadId> submitted = new ArrayList<>();
        for (int number = 1; number <= 3; number++) {
            submitted.add(submit(
                    aJob("submitted-" + number).queue(FREE_QUEUE).asks(GPU, "1").runsFor(Duration.ofMillis(200))));
        }
        awaitState(evicted, WorkloadState.EVICTING);
        submitted.forEach(one ->
                soon().untilAsserted(() -> assertThat(state(one)).isNotNull().isNotEqualTo(WorkloadState.PENDING)));
        await().atMost(length.multipliedBy(2)).until(() -> System.nanoTime() >= over);
        end.run();

        awaitState(evicted, WorkloadState.CANCELLED);
        waiting.forEach(one -> awaitState(one, WorkloadState.SUCCEEDED));
        submitted.forEach(one -> awaitState(one, WorkloadState.SUCCEEDED));
        assertThat(state(steady)).isEqualTo(WorkloadState.RUNNING);
        assertThat(pods("steady"))
                .extracting(pod -> pod.getMetadata().getUid())
                .containsExactly(ofSteady.getFirst().getMetadata().getUid());
        List<Request> all = plane.audit().requests();
        assertThat(all.subList(before, all.size()))
                .filteredOn(request -> request.isWrite() && request.resource().equals("jobs"))
                .filteredOn(request -> request.user().equals(ControlPlane.SLUICE) && request.status() < 300)
                .extracting(Request::verb, Request::name)
                .filteredOn(write -> !write.toList().getLast().equals("evicted"))
                .as("made once and released once")
                .doesNotHaveDuplicates();
        assertThat(all.subList(before, all.size()))
                .filteredOn(request ->
                        request.name().equals("steady") && request.resource().equals("jobs"))
                .filteredOn(request -> request.user().equals(ControlPlane.SLUICE))
                .extracting(Request::verb)
                .as("read when it was taken in, and then nothing but its release")
                .containsExactly("get", "patch");
    }

    /** Of those that were answered with the fault; the API server's audit log knows nothing of them. */
    private List<Refusal> requests() {
        return faulty.refusals();
    }

    private Map<String, Long> requestsPerObject() {
        return requests().stream()
                .map(refusal -> refusal.path().replaceFirst("[?].*", "").replaceFirst("/status$", ""))
                .filter(path -> path.contains("/jobs/"))
                .collect(Collectors.groupingBy(path -> path, Collectors.counting()));
    }

    /** As over REST: no Job exists yet. */
    private WorkloadId submit(TestJob job) {
        String manifest = plane.client().getKubernetesSerialization().asJson(job.build());
        WorkloadId id = new WorkloadId(UUID.randomUUID().toString());
        ManifestIntake.Reading.Understood understood =
                (ManifestIntake.Reading.Understood) manifests.read(manifest, id, "tester");
        assertThat(service.commands().submit(List.of(understood.submission())))
                .singleElement()
                .isInstanceOf(SubmissionResult.Accepted.class);
        return id;
    }
}
