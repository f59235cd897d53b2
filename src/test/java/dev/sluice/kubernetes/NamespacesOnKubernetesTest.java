package dev.sluice.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.scheduling.Observation;
import dev.sluice.testkit.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The labels of namespaces, by which queues choose whose work they take, as a real API server tells them. */
@Tag("cluster")
class NamespacesOnKubernetesTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int STARTS = 10;

    @Test
    void a_namespace_is_told_with_its_labels_when_it_comes_changes_and_goes() {
        Queue<SortedMap<String, SortedMap<String, String>>> told = new ConcurrentLinkedQueue<>();
        try (ControlPlane plane = ControlPlane.start();
                KubernetesCluster cluster = new KubernetesClusterForTests(plane).started()) {
            KubernetesClient client = plane.client();
            cluster.observe(observation -> {
                if (observation instanceof Observation.Namespaces namespaces) {
                    told.add(namespaces.labels());
                }
            });

            client.resource(namespace("unborn")).create();
            await().atMost(SOON)
                    .until(() -> latest(told).getOrDefault("vision", "none").equals("unborn"));
            assertThat(cluster.namespaces()).containsKeys("default", "vision");

            client.resource(namespace("speech")).update();
            await().atMost(SOON)
                    .until(() -> latest(told).getOrDefault("vision", "none").equals("speech"));

            client.namespaces().withName("vision").delete();
            await().atMost(SOON).until(() -> !latest(told).containsKey("vision"));
        }
    }

    @Test
    void namespaces_that_were_there_before_are_told_though_nothing_changes() {
        try (ControlPlane plane = ControlPlane.start()) {
            plane.client().resource(namespace("vision")).create();
            for (int start = 0; start < STARTS; start++) {
                Queue<SortedMap<String, SortedMap<String, String>>> told = new ConcurrentLinkedQueue<>();
                try (NamespaceWatch watch = new NamespaceWatch(plane.client())) {
                    watch.listen(told::add);
                    watch.start();
                    await().atMost(SOON)
                            .until(() ->
                                    latest(told).getOrDefault("vision", "none").equals("vision"));
                }
            }
        }
    }

    private static Namespace namespace(String team) {
        return new NamespaceBuilder()
                .withNewMetadata()
                .withName("vision")
                .addToLabels("team", team)
                .endMetadata()
                .build();
    }

    /** Team by namespace, as last told. */
    private static Map<String, String> latest(Queue<SortedMap<String, SortedMap<String, String>>> told) {
        Map<String, String> teams = new TreeMap<>();
        told.forEach(all -> {
            teams.clear();
            all.forEach((name, labels) -> teams.put(name, labels.getOrDefault("team", "")));
        });
        return teams;
    }
}
