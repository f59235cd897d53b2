package dev.sluice.workload;

import dev.sluice.quota.Quantity;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a pod template says of resources, as written.
 *
 * @param initContainers in the order in which they run
 * @param podLevel requests and limits of the pod as a whole (pod-level resources)
 * @param overhead what the runtime adds to every pod
 */
public record PodResources(
        List<Container> containers,
        List<Container> initContainers,
        Demand podLevel,
        SortedMap<String, Quantity> overhead) {
    public PodResources {
        containers = List.copyOf(containers);
        initContainers = List.copyOf(initContainers);
        overhead = sorted(overhead);
    }

    /** @param sidecar an init container that keeps running ({@code restartPolicy: Always}); false for all others */
    public record Container(String name, Demand demand, boolean sidecar) {}

    public record Demand(SortedMap<String, Quantity> requests, SortedMap<String, Quantity> limits) {
        public static final Demand NONE = new Demand(new TreeMap<>(), new TreeMap<>());

        public Demand {
            requests = sorted(requests);
            limits = sorted(limits);
        }
    }

    private static SortedMap<String, Quantity> sorted(SortedMap<String, Quantity> map) {
        return Collections.unmodifiableSortedMap(new TreeMap<>(map));
    }
}
