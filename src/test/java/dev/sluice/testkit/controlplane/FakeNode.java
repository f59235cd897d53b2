package dev.sluice.testkit.controlplane;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.NodeStatusBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A node that exists by name only: ready, with what it can hold, so that the real scheduler binds pods to it. */
public final class FakeNode {
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
        Node created = client.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withLabels(labels)
                        .addToLabels("kubernetes.io/hostname", name)
                        .endMetadata()
                        .withNewSpec()
                        .withTaints(taints)
                        .endSpec()
                        .build())
                .create();
        client.nodes()
                .withName(name)
                .editStatus(node -> new NodeBuilder(node).withStatus(status()).build());
        // The API server marks every new node as not ready; who ran the node would see to it that the mark goes.
        client.nodes()
                .withName(created.getMetadata().getName())
                .edit(node -> new NodeBuilder(node)
                        .editSpec()
                        .withTaints(taints)
                        .endSpec()
                        .build());
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
