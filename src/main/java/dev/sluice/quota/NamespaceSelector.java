package dev.sluice.quota;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which namespaces may submit, by their labels (Kubernetes' LabelSelector): all that is said must hold.
 *
 * @param matchLabels labels with the values that they must have
 */
public record NamespaceSelector(SortedMap<String, String> matchLabels, List<LabelRequirement> matchExpressions) {
    /** Nothing is asked. */
    public static final NamespaceSelector EVERY = new NamespaceSelector(new TreeMap<>(), List.of());

    /** The label that Kubernetes gives every namespace: its name. */
    public static final String NAME_LABEL = "kubernetes.io/metadata.name";

    public NamespaceSelector {
        matchLabels = Configuration.sorted(matchLabels);
        matchExpressions = List.copyOf(matchExpressions);
    }

    public static NamespaceSelector of(Map<String, String> labels) {
        return new NamespaceSelector(new TreeMap<>(labels), List.of());
    }

    /** Whether it asks for nothing. */
    public boolean isEvery() {
        return matchLabels.isEmpty() && matchExpressions.isEmpty();
    }

    /** @param labels of the namespace, as far as they are known; its name is a label of its own */
    public boolean matches(String namespace, Map<String, String> labels) {
        for (Map.Entry<String, String> asked : matchLabels.entrySet()) {
            if (!asked.getValue().equals(carried(asked.getKey(), namespace, labels))) {
                return false;
            }
        }
        for (LabelRequirement expression : matchExpressions) {
            if (!expression.matches(carried(expression.key(), namespace, labels))) {
                return false;
            }
        }
        return true;
    }

    private static @Nullable String carried(String key, String namespace, Map<String, String> labels) {
        return key.equals(NAME_LABEL) ? namespace : labels.get(key);
    }
}
