package dev.sluice.workload;

import dev.sluice.quota.Quantity;
import dev.sluice.workload.PodResources.Container;
import dev.sluice.workload.PodResources.Demand;
import java.math.BigDecimal;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What one pod asks for, as the Kubernetes scheduler computes it: the larger of all containers together and the worst
 * moment of the init sequence, where sidecars stack on everything that runs after them; a pod-level request in its place;
 * plus overhead. A limit stands in for a request that is missing. Exact: nothing is rounded here.
 */
public final class EffectiveRequest {
    private EffectiveRequest() {}

    /** Resource to amount in base units (cores, bytes, devices). */
    public static SortedMap<String, BigDecimal> of(PodResources pod) {
        SortedMap<String, BigDecimal> request = ofContainers(pod);
        SortedMap<String, BigDecimal> whole = new TreeMap<>(request);
        whole.putAll(podLevel(pod.podLevel(), request));
        pod.overhead().forEach((resource, amount) -> whole.merge(resource, amount.value(), BigDecimal::add));
        return whole;
    }

    private static SortedMap<String, BigDecimal> ofContainers(PodResources pod) {
        SortedMap<String, BigDecimal> running = new TreeMap<>();
        for (Container container : pod.containers()) {
            add(running, requests(container.demand()));
        }
        SortedMap<String, BigDecimal> sidecars = new TreeMap<>();
        SortedMap<String, BigDecimal> starting = new TreeMap<>();
        for (Container container : pod.initContainers()) {
            SortedMap<String, BigDecimal> moment = requests(container.demand());
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

    /** A pod-level limit counts only where neither the pod nor any container requests the resource. */
    private static SortedMap<String, BigDecimal> podLevel(Demand demand, SortedMap<String, BigDecimal> ofContainers) {
        SortedMap<String, BigDecimal> request = new TreeMap<>();
        demand.limits().forEach((resource, limit) -> {
            if (isPodLevel(resource) && !ofContainers.containsKey(resource)) {
                request.put(resource, limit.value());
            }
        });
        demand.requests().forEach((resource, amount) -> {
            if (isPodLevel(resource)) {
                request.put(resource, amount.value());
            }
        });
        return request;
    }

    /** Kubernetes takes no other resource at pod level. */
    public static boolean isPodLevel(String resource) {
        return resource.equals("cpu") || resource.equals("memory") || resource.startsWith("hugepages-");
    }

    private static SortedMap<String, BigDecimal> requests(Demand demand) {
        SortedMap<String, Quantity> given = new TreeMap<>(demand.limits());
        given.putAll(demand.requests());
        SortedMap<String, BigDecimal> requests = new TreeMap<>();
        given.forEach((resource, amount) -> requests.put(resource, amount.value()));
        return requests;
    }

    private static void add(SortedMap<String, BigDecimal> sum, SortedMap<String, BigDecimal> more) {
        more.forEach((resource, amount) -> sum.merge(resource, amount, BigDecimal::add));
    }
}
