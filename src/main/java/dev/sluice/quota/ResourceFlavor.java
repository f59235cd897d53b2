package dev.sluice.quota;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A kind of node that quota is given in (Kueue's ResourceFlavor). Without labels and taints: a homogeneous pool. */
public record ResourceFlavor(
        String name,
        Map<String, String> nodeLabels,
        List<Taint> nodeTaints,
        List<Toleration> tolerations,
        @Nullable String topologyName) {
    public ResourceFlavor {
        nodeLabels = Configuration.sorted(nodeLabels);
        nodeTaints = List.copyOf(nodeTaints);
        tolerations = List.copyOf(tolerations);
    }
}
