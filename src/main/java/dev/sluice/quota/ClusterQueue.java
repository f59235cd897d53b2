package dev.sluice.quota;

import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A leaf of the tree: the queue that holds quota (Kueue's ClusterQueue).
 *
 * @param cohort parent in the tree; null = alone, then its borrowing and lending limits mean nothing
 * @param team the team that owns it; null = nobody named
 * @param namespaceSelector null = no namespace may submit
 * @param admissionMode what decides between its LocalQueues
 * @param admissionChecks names of the checks that stand between reservation and admission
 * @param checksOnFlavors of those that count only if one of these flavors is used; a check that is not named always counts
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
        @Nullable NamespaceSelector namespaceSelector,
        List<String> admissionChecks,
        SortedMap<String, List<String>> checksOnFlavors,
        AdmissionMode admissionMode) {
    public ClusterQueue {
        admissionMode = orNone(admissionMode);
        resourceGroups = List.copyOf(resourceGroups);
        admissionChecks = List.copyOf(admissionChecks);
        // a queue that was stored before there were any
        checksOnFlavors = Configuration.sorted(Objects.requireNonNullElse(checksOnFlavors, new TreeMap<>()));
    }

    /** Its checks count whatever the flavor, and workloads of all LocalQueues stand in one line. */
    public ClusterQueue(
            String name,
            @Nullable String cohort,
            @Nullable String team,
            QueueingStrategy queueingStrategy,
            List<ResourceGroup> resourceGroups,
            PreemptionPolicy preemption,
            FlavorFungibility flavorFungibility,
            Quantity weight,
            StopPolicy stopPolicy,
            @Nullable NamespaceSelector namespaceSelector,
            List<String> admissionChecks) {
        this(
                name,
                cohort,
                team,
                queueingStrategy,
                resourceGroups,
                preemption,
                flavorFungibility,
                weight,
                stopPolicy,
                namespaceSelector,
                admissionChecks,
                new TreeMap<>(),
                AdmissionMode.NONE);
    }

    /** The same queue with other quotas. */
    public ClusterQueue with(List<ResourceGroup> others) {
        return with(others, flavorFungibility);
    }

    /** The same queue with another way through its flavors. */
    public ClusterQueue with(FlavorFungibility other) {
        return with(resourceGroups, other);
    }

    private ClusterQueue with(List<ResourceGroup> groups, FlavorFungibility fungibility) {
        return new ClusterQueue(
                name,
                cohort,
                team,
                queueingStrategy,
                groups,
                preemption,
                fungibility,
                weight,
                stopPolicy,
                namespaceSelector,
                admissionChecks,
                checksOnFlavors,
                admissionMode);
    }

    /** What an older form of the record lacks comes as null. */
    private static AdmissionMode orNone(@Nullable AdmissionMode mode) {
        return mode == null ? AdmissionMode.NONE : mode;
    }
}
