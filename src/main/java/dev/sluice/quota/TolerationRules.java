package dev.sluice.quota;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Kubernetes' rules of a toleration. */
public final class TolerationRules {
    private static final Set<String> OPERATORS = Set.of("", "Equal", "Exists");
    private static final Set<String> EFFECTS = Set.of("", "NoSchedule", "PreferNoSchedule", "NoExecute");

    private TolerationRules() {}

    public record Broken(String field, String value, String rule) {}

    /** @param place of the toleration, put before the field's name */
    public static List<Broken> check(String place, Toleration toleration) {
        List<Broken> broken = new ArrayList<>();
        if (!toleration.key().isEmpty() && !KubernetesNames.isLabelKey(toleration.key())) {
            broken.add(new Broken(place + ".key", toleration.key(), KubernetesNames.LABEL_KEY_RULE));
        }
        if (!OPERATORS.contains(toleration.operator())) {
            broken.add(new Broken(place + ".operator", toleration.operator(), "must be Equal or Exists"));
        }
        if (toleration.key().isEmpty() && !toleration.operator().equals("Exists")) {
            broken.add(new Broken(place + ".operator", toleration.operator(), "must be Exists when the key is empty"));
        }
        if (toleration.operator().equals("Exists") && !toleration.value().isEmpty()) {
            broken.add(new Broken(place + ".value", toleration.value(), "must be empty when the operator is Exists"));
        }
        if (!EFFECTS.contains(toleration.effect())) {
            broken.add(new Broken(
                    place + ".effect", toleration.effect(), "must be NoSchedule, PreferNoSchedule or NoExecute"));
        }
        if (toleration.tolerationSeconds() != null && !toleration.effect().equals("NoExecute")) {
            broken.add(new Broken(
                    place + ".tolerationSeconds",
                    toleration.tolerationSeconds().toString(),
                    "must be left out unless the effect is NoExecute"));
        }
        return broken;
    }
}
