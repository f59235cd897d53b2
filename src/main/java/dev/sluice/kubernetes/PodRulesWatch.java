package dev.sluice.kubernetes;

import dev.sluice.quota.Quantity;
import dev.sluice.scheduling.ClusterUnavailable;
import dev.sluice.scheduling.PodRules;
import dev.sluice.workload.LimitRange;
import dev.sluice.workload.LimitRange.Item;
import dev.sluice.workload.LimitRange.Scope;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LimitRangeItem;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** LimitRanges and RuntimeClasses, as the cluster last told them. Thread-safe. */
final class PodRulesWatch implements PodRules, AutoCloseable {
    private static final String LIMIT_RANGES = "LimitRanges";
    private static final String RUNTIME_CLASSES = "RuntimeClasses";

    private final SharedIndexInformer<io.fabric8.kubernetes.api.model.LimitRange> limitRanges;
    private final SharedIndexInformer<RuntimeClass> runtimeClasses;
    private volatile boolean closed;

    PodRulesWatch(KubernetesClient client) {
        limitRanges = client.limitRanges().inAnyNamespace().runnableInformer(0);
        runtimeClasses = client.resources(RuntimeClass.class).runnableInformer(0);
        limitRanges.exceptionHandler((isStarted, failure) -> !closed);
        runtimeClasses.exceptionHandler((isStarted, failure) -> !closed);
    }

    /** Returns at once, also while the API server is away; it is tried until it is there. */
    void start() {
        limitRanges.start().exceptionally(failure -> null);
        runtimeClasses.start().exceptionally(failure -> null);
    }

    @Override
    public List<LimitRange> limitRanges(String namespace) {
        requireSynced(limitRanges, LIMIT_RANGES);
        return limitRanges.getIndexer().byIndex(Cache.NAMESPACE_INDEX, namespace).stream()
                .map(PodRulesWatch::read)
                .toList();
    }

    @Override
    public Optional<SortedMap<String, Quantity>> overhead(String runtimeClass) {
        requireSynced(runtimeClasses, RUNTIME_CLASSES);
        RuntimeClass found = runtimeClasses.getIndexer().getByKey(runtimeClass);
        return Optional.ofNullable(found)
                .map(one -> quantities(
                        one.getOverhead() == null ? null : one.getOverhead().getPodFixed()));
    }

    /**
     * @param what that is watched, in words
     * @throws ClusterUnavailable if nothing was listed yet
     */
    static <T extends HasMetadata> void requireSynced(SharedIndexInformer<T> informer, String what) {
        if (!informer.hasSynced()) {
            throw new ClusterUnavailable("the Kubernetes API server has not listed its " + what + " yet", null);
        }
    }

    private static LimitRange read(io.fabric8.kubernetes.api.model.LimitRange range) {
        List<Item> items = new ArrayList<>();
        for (LimitRangeItem item : range.getSpec().getLimits()) {
            Scope scope = scope(item.getType());
            if (scope != null) {
                items.add(new Item(
                        scope,
                        quantities(item.getMin()),
                        quantities(item.getMax()),
                        quantities(item.getDefault()),
                        quantities(item.getDefaultRequest()),
                        quantities(item.getMaxLimitRequestRatio())));
            }
        }
        return new LimitRange(range.getMetadata().getName(), items);
    }

    /** Null = it is about no pods. */
    private static @Nullable Scope scope(String type) {
        return switch (type) {
            case "Container" -> Scope.CONTAINER;
            case "Pod" -> Scope.POD;
            default -> null;
        };
    }

    private static SortedMap<String, Quantity> quantities(
            @Nullable Map<String, io.fabric8.kubernetes.api.model.Quantity> map) {
        SortedMap<String, Quantity> quantities = new TreeMap<>();
        if (map != null) {
            map.forEach((resource, amount) -> quantities.put(resource, Quantity.parse(amount.toString())));
        }
        return quantities;
    }

    @Override
    public void close() {
        closed = true;
        limitRanges.close();
        runtimeClasses.close();
    }
}
