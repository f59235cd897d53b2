package dev.sluice.workload;

import dev.sluice.quota.Quantity;
import dev.sluice.workload.PodResources.Container;
import dev.sluice.workload.PodResources.Demand;
import java.math.BigDecimal;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What one pod asks for, as the Kubernetes scheduler computes it: the larger of all containers together and the worst
 * moment of the init sequence, where sidecars stack on everything that runs after them; a pod-level request in its place;
 * plus overhead. A limit stands in for a request that is missing. Exact: nothing is rounded here.
 */
public final class EffectiveRequest {
    private EffectiveRequest() {}

    /** Resource to amount in base units (cores, bytes, devices). */
    public static SortedMap<String, BigDecimal> of(PodResources pod) {
        SortedMap<String, BigDecimal> request = withoutOverhead(spelledOut(pod), Demand::requests);
        pod.overhead().forEach((resource, amount) -> request.merge(resource, amount.value(), BigDecimal::add));
        return request;
    }

    /** The same pod with every request in it that the API server sets when it takes the pod, from its own limits. */
    static PodResources spelledOut(PodResources pod) {
        PodResources containers = new PodResources(
                spelledOut(pod.containers()), spelledOut(pod.initContainers()), Demand.NONE, pod.overhead());
        SortedMap<String, Quantity> podLevel = new TreeMap<>();
        SortedMap<String, BigDecimal> ofContainers = withoutOverhead(containers, Demand::requests);
        pod.podLevel().limits().forEach((resource, limit) -> {
            // Huge pages are never overcommitted: what the pod may use it also asks for.
            if (isPodLevel(resource) && (isHugePages(resource) || !ofContainers.containsKey(resource))) {
                podLevel.put(resource, limit);
            }
        });
        if (!pod.podLevel().limits().isEmpty()) {
            ofContainers.forEach((resource, amount) -> {
                if (isPodLevel(resource) && !isHugePages(resource)) {
                    podLevel.put(resource, Quantity.of(amount));
                }
            });
        }
        podLevel.putAll(pod.podLevel().requests());
        return new PodResources(
                containers.containers(),
                containers.initContainers(),
                new Demand(podLevel, pod.podLevel().limits()),
                pod.overhead());
    }

    private static List<Container> spelledOut(List<Container> containers) {
        return containers.stream()
                .map(container -> {
                    SortedMap<String, Quantity> requests =
                            new TreeMap<>(container.demand().limits());
                    requests.putAll(container.demand().requests());
                    return new Container(
                            container.name(),
                            new Demand(requests, container.demand().limits()),
                            container.sidecar());
                })
                .toList();
    }

    /** @param side requests or limits; only what is written counts */
    static SortedMap<String, BigDecimal> withoutOverhead(
            PodResources pod, Function<Demand, SortedMap<String, Quantity>> side) {
        SortedMap<String, BigDecimal> whole = ofContainers(pod, side);
        side.apply(pod.podLevel()).forEach((resource, amount) -> {
            if (isPodLevel(resource)) {
                whole.put(resource, amount.value());
            }
        });
        return whole;
    }

    private static SortedMap<String, BigDecimal> ofContainers(
            PodResources pod, Function<Demand, SortedMap<String, Quantity>> side) {
        SortedMap<String, BigDecimal> running = new TreeMap<>();
        for (Container container : pod.containers()) {
            add(running, amounts(side.apply(container.demand())));
        }
        SortedMap<String, BigDecimal> sidecars = new TreeMap<>();
        SortedMap<String, BigDecimal> starting = new TreeMap<>();
        for (Container container : pod.initContainers()) {
            SortedMap<String, BigDecimal> moment = amounts(side.apply(container.demand()));
            if (container.sidecar()) {
                add(running, moment);
                add(sidecars, moment);
                moment = sidecars;
            } else {
                add(moment, sidecars);
            }
            moment.forEach((resource, amount) -> starting.merge(resource, amount, BigDecimal::max));
        }
        starting.forEach((resource, amount) -> running.merge(resource, amount, BigDecimal::max));
        return running;
    }

    /** Kubernetes takes no other resource at pod level. */
    public static boolean isPodLevel(String resource) {
        return resource.equals("cpu") || resource.equals("memory") || isHugePages(resource);
    }

    private static boolean isHugePages(String resource) {
        return resource.startsWith("hugepages-");
    }

    private static SortedMap<String, BigDecimal> amounts(SortedMap<String, Quantity> quantities) {
        SortedMap<String, BigDecimal> amounts = new TreeMap<>();
        quantities.forEach((resource, amount) -> amounts.put(resource, amount.value()));
        return amounts;
    }

    private static void add(SortedMap<String, BigDecimal> sum, SortedMap<String, BigDecimal> more) {
        more.forEach((resource, amount) -> sum.merge(resource, amount, BigDecimal::add));
    }
}
