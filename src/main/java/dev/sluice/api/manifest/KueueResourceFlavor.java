package dev.sluice.api.manifest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.api.wire.Mistakes;
import dev.sluice.api.wire.ResourceFlavorBody;
import dev.sluice.api.wire.ResourceFlavorBody.TaintBody;
import dev.sluice.api.wire.ResourceFlavorBody.TolerationBody;
import dev.sluice.quota.ResourceFlavor;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The specification of Kueue's ResourceFlavor. */
@JsonInclude(JsonInclude.Include.NON_NULL)
record KueueResourceFlavor(
        @Nullable Map<String, String> nodeLabels,
        @Nullable List<TaintBody> nodeTaints,
        @Nullable List<TolerationBody> tolerations,
        @Nullable JsonNode topologyName) {
    ResourceFlavor resourceFlavor(String name, Mistakes mistakes) {
        KueueClusterQueue.unsupported("topologyName", topologyName, mistakes);
        return ResourceFlavorBody.flavor("spec.", name, nodeLabels, nodeTaints, tolerations, mistakes);
    }

    static KueueResourceFlavor of(ResourceFlavor flavor) {
        ResourceFlavorBody body = ResourceFlavorBody.of(flavor);
        return new KueueResourceFlavor(body.nodeLabels(), body.nodeTaints(), body.tolerations(), null);
    }
}
