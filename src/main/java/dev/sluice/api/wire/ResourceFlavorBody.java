package dev.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.Taint;
import dev.sluice.quota.Toleration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A kind of node. Without fields: a homogeneous pool. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ResourceFlavorBody(
        @Nullable String name,
        @Nullable Map<String, String> nodeLabels,
        @Nullable List<TaintBody> nodeTaints,
        @Nullable List<TolerationBody> tolerations) {
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record TaintBody(
            @Nullable String key,
            @Nullable String value,
            @Nullable String effect) {}

    /** @param tolerationSeconds with {@code NoExecute} only; left out = for ever */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record TolerationBody(
            @Nullable String key,
            @Nullable String operator,
            @Nullable String value,
            @Nullable String effect,
            @Nullable Long tolerationSeconds) {
        public Toleration toleration() {
            return new Toleration(
                    text(key),
                    operator == null || operator.isEmpty() ? "Equal" : operator,
                    text(value),
                    text(effect),
                    tolerationSeconds);
        }

        public static TolerationBody of(Toleration toleration) {
            return new TolerationBody(
                    ClusterQueueBody.emptyIsNull(toleration.key()),
                    ClusterQueueBody.emptyIsNull(toleration.operator()),
                    ClusterQueueBody.emptyIsNull(toleration.value()),
                    ClusterQueueBody.emptyIsNull(toleration.effect()),
                    toleration.tolerationSeconds());
        }
    }

    public ResourceFlavor resourceFlavor(String key, Mistakes mistakes) {
        return flavor("", key, nodeLabels, nodeTaints, tolerations, mistakes);
    }

    /** @param place put before field names, such as {@code spec.} */
    public static ResourceFlavor flavor(
            String place,
            String key,
            @Nullable Map<String, String> nodeLabels,
            @Nullable List<TaintBody> nodeTaints,
            @Nullable List<TolerationBody> tolerations,
            Mistakes mistakes) {
        List<Taint> taints = new ArrayList<>();
        for (TaintBody taint : nodeTaints == null ? List.<TaintBody>of() : nodeTaints) {
            taints.add(new Taint(text(taint.key()), text(taint.value()), text(taint.effect())));
        }
        return new ResourceFlavor(
                key,
                ClusterQueueBody.withoutNulls(place + "nodeLabels.", nodeLabels, mistakes),
                taints,
                tolerations(tolerations),
                null);
    }

    public static List<Toleration> tolerations(@Nullable List<TolerationBody> bodies) {
        return bodies == null
                ? List.of()
                : bodies.stream().map(TolerationBody::toleration).toList();
    }

    public static ResourceFlavorBody of(ResourceFlavor flavor) {
        return new ResourceFlavorBody(
                flavor.name(),
                flavor.nodeLabels().isEmpty() ? null : flavor.nodeLabels(),
                flavor.nodeTaints().isEmpty() ? null : taints(flavor),
                flavor.tolerations().isEmpty() ? null : tolerationBodies(flavor));
    }

    public static List<TaintBody> taints(ResourceFlavor flavor) {
        return flavor.nodeTaints().stream()
                .map(taint -> new TaintBody(taint.key(), ClusterQueueBody.emptyIsNull(taint.value()), taint.effect()))
                .toList();
    }

    public static List<TolerationBody> tolerationBodies(ResourceFlavor flavor) {
        return flavor.tolerations().stream().map(TolerationBody::of).toList();
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }
}
