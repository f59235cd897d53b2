package dev.sluice.quota;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A leaf of the tree: the queue that holds quota (Kueue's ClusterQueue).
 *
 * @param cohort parent in the tree; null = alone, then its borrowing and lending limits mean nothing
 * @param team the team that owns it; null = nobody named
 * @param namespaceSelector labels that a namespace must carry; null = no namespace may submit, empty = every one may
 * @param admissionChecks names of the checks that stand between reservation and admission
 */
public record ClusterQueue(
        String name,
        @Nullable String cohort,
        @Nullable String team,
        QueueingStrategy queueingStrategy,
        List<ResourceGroup> resourceGroups,
        PreemptionPolicy preemption,
        FlavorFungibility flavorFungibility,
        Quantity weight,
        StopPolicy stopPolicy,
        @Nullable Map<String, String> namespaceSelector,
        List<String> admissionChecks) {
    public ClusterQueue {
        resourceGroups = List.copyOf(resourceGroups);
        namespaceSelector = namespaceSelector == null ? null : Configuration.sorted(namespaceSelector);
        admissionChecks = List.copyOf(admissionChecks);
    }
}
