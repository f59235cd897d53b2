package dev.sluice.kubernetes;

import dev.sluice.scheduling.ClusterUnavailable;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The namespaces and their labels, by which queues choose who may submit. Thread-safe. */
final class NamespaceWatch implements AutoCloseable {
    private final SharedIndexInformer<Namespace> informer;
    private @Nullable Consumer<SortedMap<String, SortedMap<String, String>>> listener;
    private @Nullable SortedMap<String, SortedMap<String, String>> told;
    private volatile boolean closed;

    NamespaceWatch(KubernetesClient client) {
        informer = client.namespaces().runnableInformer(0);
        informer.exceptionHandler((isStarted, failure) -> !closed);
    }

    /** Returns at once, also while the API server is away; it is tried until it is there. */
    void start() {
        informer.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(Namespace namespace) {
                tell();
            }

            @Override
            public void onUpdate(Namespace before, Namespace namespace) {
                tell();
            }

            @Override
            public void onDelete(Namespace namespace, boolean unknown) {
                tell();
            }
        });
        // What was there before is told when all of it is known; after that each change is.
        informer.start().thenRun(this::tell).exceptionally(failure -> null);
    }

    /** Tells all of them whenever the labels of one change. */
    synchronized void listen(Consumer<SortedMap<String, SortedMap<String, String>>> newListener) {
        listener = newListener;
        told = null;
    }

    private synchronized void tell() {
        if (listener != null && informer.hasSynced()) {
            SortedMap<String, SortedMap<String, String>> now = current();
            if (!now.equals(told)) {
                told = now;
                listener.accept(now);
            }
        }
    }

    /**
     * As last told.
     *
     * @throws ClusterUnavailable if the API server has not listed them yet
     */
    SortedMap<String, SortedMap<String, String>> look() {
        PodRulesWatch.requireSynced(informer, "namespaces");
        return current();
    }

    private SortedMap<String, SortedMap<String, String>> current() {
        SortedMap<String, SortedMap<String, String>> current = new TreeMap<>();
        for (Namespace namespace : informer.getIndexer().list()) {
            Map<String, String> labels = namespace.getMetadata().getLabels();
            current.put(namespace.getMetadata().getName(), labels == null ? new TreeMap<>() : new TreeMap<>(labels));
        }
        return current;
    }

    @Override
    public void close() {
        closed = true;
        informer.close();
    }
}
