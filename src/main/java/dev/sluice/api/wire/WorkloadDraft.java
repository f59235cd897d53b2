package dev.sluice.api.wire;

import dev.sluice.quota.Toleration;
import dev.sluice.workload.PodSet.AffinityTerm;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A workload as its author described it, in either form, free of mistakes that can be seen without the configuration.
 *
 * @param manifest JSON of the Kubernetes manifest; null = native
 * @param uid of the manifest's object, by which a repeat is known; null = none
 * @param queueField what the author called the queue, for messages
 */
public record WorkloadDraft(
        String name,
        String namespace,
        String queue,
        @Nullable String priorityClass,
        List<PodSetDraft> podSets,
        @Nullable Duration expectedDuration,
        @Nullable Duration maxDuration,
        @Nullable String manifest,
        @Nullable String uid,
        String queueField,
        String priorityClassField) {
    public WorkloadDraft {
        podSets = List.copyOf(podSets);
    }

    /** @param request per pod, resource to amount in base units, before transformations */
    public record PodSetDraft(
            String name,
            int count,
            @Nullable Integer minCount,
            SortedMap<String, BigDecimal> request,
            SortedMap<String, String> nodeSelector,
            List<AffinityTerm> affinityTerms,
            List<Toleration> tolerations) {}
}
