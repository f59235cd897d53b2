package dev.sluice.platform.demo;

import static dev.sluice.testkit.controlplane.FakeNode.aNode;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.api.CurrentConfiguration;
import dev.sluice.api.ManifestSubmissions;
import dev.sluice.kubernetes.KubernetesCluster;
import dev.sluice.kubernetes.KubernetesClusterForTests;
import dev.sluice.persistence.PostgresConfigurationStore;
import dev.sluice.persistence.PostgresWorkloadReader;
import dev.sluice.scheduling.CommandAnswer;
import dev.sluice.scheduling.ManifestIntake;
import dev.sluice.scheduling.ManifestIntake.Reading;
import dev.sluice.testkit.LocalService;
import dev.sluice.testkit.PostgresForTests;
import dev.sluice.testkit.controlplane.AuditLog.Request;
import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.testkit.controlplane.FakeKubelet;
import dev.sluice.testkit.controlplane.TestJob;
import dev.sluice.workload.QuotaCharge;
import dev.sluice.workload.WorkloadId;
import io.agroal.api.AgroalDataSource;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Three teams share 40 GPUs of a real Kubernetes control plane: Jobs made by kubectl's ways and Jobs made from submitted manifests,
 * pods bound by the real scheduler, and every write counted by the API server's own log.
 */
@Tag("cluster")
class ThreeTeamsOnKubernetesTest {
    private static ControlPlane plane;
    private static FakeKubelet kubelet;
    private static AgroalDataSource database;
    private static KubernetesCluster cluster;
    private static LocalService service;
    private static ManifestIntake manifests;

    @BeforeAll
    static void start() {
        plane = ControlPlane.start();
        for (int number = 1; number <= 5; number++) {
            aNode("gpu-" + number).with(ThreeTeams.GPU, "8").addTo(plane.client());
        }
        ThreeTeams.TEAMS.forEach(plane::createNamespace);
        kubelet = new FakeKubelet(plane.client());
        database = PostgresForTests.freshDatabase().open();
        cluster = new KubernetesClusterForTests(plane).started();
        service = LocalService.start(database, cluster);
        service.configurations().edit("tester", stored -> ThreeTeams.configuration());
        manifests = new ManifestSubmissions(
                new CurrentConfiguration(new PostgresConfigurationStore(database)), QuotaCharge.PLAIN);
        cluster.takeIn(manifests, new PostgresWorkloadReader(database), service.commands());
    }

    @AfterAll
    static void stop() {
        service.close();
        cluster.close();
        database.close();
        kubelet.close();
        plane.close();
    }

