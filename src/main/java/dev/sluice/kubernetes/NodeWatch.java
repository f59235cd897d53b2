package dev.sluice.kubernetes;

import dev.sluice.quota.Quantity;
import dev.sluice.quota.Taint;
import dev.sluice.scheduling.ClusterUnavailable;
import dev.sluice.topology.UsableCapacity;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the nodes can hold now: those that are ready and take pods. Thread-safe. */
final class NodeWatch implements AutoCloseable {
    private final KubernetesClient client;
    private final SortedMap<String, UsableCapacity.Node> usable = new TreeMap<>();
    private @Nullable Consumer<UsableCapacity> listener;
    private @Nullable SharedIndexInformer<Node> informer;
    private volatile boolean closed;

    NodeWatch(KubernetesClient client) {
        this.client = client;
    }

    /** Heartbeats change nothing that is told. */
    synchronized void listen(Consumer<UsableCapacity> newListener) {
        listener = newListener;
    }

    synchronized void start() {
        SharedIndexInformer<Node> started = client.nodes().runnableInformer(0);
        started.exceptionHandler((isStarted, failure) -> !closed);
        started.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(Node node) {
                put(node.getMetadata().getName(), capacity(node));
            }

            @Override
            public void onUpdate(Node before, Node node) {
                put(node.getMetadata().getName(), capacity(node));
            }

            @Override
            public void onDelete(Node node, boolean unknown) {
                put(node.getMetadata().getName(), null);
            }
        });
        started.start().exceptionally(failure -> null);
        informer = started;
    }

    private void put(String name, UsableCapacity.@Nullable Node now) {
        Consumer<UsableCapacity> told;
        UsableCapacity capacity;
        synchronized (this) {
            UsableCapacity.Node before = now == null ? usable.remove(name) : usable.put(name, now);
            if (Objects.equals(before, now)) {
                return;
            }
            told = listener;
            capacity = new UsableCapacity(true, List.copyOf(usable.values()));
        }
        if (told != null) {
            told.accept(capacity);
        }
    }

    /**
     * As the API server lists them at this moment.
     *
     * @throws ClusterUnavailable if it does not answer
     */
    UsableCapacity look() {
        try {
            List<UsableCapacity.Node> nodes = new ArrayList<>();
            for (Node node : client.nodes().list().getItems()) {
                UsableCapacity.Node capacity = capacity(node);
                if (capacity != null) {
                    nodes.add(capacity);
                }
            }
            return new UsableCapacity(true, nodes);
        } catch (KubernetesClientException away) {
            throw new ClusterUnavailable(
                    "the Kubernetes API server does not list its nodes: " + away.getMessage(), away);
        }
    }

    /** Null = its devices cannot be used now. */
    static UsableCapacity.@Nullable Node capacity(Node node) {
        boolean ready = node.getStatus().getConditions().stream()
                .anyMatch(condition -> condition.getType().equals("Ready")
                        && condition.getStatus().equals("True"));
        if (!ready || Boolean.TRUE.equals(node.getSpec().getUnschedulable())) {
            return null;
        }
        SortedMap<String, Long> allocatable = new TreeMap<>();
        node.getStatus()
                .getAllocatable()
                .forEach((resource, amount) -> allocatable.put(
                        resource, Quantity.parse(amount.toString()).units(resource)));
        Map<String, String> labels = node.getMetadata().getLabels();
        return new UsableCapacity.Node(
                node.getMetadata().getName(),
                new TreeMap<>(labels == null ? Map.of() : labels),
                node.getSpec().getTaints().stream()
                        .map(taint -> new Taint(
                                taint.getKey(), Objects.requireNonNullElse(taint.getValue(), ""), taint.getEffect()))
                        .toList(),
                allocatable);
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (informer != null) {
            informer.close();
        }
    }
}
