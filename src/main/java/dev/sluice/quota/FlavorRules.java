package dev.sluice.quota;

import java.util.List;
import java.util.Set;

/** Rules of one ResourceFlavor. */
final class FlavorRules {
    private static final int EACH_MAX = 8;
    private static final Set<String> EFFECTS = Set.of("NoSchedule", "PreferNoSchedule", "NoExecute");

    private FlavorRules() {}

    static void check(ResourceFlavor flavor, List<Violation> violations) {
        Refusals refusals = new Refusals("resource-flavors/" + flavor.name(), violations);
        if (!KubernetesNames.isSubdomain(flavor.name())) {
            refusals.add("name", flavor.name(), KubernetesNames.SUBDOMAIN_RULE);
        }
        refusals.limit("nodeLabels", flavor.nodeLabels().size());
        refusals.limit("nodeTaints", flavor.nodeTaints().size());
        refusals.limit("tolerations", flavor.tolerations().size());
        flavor.nodeLabels().forEach((key, value) -> {
            refusals.labelKey("nodeLabels", key);
            refusals.labelValue("nodeLabels." + key, value);
        });
        for (int index = 0; index < flavor.nodeTaints().size(); index++) {
            Taint taint = flavor.nodeTaints().get(index);
            refusals.labelKey("nodeTaints[" + index + "].key", taint.key());
            refusals.labelValue("nodeTaints[" + index + "].value", taint.value());
            if (!EFFECTS.contains(taint.effect())) {
                refusals.add(
                        "nodeTaints[" + index + "].effect",
                        taint.effect(),
                        "must be NoSchedule, PreferNoSchedule or NoExecute");
            }
        }
        for (int index = 0; index < flavor.tolerations().size(); index++) {
            TolerationRules.check(
                            "tolerations[" + index + "]", flavor.tolerations().get(index))
                    .forEach(broken -> refusals.add(broken.field(), broken.value(), broken.rule()));
        }
        if (flavor.topologyName() != null && flavor.nodeLabels().isEmpty()) {
            refusals.add("topologyName", flavor.topologyName(), "needs at least one node label");
        }
    }

    private record Refusals(String object, List<Violation> violations) {
        void add(String field, String value, String rule) {
            violations.add(new Violation(object, null, field, value, rule, List.of()));
        }

        void limit(String field, int count) {
            if (count > EACH_MAX) {
                add(field, Integer.toString(count), "must be at most " + EACH_MAX);
            }
        }

        void labelKey(String field, String key) {
            if (!KubernetesNames.isLabelKey(key)) {
                add(field, key, KubernetesNames.LABEL_KEY_RULE);
            }
        }

        void labelValue(String field, String value) {
            if (!KubernetesNames.isLabelValue(value)) {
                add(field, value, KubernetesNames.LABEL_VALUE_RULE);
            }
        }
    }
}
