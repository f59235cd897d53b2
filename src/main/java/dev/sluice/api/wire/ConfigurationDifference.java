package dev.sluice.api.wire;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What differs between two specifications, field by field. */
public final class ConfigurationDifference {
    private ConfigurationDifference() {}

    /** @param from null = it was not there; {@code to} likewise */
    public record FieldDifference(
            String field, @Nullable String from, @Nullable String to) {}

    /** @param before null = not configured; {@code after} likewise */
    public static List<FieldDifference> between(@Nullable Object before, @Nullable Object after) {
        SortedMap<String, String> left = flat(before);
        SortedMap<String, String> right = flat(after);
        SortedSet<String> fields = new TreeSet<>(left.keySet());
        fields.addAll(right.keySet());
        List<FieldDifference> differences = new ArrayList<>();
        for (String field : fields) {
            if (!Objects.equals(left.get(field), right.get(field))) {
                differences.add(new FieldDifference(field, left.get(field), right.get(field)));
            }
        }
        return differences;
    }

    private static SortedMap<String, String> flat(@Nullable Object shape) {
        SortedMap<String, String> flat = new TreeMap<>();
        if (shape != null) {
            flatten("", JsonBody.tree(shape), flat);
        }
        return flat;
    }

    /** Quota lines are told by flavor and resource, not by their place in the list. */
    private static void flatten(String path, JsonNode node, SortedMap<String, String> flat) {
        if (node.isObject()) {
            node.properties()
                    .forEach(entry -> flatten(
                            path.isEmpty() ? entry.getKey() : path + "." + entry.getKey(), entry.getValue(), flat));
        } else if (node.isArray()) {
            for (int index = 0; index < node.size(); index++) {
                flatten(path + "[" + label(node.get(index), index) + "]", node.get(index), flat);
            }
        } else if (!node.isNull()) {
            flat.put(path, JsonBody.text(node));
        }
    }

    private static String label(JsonNode element, int index) {
        if (!element.has("nominal")) {
            return Integer.toString(index);
        }
        String resource = element.path("resource").asText("");
        return element.path("flavor").asText() + "/"
                + (resource.isEmpty()
                        ? "deviceclass/" + element.path("deviceClass").asText()
                        : resource)
                + (element.has("counter") ? "/" + element.path("counter").asText() : "");
    }
}
