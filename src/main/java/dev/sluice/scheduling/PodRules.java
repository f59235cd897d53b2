package dev.sluice.scheduling;

import dev.sluice.quota.Quantity;
import dev.sluice.workload.LimitRange;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** What a cluster adds to pods, and demands of them, before it runs them; so that they are counted as they will be. From memory. */
public interface PodRules {
    /** Of a cluster that adds and demands nothing. */
    PodRules NONE = new PodRules() {
        @Override
        public List<LimitRange> limitRanges(String namespace) {
            return List.of();
        }

        @Override
        public Optional<SortedMap<String, Quantity>> overhead(String runtimeClass) {
            return Optional.of(new TreeMap<>());
        }
    };

    /**
     * In no particular order.
     *
     * @throws ClusterUnavailable while the cluster has never been reached
     */
    List<LimitRange> limitRanges(String namespace);

    /**
     * What every pod of a runtime class costs beyond its containers; empty = there is no such class.
     *
     * @throws ClusterUnavailable while the cluster has never been reached
     */
    Optional<SortedMap<String, Quantity>> overhead(String runtimeClass);
}
