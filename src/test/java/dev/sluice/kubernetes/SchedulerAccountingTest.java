package dev.sluice.kubernetes;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.controlplane.FakeNode.aNode;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import dev.sluice.api.CurrentConfiguration;
import dev.sluice.api.ManifestSubmissions;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.Resources;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.ConfigurationStore;
import dev.sluice.scheduling.ManifestIntake;
import dev.sluice.testkit.controlplane.ControlPlane;
import dev.sluice.testkit.controlplane.FakeNode;
import dev.sluice.workload.QuotaCharge;
import dev.sluice.workload.WorkloadId;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a pod is charged is what the scheduler counts: on a node that has exactly that, the real scheduler binds it; on one that has one
 * unit less of any of it, it does not. And a Job whose pods the API server would refuse is refused, for the same reason.
 */
@Tag("cluster")
class SchedulerAccountingTest {
    private static final String PLAIN = "plain";
    private static final String DEFAULTED = "defaulted";

    private static ControlPlane plane;
    private static KubernetesCluster cluster;
    private static ManifestIntake manifests;

    @BeforeAll
    static void start() {
        plane = ControlPlane.start();
        plane.createNamespace(PLAIN);
        plane.createNamespace(DEFAULTED);
        create("""
                apiVersion: node.k8s.io/v1
                kind: RuntimeClass
                metadata: {name: sandboxed}
                handler: sandboxed
                overhead: {podFixed: {cpu: 250m, memory: 120Mi}}
                """);
        create("""
                apiVersion: v1
                kind: LimitRange
                metadata: {name: b-second, namespace: defaulted}
                spec:
                  limits:
                  - type: Container
                    defaultRequest: {ephemeral-storage: 1Gi}
                """);
        create("""
                apiVersion: v1
                kind: LimitRange
                metadata: {name: a-first, namespace: defaulted}
                spec:
                  limits:
                  - type: Container
                    default: {cpu: 500m, memory: 256Mi}
                    defaultRequest: {cpu: 300m}
                    min: {cpu: 50m}
                    max: {cpu: "2"}
                    maxLimitRequestRatio: {memory: "2"}
                  - type: Pod
                    max: {cpu: "3"}
                """);
        cluster = new KubernetesClusterForTests(plane).started();
        manifests = new ManifestSubmissions(
                new CurrentConfiguration(new Fixed(aCluster()
                        .queue("main", 8)
                        .localQueueIn(PLAIN, "main", "main")
                        .localQueueIn(DEFAULTED, "main", "main")
                        .build())),
                QuotaCharge.PLAIN,
                cluster.podRules());
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .untilAsserted(() ->
                        assertThat(cluster.podRules().limitRanges(DEFAULTED)).hasSize(2));
    }

    @AfterAll
    static void stop() {
        cluster.close();
        plane.close();
    }

    @Test
    void containers_together_or_the_largest_init_container() {
        assertCountedAsScheduled("init", PLAIN, """
                containers:
                - {name: a, image: example.com/a, resources: {requests: {cpu: 300m, memory: 64Mi}}}
                - {name: b, image: example.com/b, resources: {requests: {cpu: 450m}}}
                initContainers:
                - {name: i, image: example.com/i, resources: {requests: {cpu: 500m, memory: 1000001}}}
                - {name: j, image: example.com/j, resources: {requests: {memory: 100Mi}}}
                """);
    }

    @Test
    void qm_07_sidecars_stack_on_what_starts_after_them() {
        SortedMap<String, Long> counted = assertCountedAsScheduled("sidecar", PLAIN, """
                containers:
                - {name: a, image: example.com/a, resources: {requests: {cpu: 100m}}}
                initContainers:
                - {name: s, image: example.com/s, restartPolicy: Always, resources: {requests: {cpu: 100m}}}
                - {name: i, image: example.com/i, resources: {requests: {cpu: 200m}}}
                """);

        assertThat(counted).containsExactly(entry("cpu", 300L));
    }

