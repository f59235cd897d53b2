package dev.sluice.workload;

import dev.sluice.quota.Amounts;
import dev.sluice.quota.Toleration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Pods of one shape. Its requests are effective ones: as the scheduler counts a pod, after transformations, keyed by
 * quota resource.
 *
 * @param count pods, at least 0
 * @param minCount fewest pods with which it may start; null = all or nothing
 * @param requests per pod: quota resource to amount (milli-units for cpu, whole units otherwise), never negative
 * @param nodeSelector labels that its nodes must carry
 * @param affinityTerms required node affinity as alternatives of conjunctions; empty = no requirement
 * @param group pod sets of one group get the same flavors; null = on its own
 */
public record PodSet(
        String name,
        int count,
        @Nullable Integer minCount,
        SortedMap<String, Long> requests,
        SortedMap<String, String> nodeSelector,
        List<AffinityTerm> affinityTerms,
        List<Toleration> tolerations,
        @Nullable String group) {
    public PodSet {
        requests = Collections.unmodifiableSortedMap(new TreeMap<>(requests));
        nodeSelector = Collections.unmodifiableSortedMap(new TreeMap<>(nodeSelector));
        affinityTerms = List.copyOf(affinityTerms);
        tolerations = List.copyOf(tolerations);
        if (count < 0) {
            throw new IllegalArgumentException("pod set " + name + " cannot have " + count + " pods");
        }
    }

    public static PodSet of(String name, int count, Map<String, Long> requests) {
        return new PodSet(name, count, null, new TreeMap<>(requests), new TreeMap<>(), List.of(), List.of(), null);
    }

    /** The same pods in another number; at least one of them is still enough to start if fewer than all were. */
    public PodSet withCount(int other) {
        Integer fewest = minCount == null ? null : Integer.valueOf(Math.min(minCount, other));
        return new PodSet(name, other, fewest, requests, nodeSelector, affinityTerms, tolerations, group);
    }

    /** The same pods on other nodes. */
    public PodSet on(
            SortedMap<String, String> otherNodeSelector,
            List<AffinityTerm> otherAffinityTerms,
            List<Toleration> otherTolerations) {
        return new PodSet(
                name, count, minCount, requests, otherNodeSelector, otherAffinityTerms, otherTolerations, group);
    }

    /** The same pods, all of which are needed. */
    public PodSet allOrNothing() {
        return new PodSet(name, count, null, requests, nodeSelector, affinityTerms, tolerations, group);
    }

    /** What all its pods cost together, saturating. */
    public SortedMap<String, Long> charge() {
        SortedMap<String, Long> charge = new TreeMap<>();
        requests.forEach((resource, amount) -> charge.put(resource, Amounts.multiply(amount, count)));
        return charge;
    }

    /** All requirements of one term must hold. */
    public record AffinityTerm(List<Requirement> requirements) {
        public AffinityTerm {
            requirements = List.copyOf(requirements);
        }
    }

    /** @param operator {@code In NotIn Exists DoesNotExist Gt Lt}, as in Kubernetes */
    public record Requirement(String key, String operator, List<String> values) {
        public Requirement {
            values = List.copyOf(values);
        }
    }
}
