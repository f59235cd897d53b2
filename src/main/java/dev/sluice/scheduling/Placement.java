package dev.sluice.scheduling;

import dev.sluice.admission.CheckStatus;
import dev.sluice.admission.PodSetUpdates;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.Toleration;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Assignment.PodSetAssignment;
import dev.sluice.workload.PodSetUpdate;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where the pods of an admitted workload go: what its flavors and its admission checks add to its own node selectors, tolerations,
 * labels and annotations, per pod set in the order of the assignment.
 */
public record Placement(List<PodSetPlacement> podSets) {
    /** Nothing is added. */
    public static final Placement ANYWHERE = new Placement(List.of());

    public Placement {
        podSets = List.copyOf(podSets);
    }

    /**
     * @param count pods that were admitted
     * @param nodeSelector labels that its nodes must carry; on a label that the pods ask for themselves, the flavor was chosen for
     *     the same value
     */
    public record PodSetPlacement(
            String name,
            int count,
            SortedMap<String, String> nodeSelector,
            List<Toleration> tolerations,
            SortedMap<String, String> labels,
            SortedMap<String, String> annotations) {
        public PodSetPlacement {
            nodeSelector = copy(nodeSelector);
            tolerations = List.copyOf(tolerations);
            labels = copy(labels);
            annotations = copy(annotations);
        }

        /** Without labels and annotations, which only admission checks add. */
        public PodSetPlacement(
                String name, int count, SortedMap<String, String> nodeSelector, List<Toleration> tolerations) {
            this(name, count, nodeSelector, tolerations, new TreeMap<>(), new TreeMap<>());
        }

        private static SortedMap<String, String> copy(SortedMap<String, String> map) {
            return Collections.unmodifiableSortedMap(new TreeMap<>(map));
        }
    }

    /**
     * Flavors that the configuration no longer has add nothing.
     *
     * @param checks that the assignment went through
     */
    public static Placement of(
            Assignment assignment, Configuration configuration, SortedMap<String, CheckStatus> checks) {
        return new Placement(assignment.podSets().stream()
                .map(podSet -> of(podSet, configuration, PodSetUpdates.of(podSet.name(), checks)))
                .toList());
    }

    private static PodSetPlacement of(PodSetAssignment assigned, Configuration configuration, PodSetUpdate update) {
        SortedMap<String, String> nodeSelector = new TreeMap<>();
        Set<Toleration> tolerations = new LinkedHashSet<>();
        assigned.flavors().values().stream().distinct().forEach(name -> {
            ResourceFlavor flavor = configuration.resourceFlavors().get(name);
            if (flavor != null) {
                nodeSelector.putAll(flavor.nodeLabels());
                tolerations.addAll(flavor.tolerations());
            }
        });
        nodeSelector.putAll(update.nodeSelector());
        tolerations.addAll(update.tolerations());
        return new PodSetPlacement(
                assigned.name(),
                assigned.count(),
                nodeSelector,
                List.copyOf(tolerations),
                update.labels(),
                update.annotations());
    }

    /** The one of a workload with one pod set, or the first of several; null = nothing is known of any. */
    public @Nullable PodSetPlacement first() {
        return podSets.isEmpty() ? null : podSets.getFirst();
    }
}
