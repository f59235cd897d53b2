package dev.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sluice.api.wire.ResourceFlavorBody.TolerationBody;
import dev.sluice.quota.KubernetesNames;
import dev.sluice.quota.NearestNames;
import dev.sluice.quota.Toleration;
import dev.sluice.quota.TolerationRules;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.PodSetUpdate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What an admission check adds to the pods of one pod set when they are let go, in Kueue's shape.
 *
 * @param name of the pod set
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PodSetUpdateBody(
        @Nullable String name,
        @Nullable Map<String, String> labels,
        @Nullable Map<String, String> annotations,
        @Nullable Map<String, String> nodeSelector,
        @Nullable List<TolerationBody> tolerations) {
    static PodSetUpdateBody of(PodSetUpdate update) {
        return new PodSetUpdateBody(
                update.podSet(),
                emptyIsNull(update.labels()),
                emptyIsNull(update.annotations()),
                emptyIsNull(update.nodeSelector()),
                update.tolerations().isEmpty()
                        ? null
                        : update.tolerations().stream().map(TolerationBody::of).toList());
    }

    private static @Nullable Map<String, String> emptyIsNull(SortedMap<String, String> map) {
        return map.isEmpty() ? null : map;
    }

    /**
     * @param place of the list
     * @param podSets those that there are
     */
    static List<PodSetUpdate> read(
            String place, @Nullable List<PodSetUpdateBody> bodies, List<PodSet> podSets, Mistakes mistakes) {
        List<String> known = podSets.stream().map(PodSet::name).toList();
        List<PodSetUpdate> updates = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        List<PodSetUpdateBody> given = bodies == null ? List.of() : bodies;
        for (int index = 0; index < given.size(); index++) {
            PodSetUpdateBody body = given.get(index);
            String at = place + "[" + index + "].";
            String name = body == null ? null : mistakes.required(at + "name", body.name());
            if (body == null) {
                mistakes.add(place + "[" + index + "]", null, "must be an object");
            } else if (name != null && !known.contains(name)) {
                mistakes.add(
                        ProblemKind.INVALID_FIELD,
                        at + "name",
                        name,
                        "must name a pod set of the workload",
                        NearestNames.of(name, known));
            } else if (name != null && !seen.add(name)) {
                mistakes.add(at + "name", name, "must be another than the names before it");
            } else if (name != null) {
                updates.add(body.read(at, name, mistakes));
            }
        }
        return updates;
    }

    private PodSetUpdate read(String at, String podSet, Mistakes mistakes) {
        List<Toleration> tolerates = ResourceFlavorBody.tolerations(tolerations);
        for (int index = 0; index < tolerates.size(); index++) {
            TolerationRules.check(at + "tolerations[" + index + "]", tolerates.get(index))
                    .forEach(broken -> mistakes.add(broken.field(), broken.value(), broken.rule()));
        }
        return new PodSetUpdate(
                podSet,
                NativeWorkload.labels(at + "labels.", labels, mistakes),
                keyed(at + "annotations.", annotations, mistakes),
                NativeWorkload.labels(at + "nodeSelector.", nodeSelector, mistakes),
                tolerates);
    }

    /** Values of annotations may be anything. */
    private static SortedMap<String, String> keyed(
            String place, @Nullable Map<String, String> annotations, Mistakes mistakes) {
        SortedMap<String, String> checked = new TreeMap<>(ClusterQueueBody.withoutNulls(place, annotations, mistakes));
        checked.keySet().stream()
                .filter(key -> !KubernetesNames.isLabelKey(key))
                .forEach(key -> mistakes.add(place + key, key, KubernetesNames.LABEL_KEY_RULE));
        return checked;
    }
}