    @Test
    void qm_08_overhead_of_the_runtime_class() {
        SortedMap<String, Long> counted = assertCountedAsScheduled("runtime", PLAIN, """
                runtimeClassName: sandboxed
                containers:
                - {name: a, image: example.com/a, resources: {requests: {cpu: "1"}}}
                """);

        assertThat(counted).containsExactly(entry("cpu", 1250L), entry("memory", 120L << 20));
    }

    @Test
    void a_request_of_the_whole_pod() {
        assertCountedAsScheduled("pod-level", PLAIN, """
                resources: {requests: {cpu: "2"}, limits: {memory: 1Gi}}
                runtimeClassName: sandboxed
                containers:
                - {name: a, image: example.com/a, resources: {requests: {cpu: 300m}}}
                - {name: b, image: example.com/b, resources: {requests: {memory: 300Mi}}}
                """);
    }

    @Test
    void huge_pages_of_the_whole_pod() {
        assertCountedAsScheduled("huge", PLAIN, """
                resources: {requests: {cpu: "1"}, limits: {cpu: "1", hugepages-2Mi: 8Mi}}
                containers:
                - name: a
                  image: example.com/a
                  resources: {requests: {memory: 100Mi}, limits: {memory: 100Mi, hugepages-2Mi: 4Mi}}
                """);
    }

    @Test
    void qt_10_limits_where_requests_are_missing() {
        assertCountedAsScheduled("limits", PLAIN, """
                containers:
                - name: a
                  image: example.com/a
                  resources: {requests: {cpu: 100m}, limits: {cpu: 300m, memory: 1G, nvidia.com/gpu: 2}}
                - name: b
                  image: example.com/b
                  resources: {limits: {cpu: 70m, ephemeral-storage: 3Gi}}
                """);
    }

    @Test
    void defaults_of_the_namespace() {
        SortedMap<String, Long> counted = assertCountedAsScheduled("defaulted", DEFAULTED, """
                containers:
                - {name: silent, image: example.com/a}
                - {name: spoken, image: example.com/b, resources: {requests: {cpu: 100m}, limits: {memory: 300Mi}}}
                """);

        assertThat(counted)
                .containsExactly(entry("cpu", 400L), entry("ephemeral-storage", 2L << 30), entry("memory", 556L << 20));
    }

    @Test
    void defaults_of_the_namespace_below_a_request_of_the_whole_pod() {
        assertCountedAsScheduled("defaulted-pod", DEFAULTED, """
                resources: {limits: {cpu: "1500m"}}
                containers:
                - {name: silent, image: example.com/a}
                """);
    }

    @Test
    void what_breaks_the_limits_of_the_namespace_is_refused_as_its_pods_would_be() {
        assertRefused("""
                containers:
                - {name: a, image: example.com/a, resources: {requests: {cpu: 2500m}, limits: {cpu: 2500m}}}
                """, "containers[0].resources.limits.cpu (2500m) must be at most 2");
        assertRefused("""
                containers:
                - {name: a, image: example.com/a, resources: {requests: {cpu: 600m}}}
                """, "containers[0].resources.limits.cpu (500m) must be at least its request, which is 600m");
        assertRefused("""
                containers:
                - {name: a, image: example.com/a, resources: {requests: {cpu: 10m}}}
                """, "containers[0].resources.requests.cpu (10m) must be at least 50m");
        assertRefused(
                """
                containers:
                - {name: a, image: example.com/a, resources: {requests: {memory: 100Mi}}}
                """,
                "containers[0].resources.limits.memory (256Mi) must be at most 2 times its request, which is 100Mi");
        assertRefused("""
                containers:
                - {name: a, image: example.com/a, resources: {limits: {cpu: "2"}}}
                - {name: b, image: example.com/b, resources: {limits: {cpu: "2"}}}
                """, "resources.limits.cpu (4) must be at most 3");
        assertRefused("""
                runtimeClassName: unheard-of
                containers:
                - {name: a, image: example.com/a}
                """, "runtimeClassName (unheard-of) must name an existing RuntimeClass");
    }

