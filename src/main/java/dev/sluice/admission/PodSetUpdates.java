package dev.sluice.admission;

import dev.sluice.quota.Configuration;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.Toleration;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.PodSetUpdate;
import dev.sluice.workload.Workload;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the admission checks of a workload together add to its pods. Nobody can have both where two want different things: then none of
 * it is let go, since whoever asked for the other would rely on what is not so.
 */
public final class PodSetUpdates {
    private PodSetUpdates() {}

    /** @param check that wants something else than what is there, or than a check whose name comes before its own */
    record Conflict(String check, String what) {}

    /** Of checks that do not contradict each other. */
    public static PodSetUpdate of(String podSet, SortedMap<String, CheckStatus> checks) {
        SortedMap<String, String> labels = new TreeMap<>();
        SortedMap<String, String> annotations = new TreeMap<>();
        SortedMap<String, String> nodeSelector = new TreeMap<>();
        Set<Toleration> tolerations = new LinkedHashSet<>();
        checks.values()
                .forEach(check -> updates(check, podSet).forEach(update -> {
                    labels.putAll(update.labels());
                    annotations.putAll(update.annotations());
                    nodeSelector.putAll(update.nodeSelector());
                    tolerations.addAll(update.tolerations());
                }));
        return new PodSetUpdate(podSet, labels, annotations, nodeSelector, List.copyOf(tolerations));
    }

    private static List<PodSetUpdate> updates(CheckStatus check, String podSet) {
        return check.podSetUpdates().stream()
                .filter(update -> update.podSet().equals(podSet))
                .toList();
    }

    /** Null = all of it can be had, as far as labels and annotations that the pods have themselves are not concerned. */
    static @Nullable Conflict conflict(
            Workload workload,
            Assignment assignment,
            Configuration configuration,
            SortedMap<String, CheckStatus> checks) {
        for (PodSet podSet : workload.podSets()) {
            Wishes wishes = new Wishes(podSet.name());
            wishes.add(null, "node selector", podSet.nodeSelector(), "the pods themselves have");
            assignment.podSets().stream()
                    .filter(assigned -> assigned.name().equals(podSet.name()))
                    .flatMap(assigned -> assigned.flavors().values().stream())
                    .distinct()
                    .forEach(flavor -> wishes.add(
                            null, "node selector", nodeLabels(configuration, flavor), "flavor " + flavor + " has"));
            checks.forEach((name, check) -> updates(check, podSet.name()).forEach(update -> {
                String who = "admission check " + name + " wants";
                wishes.add(name, "label", update.labels(), who);
                wishes.add(name, "annotation", update.annotations(), who);
                wishes.add(name, "node selector", update.nodeSelector(), who);
            }));
            if (wishes.conflict != null) {
                return wishes.conflict;
            }
        }
        return null;
    }

    private static Map<String, String> nodeLabels(Configuration configuration, String flavor) {
        ResourceFlavor there = configuration.resourceFlavors().get(flavor);
        return there == null ? Map.of() : there.nodeLabels();
    }

    /** Who wants what of one pod set, and the first that cannot have it. */
    private static final class Wishes {
        private final String podSet;
        private final Map<String, Wish> wishes = new HashMap<>();

        @Nullable Conflict conflict;

        private record Wish(String value, String who) {}

        Wishes(String podSet) {
            this.podSet = podSet;
        }

        /** @param check null = it is none that wants it */
        void add(@Nullable String check, String kind, Map<String, String> wanted, String who) {
            wanted.forEach((key, value) -> {
                Wish there = wishes.putIfAbsent(kind + " " + key, new Wish(value, who));
                if (there != null
                        && check != null
                        && conflict == null
                        && !there.value().equals(value)) {
                    conflict = new Conflict(
                            check,
                            "%s %s=%s on pod set %s, and %s %s"
                                    .formatted(kind, key, value, podSet, there.who(), there.value()));
                }
            });
        }
    }
}
