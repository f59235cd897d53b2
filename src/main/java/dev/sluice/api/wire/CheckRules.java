package dev.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sluice.quota.ClusterQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Which checks a ClusterQueue asks for, as bodies say it: names, each with the flavors for which it counts. */
public final class CheckRules {
    private CheckRules() {}

    /** @param onFlavors null or empty = whatever the flavor */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record CheckRule(@Nullable String name, @Nullable List<String> onFlavors) {}

    /** @param rules null = none */
    public static List<String> names(String place, @Nullable List<CheckRule> rules, Mistakes mistakes) {
        List<String> names = new ArrayList<>();
        List<CheckRule> given = rules == null ? List.of() : rules;
        for (int index = 0; index < given.size(); index++) {
            CheckRule rule = given.get(index);
            String name = rule == null ? null : mistakes.required(place + "[" + index + "].name", rule.name());
            if (name != null && names.contains(name)) {
                mistakes.add(place + "[" + index + "].name", name, "must be another than the names before it");
            } else if (name != null) {
                names.add(name);
            }
        }
        return names;
    }

    /** Of those that do not count for every flavor. */
    public static SortedMap<String, List<String>> onFlavors(@Nullable List<CheckRule> rules) {
        SortedMap<String, List<String>> flavors = new TreeMap<>();
        for (CheckRule rule : rules == null ? List.<CheckRule>of() : rules) {
            List<String> on = rule == null ? null : rule.onFlavors();
            if (rule != null && rule.name() != null && on != null && !on.isEmpty()) {
                flavors.put(rule.name(), on);
            }
        }
        return flavors;
    }

    /** Null = it asks for none. */
    public static @Nullable List<CheckRule> of(ClusterQueue queue) {
        return queue.admissionChecks().isEmpty()
                ? null
                : queue.admissionChecks().stream()
                        .map(name -> new CheckRule(name, queue.checksOnFlavors().get(name)))
                        .toList();
    }
}
