package dev.sluice.workload;

import dev.sluice.quota.Amounts;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What an admission gives a workload: the flavor of each resource and the number of pods, per pod set in the order of the
 * workload; and the charge that follows, per flavor and resource.
 */
public record Assignment(String clusterQueue, List<PodSetAssignment> podSets, boolean borrows) {
    public Assignment {
        podSets = List.copyOf(podSets);
    }

    /** What all its pods cost, by quota resource, flavors together, saturating. */
    public SortedMap<String, Long> charge() {
        SortedMap<String, Long> charge = new TreeMap<>();
        for (PodSetAssignment podSet : podSets) {
            podSet.usage().forEach((resource, amount) -> charge.merge(resource, amount, Amounts::add));
        }
        return charge;
    }

    /**
     * @param flavors resource to flavor, for every resource that is charged
     * @param usage resource to amount, all pods together
     */
    public record PodSetAssignment(
            String name, int count, SortedMap<String, String> flavors, SortedMap<String, Long> usage) {
        public PodSetAssignment {
            flavors = Collections.unmodifiableSortedMap(new TreeMap<>(flavors));
            usage = Collections.unmodifiableSortedMap(new TreeMap<>(usage));
        }
    }
}
