package dev.sluice.topology;

import dev.sluice.quota.Taint;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The nodes whose devices can be used now: ready, not cordoned, tainted devices left out. What the cluster reports.
 *
 * @param known false = nothing is known and nothing is limited by it; then there are no nodes
 */
public record UsableCapacity(boolean known, List<Node> nodes) {
    public static final UsableCapacity UNLIMITED = new UsableCapacity(false, List.of());

    public UsableCapacity {
        nodes = List.copyOf(nodes);
    }

    /** @param allocatable quota resource to amount that pods may use in all, whether in use or not */
    public record Node(
            String name, SortedMap<String, String> labels, List<Taint> taints, SortedMap<String, Long> allocatable) {
        public Node {
            labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
            taints = List.copyOf(taints);
            allocatable = Collections.unmodifiableSortedMap(new TreeMap<>(allocatable));
        }
    }
}
