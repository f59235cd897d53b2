package dev.sluice.quota;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds quota written in two units within one tree: {@code 20096Mi} in one queue and {@code 1} in the next, where the 1 is
 * one byte and everything else would be borrowed.
 */
final class UnitScales {
    private static final BigDecimal FACTOR_MAX = BigDecimal.valueOf(1_000_000);

    private UnitScales() {}

    static List<Violation> warnings(Configuration configuration) {
        SortedMap<String, Extremes> extremes = new TreeMap<>();
        configuration.clusterQueues().forEach((name, queue) -> {
            if (queue.cohort() != null) {
                collect(
                        extremes,
                        root(configuration, queue.cohort()),
                        "cluster-queues/" + name,
                        queue.resourceGroups());
            }
        });
        configuration
                .cohorts()
                .forEach((name, cohort) ->
                        collect(extremes, root(configuration, name), "cohorts/" + name, cohort.resourceGroups()));
        List<Violation> warnings = new ArrayList<>();
        extremes.values().forEach(found -> {
            if (found.largest
                            .quota
                            .nominal()
                            .value()
                            .compareTo(found.smallest.quota.nominal().value().multiply(FACTOR_MAX))
                    >= 0) {
                warnings.add(found.warning());
            }
        });
        return warnings;
    }

    private static void collect(
            SortedMap<String, Extremes> extremes, String root, String object, List<ResourceGroup> groups) {
        for (ResourceGroup group : groups) {
            for (FlavorQuotas quotas : group.flavors()) {
                for (ResourceQuota quota : quotas.resources()) {
                    if (quota.nominal().value().signum() > 0) {
                        Place place = new Place(object, quotas.flavor(), quota);
                        extremes.merge(root + "\n" + quota.resource(), new Extremes(place, place), Extremes::widened);
                    }
                }
            }
        }
    }

    /** Ends at a cycle, too; that is another rule's to tell. */
    private static String root(Configuration configuration, String cohort) {
        Set<String> seen = new HashSet<>();
        String at = cohort;
        while (seen.add(at)) {
            Cohort found = configuration.cohorts().get(at);
            @Nullable String parent = found == null ? null : found.parent();
            if (parent == null) {
                return at;
            }
            at = parent;
        }
        return at;
    }

    private record Place(String object, String flavor, ResourceQuota quota) {}

    private record Extremes(Place smallest, Place largest) {
        Extremes widened(Extremes other) {
            return new Extremes(
                    other.smallest.quota.nominal().compareTo(smallest.quota.nominal()) < 0 ? other.smallest : smallest,
                    other.largest.quota.nominal().compareTo(largest.quota.nominal()) > 0 ? other.largest : largest);
        }

        Violation warning() {
            return new Violation(
                    smallest.object,
                    new Violation.Line(smallest.flavor, smallest.quota.resource()),
                    "nominal",
                    smallest.quota.nominal().toString(),
                    "is at most a millionth of the " + largest.quota.nominal() + " of " + largest.object
                            + " in the same tree: is a unit missing?",
                    List.of());
        }
    }
}
