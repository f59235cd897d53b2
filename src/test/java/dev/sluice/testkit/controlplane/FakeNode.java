package dev.sluice.testkit.controlplane;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.NodeStatusBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A node that exists by name only: ready, with what it can hold, so that the real scheduler binds pods to it. */
public final class FakeNode {
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    private final String name;
    private final SortedMap<String, String> labels = new TreeMap<>();
    private final List<Taint> taints = new ArrayList<>();
    private final SortedMap<String, String> allocatable =
            new TreeMap<>(Map.of("cpu", "128", "memory", "1Ti", "pods", "1000", "ephemeral-storage", "1Ti"));

    private FakeNode(String name) {
        this.name = name;
    }

    public static FakeNode aNode(String name) {
        return new FakeNode(name);
    }

    public FakeNode with(String resource, String amount) {
        allocatable.put(resource, amount);
        return this;
    }

    public FakeNode labelled(String key, String value) {
        labels.put(key, value);
        return this;
    }

    public FakeNode tainted(String key, String value, String effect) {
        taints.add(new Taint(effect, key, null, value));
        return this;
    }

    public void addTo(KubernetesClient client) {
        client.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withLabels(labels)
                        .addToLabels("kubernetes.io/hostname", name)
                        .addToLabels("kubernetes.io/os", "linux")
                        .endMetadata()
                        .build())
                .create();
        client.nodes().withName(name).subresource("status").patch(MERGE, """
                {"status": %s}""".formatted(
                        client.getKubernetesSerialization().asJson(status())));
        // The API server marks every new node as not ready; who runs the node sees to it that the mark goes.
        client.nodes().withName(name).patch(MERGE, """
                {"spec": {"taints": %s}}""".formatted(
                        client.getKubernetesSerialization().asJson(taints)));
    }

    private NodeStatus status() {
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        Map<String, Quantity> amounts = new TreeMap<>();
        allocatable.forEach((resource, amount) -> amounts.put(resource, new Quantity(amount)));
        return new NodeStatusBuilder()
                .withCapacity(amounts)
                .withAllocatable(amounts)
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .withReason("KubeletReady")
                .withLastHeartbeatTime(now)
                .withLastTransitionTime(now)
                .endCondition()
                .build();
    }
}