    @Test
    void three_teams_share_forty_gpus() {
        // (a) research asks for ten 2-GPU jobs: all ten run, 12 GPUs borrowed
        List<String> sweeps = createJobs("research", "sweep", "experiment");
        soon().untilAsserted(() -> assertThat(runningPods("research")).hasSize(10));
        soon().untilAsserted(() -> assertThat(used()).containsExactly(0L, 0L, 20L));

        // (b) batch asks for ten: six run, four wait
        List<String> evaluations = createJobs("batch", "eval", "batch");
        soon().untilAsserted(() -> assertThat(runningPods("batch")).hasSize(6));
        soon().untilAsserted(() -> assertThat(used()).containsExactly(0L, 12L, 20L));
        assertThat(evaluations.subList(6, 10))
                .allSatisfy(waiting -> assertThat(writes("batch", waiting))
                        .as("no write for waiting")
                        .isEmpty());

        // (c) serving asks for five 4-GPU groups: the six newest research jobs give 12 GPUs back
        List<WorkloadId> chats = submitGroups();
        soon().untilAsserted(() -> assertThat(runningPods("serving")).hasSize(10));
        soon().untilAsserted(() -> assertThat(used()).containsExactly(20L, 12L, 8L));
        assertThat(runningPods("research")).hasSize(4);
        assertThat(runningPods("research"))
                .extracting(pod -> pod.getMetadata().getLabels().get("batch.kubernetes.io/job-name"))
                .as("the four oldest by admission go on")
                .containsExactlyInAnyOrderElementsOf(sweeps.subList(0, 4));
        sweeps.subList(0, 4)
                .forEach(kept -> assertThat(writes("research", kept))
                        .as("one write per release")
                        .hasSize(1));
        soon().untilAsserted(() -> sweeps.subList(4, 10)
                .forEach(stopped -> assertThat(writes("research", stopped))
                        .as("one write per release and two per stop")
                        .hasSize(3)));

        // (d) serving ends: batch ends at 18 and research at 14; 8 stay free for serving
        chats.forEach(chat -> assertThat(service.cancel(chat)).isInstanceOf(CommandAnswer.Done.class));
        soon().untilAsserted(() -> assertThat(used()).containsExactly(0L, 18L, 14L));
        soon().untilAsserted(() -> assertThat(runningPods("batch")).hasSize(9));
        soon().untilAsserted(() -> assertThat(runningPods("research")).hasSize(7));
        soon().untilAsserted(() -> assertThat(runningPods("serving")).isEmpty());
        assertThat(writes("batch", evaluations.getLast()))
                .as("the last one still waits")
                .isEmpty();
        assertThat(allWrites())
                .as("no write failed")
                .allSatisfy(write -> assertThat(write.status()).isBetween(200, 299));
        int releases = 10 + 6 + 5 + 3 + 3;
        int stops = 6 + 5;
        int created = 5;
        soon().untilAsserted(() -> assertThat(allWrites()).hasSize(releases + 2 * stops + created));
    }

    private static List<String> createJobs(String team, String prefix, String priorityClass) {
        List<String> names = new ArrayList<>();
        for (int number = 1; number <= 10; number++) {
            String name = "%s-%02d".formatted(prefix, number);
            plane.client()
                    .resource(ofTeam(name, team, priorityClass).suspended().build())
                    .create();
            names.add(name);
            // In this order: each is stored before the next is made.
            soon().until(() -> workloads(team) == names.size());
        }
        return names;
    }

    private static List<WorkloadId> submitGroups() {
        List<WorkloadId> groups = new ArrayList<>();
        for (int number = 1; number <= 5; number++) {
            WorkloadId id = new WorkloadId(UUID.randomUUID().toString());
            String manifest = plane.client()
                    .getKubernetesSerialization()
                    .asJson(ofTeam("chat-" + number, "serving", "serving")
                            .pods(2)
                            .build());
            Reading reading = manifests.read(manifest, id, "tester");
            assertThat(reading).isInstanceOf(Reading.Understood.class);
            service.commands().submit(List.of(((Reading.Understood) reading).submission()));
            groups.add(id);
        }
        return groups;
    }

    private static TestJob ofTeam(String name, String team, String priorityClass) {
        return aJob(name).in(team).queue(team).priorityClass(priorityClass).asks(ThreeTeams.GPU, "2");
    }

    private static int workloads(String team) {
        return new PostgresWorkloadReader(database)
                        .counts(new dev.sluice.overview.WorkloadReader.Filter(
                                null, null, team, List.of(), null, null, null))
                        .values()
                        .stream()
                        .mapToInt(Long::intValue)
                        .sum();
    }

    private static List<Pod> runningPods(String namespace) {
        return plane.client().pods().inNamespace(namespace).list().getItems().stream()
                .filter(pod -> pod.getStatus().getPhase().equals("Running")
                        && pod.getMetadata().getDeletionTimestamp() == null)
                .toList();
    }

    private static List<Long> used() {
        return ThreeTeams.TEAMS.stream()
                .map(team -> Objects.requireNonNull(service.usage().queues().get(team))
                        .lines()
                        .getFirst()
                        .used())
                .toList();
    }

    private static List<Request> writes(String namespace, String job) {
        return allWrites().stream()
                .filter(request ->
                        request.namespace().equals(namespace) && request.name().equals(job))
                .toList();
    }

    private static List<Request> allWrites() {
        return plane.audit().writes(ControlPlane.SLUICE, "jobs");
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60));
    }
}