    private static void assertRefused(String spec, String reason) {
        Job job = job("refused", DEFAULTED, spec);
        assertThat(read(job))
                .isInstanceOfSatisfying(
                        ManifestIntake.Reading.Refused.class,
                        refused -> assertThat(refused.reason()).contains(reason));
        Pod pod = new PodBuilder()
                .withNewMetadata()
                .withName("refused")
                .withNamespace(DEFAULTED)
                .endMetadata()
                .withSpec(job.getSpec().getTemplate().getSpec())
                .build();
        assertThatThrownBy(() -> plane.client().resource(pod).create())
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        refused -> assertThat(refused.getCode())
                                .as(refused.getMessage())
                                .isIn(403, 422));
    }

    /** Returns what is counted, in quota units. */
    private static SortedMap<String, Long> assertCountedAsScheduled(String name, String namespace, String spec) {
        SortedMap<String, Long> counted = counted(job(name, namespace, spec));
        assertThat(counted).isNotEmpty();
        run(name + "-fits", namespace, spec, counted);
        counted.forEach((resource, amount) -> {
            SortedMap<String, Long> less = new TreeMap<>(counted);
            less.put(resource, amount - 1);
            run(nameOfShort(name, resource), namespace, spec, less);
        });

        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            assertThat(scheduling(name + "-fits", namespace)).isEqualTo("bound");
            counted.keySet()
                    .forEach(resource -> assertThat(scheduling(nameOfShort(name, resource), namespace))
                            .contains("Insufficient " + resource));
        });
        return counted;
    }

    private static String nameOfShort(String name, String resource) {
        return name + "-short-of-" + resource.replaceAll("[^a-zA-Z0-9]", "-").toLowerCase(Locale.ROOT);
    }

    private static void run(String name, String namespace, String spec, SortedMap<String, Long> allocatable) {
        FakeNode node = aNode(name);
        allocatable.forEach((resource, amount) ->
                node.with(resource, Resources.isCountedInMilli(resource) ? amount + "m" : amount.toString()));
        node.addTo(plane.client());
        Job job = job(name, namespace, spec);
        job.getMetadata().setLabels(null);
        job.getSpec().getTemplate().getSpec().getNodeSelector().put("kubernetes.io/hostname", name);
        plane.client().resource(job).create();
    }

    private static String scheduling(String job, String namespace) {
        return plane
                .client()
                .pods()
                .inNamespace(namespace)
                .withLabel("batch.kubernetes.io/job-name", job)
                .list()
                .getItems()
                .stream()
                .map(pod -> pod.getSpec().getNodeName() != null
                        ? "bound"
                        : pod.getStatus().getConditions().toString())
                .findFirst()
                .orElseGet(() -> "no pod: " + eventsOf(job, namespace));
    }

    private static List<String> eventsOf(String job, String namespace) {
        return plane.client().v1().events().inNamespace(namespace).list().getItems().stream()
                .filter(event -> event.getInvolvedObject().getName().equals(job))
                .map(Event::getMessage)
                .toList();
    }

    private static SortedMap<String, Long> counted(Job job) {
        if (read(job) instanceof ManifestIntake.Reading.Understood understood) {
            return understood.submission().podSets().getFirst().requests();
        }
        throw new AssertionError("refused: " + read(job));
    }

    private static ManifestIntake.Reading read(Job job) {
        return manifests.read(plane.client().getKubernetesSerialization().asJson(job), new WorkloadId("any"), "tester");
    }

    private static Job job(String name, String namespace, String spec) {
        Job job = plane.client()
                .getKubernetesSerialization()
                .unmarshal("""
                apiVersion: batch/v1
                kind: Job
                metadata:
                  name: %s
                  namespace: %s
                  labels: {sluice.dev/queue-name: main}
                spec:
                  template:
                    spec:
                      restartPolicy: Never
                      nodeSelector: {}
                %s""".formatted(name, namespace, spec.indent(6)), Job.class);
        return job;
    }

    private record Fixed(Configuration configuration) implements ConfigurationStore {
        @Override
        public Stored read() {
            return new Stored(configuration, Map.of());
        }

        @Override
        public Stored edit(String author, Function<Stored, List<ConfigurationChange>> edit) {
            throw new UnsupportedOperationException("nobody edits it");
        }
    }

    private static void create(String yaml) {
        plane.client().resource(yaml).create();
    }
}
