package dev.sluice.kubernetes;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.controlplane.FakeNode.aNode;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.QuotaUsage;
import dev.sluice.admission.WaitReason;
import dev.sluice.api.CurrentConfiguration;
import dev.sluice.api.ManifestSubmissions;
import dev.sluice.persistence.PostgresConfigurationStore;
import dev.sluice.persistence.PostgresWorkloadReader;
import dev.sluice.scheduling.StoreUnavailable;
import dev.sluice.testkit.LocalService;
import dev.sluice.testkit.PostgresForTests;
import dev.sluice.testkit.controlplane.AuditLog.Request;
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
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/**
 * A leader, its store and a real control plane; each class has a control plane, each story a store and a leader. What a Job is called
 * in a story is its name in the namespace {@code default}.
 */
@Tag("cluster")
abstract class KubernetesStory {
    static final String GPU = "nvidia.com/gpu";
    static final String QUEUE = "lab";

    static ControlPlane plane;
    static FakeKubelet kubelet;

    AgroalDataSource database;
    KubernetesCluster cluster;
    LocalService service;

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

    static void label(String job, String key, @Nullable String value) {
        edit(
                job,
                "{\"metadata\": {\"labels\": {\"" + key + "\": " + (value == null ? "null" : "\"" + value + "\"")
                        + "}}}");
    }

    int priority(Job job) {
        return new PostgresWorkloadReader(database)
                .find(id(job))
                .orElseThrow()
                .status()
                .priority();
    }

    /** To be asked again until it is: a leader whose configuration was overtaken starts again from the store, and answers nobody meanwhile. */
    boolean isKnownToTheLeader(Job job) {
        return service.loop()
                .ask((engine, now) -> engine.status(id(job)).isPresent())
                .map(KubernetesStory::answer)
                .orElse(false);
    }

    private static boolean answer(CompletableFuture<Boolean> asked) {
        try {
            return asked.join();
        } catch (CompletionException failure) {
            if (failure.getCause() instanceof StoreUnavailable) {
                return false;
            }
            throw failure;
        }
    }

    /** Policies of the leader; a story may have its own. */
    AdmissionSettings settings() {
        return AdmissionSettings.defaults();
    }

    final void lead(KubernetesConfig config) {
        cluster = KubernetesCluster.connect(config);
        service = LocalService.start(database, cluster, settings());
        takeIn(cluster, service);
    }

    /** Jobs of the cluster are submitted to the service, which tells on them what becomes of them. */
    final void takeIn(KubernetesCluster from, LocalService by) {
        CurrentConfiguration configuration = new CurrentConfiguration(new PostgresConfigurationStore(database));
        from.giveNotice(configuration::recent, new PostgresWorkloadReader(database));
        takeInQuietly(from, by);
    }

    /** What becomes of the Jobs is not told on them. */
    final void takeInQuietly(KubernetesCluster from, LocalService by) {
        CurrentConfiguration configuration = new CurrentConfiguration(new PostgresConfigurationStore(database));
        from.takeIn(
                new ManifestSubmissions(configuration, QuotaCharge.PLAIN),
                new PostgresWorkloadReader(database),
                by.commands());
    }

    static Job create(TestJob job) {
        return plane.client().resource(job.queue(QUEUE).suspended().build()).create();
    }

    static WorkloadId id(Job job) {
        return new WorkloadId(job.getMetadata().getUid());
    }

    void awaitState(Job job, WorkloadState state) {
        soon().untilAsserted(() ->
                assertThat(state(job)).as(job.getMetadata().getName()).isEqualTo(state));
    }

    void awaitState(WorkloadId workload, WorkloadState state) {
        soon().untilAsserted(() -> assertThat(state(workload)).isEqualTo(state));
    }

    @Nullable WorkloadState state(Job job) {
        return state(id(job));
    }

    @Nullable WorkloadState state(WorkloadId workload) {
        return new PostgresWorkloadReader(database)
                .find(workload)
                .map(row -> row.status().state())
                .orElse(null);
    }

    /** What keeps a waiting Job waiting; null = nothing does, or it is not known. */
    @Nullable WaitReason reason(Job job) {
        return service.loop()
                .ask((engine, now) -> engine.reason(id(job)))
                .flatMap(CompletableFuture::join)
                .orElse(null);
    }

    /** GPUs that the queue has given away, as the leader has it once there is one. */
    long used(String queue) {
        QuotaUsage usage = soon().ignoreExceptions().until(() -> service.usage(), Objects::nonNull);
        return Objects.requireNonNull(usage.queues().get(queue))
                .lines()
                .getFirst()
                .used();
    }

    static void edit(String job, String merge) {
        plane.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace("default")
                .withName(job)
                .patch(PatchContext.of(PatchType.JSON_MERGE), merge);
    }

    static List<Request> writes(String job) {
        return writes().stream().filter(request -> request.name().equals(job)).toList();
    }

    /** To Jobs themselves; notices go to their status. */
    static List<Request> writes() {
        return plane.audit().writes(ControlPlane.SLUICE, "jobs").stream()
                .filter(request -> request.resource().equals("jobs"))
                .toList();
    }

    static Job job(String name) {
        return plane.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace("default")
                .withName(name)
                .get();
    }

    static List<Job> jobs() {
        return plane.client().batch().v1().jobs().inNamespace("default").list().getItems();
    }

    static boolean suspended(String name) {
        return Boolean.TRUE.equals(job(name).getSpec().getSuspend());
    }

    static List<Pod> pods(String job) {
        return plane.client()
                .pods()
                .inNamespace("default")
                .withLabel("batch.kubernetes.io/job-name", job)
                .list()
                .getItems();
    }

    static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60));
    }
}
