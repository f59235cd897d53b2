package dev.sluice.scheduling;

import dev.sluice.quota.Configuration;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.Toleration;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Assignment.PodSetAssignment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where the pods of an admitted workload go: what its flavors add to its own node selectors and tolerations, per pod set in the order
 * of the assignment.
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
            String name, int count, SortedMap<String, String> nodeSelector, List<Toleration> tolerations) {
        public PodSetPlacement {
            nodeSelector = Collections.unmodifiableSortedMap(new TreeMap<>(nodeSelector));
            tolerations = List.copyOf(tolerations);
        }
    }

    /** Flavors that the configuration no longer has add nothing. */
    public static Placement of(Assignment assignment, Configuration configuration) {
        return new Placement(assignment.podSets().stream()
                .map(podSet -> of(podSet, configuration))
                .toList());
    }

    private static PodSetPlacement of(PodSetAssignment assigned, Configuration configuration) {
        SortedMap<String, String> nodeSelector = new TreeMap<>();
        List<Toleration> tolerations = new ArrayList<>();
        assigned.flavors().values().stream().distinct().forEach(name -> {
            ResourceFlavor flavor = configuration.resourceFlavors().get(name);
            if (flavor != null) {
                nodeSelector.putAll(flavor.nodeLabels());
                flavor.tolerations().stream()
                        .filter(toleration -> !tolerations.contains(toleration))
                        .forEach(tolerations::add);
            }
        });
        return new PodSetPlacement(assigned.name(), assigned.count(), nodeSelector, tolerations);
    }

    /** The one of a workload with one pod set, or the first of several; null = nothing is known of any. */
    public @Nullable PodSetPlacement first() {
        return podSets.isEmpty() ? null : podSets.getFirst();
    }
}
