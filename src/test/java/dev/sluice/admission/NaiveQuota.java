package dev.sluice.admission;

import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Cohort;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.QuotaLine;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.ResourceQuota;
import dev.sluice.workload.Assignment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The quota formulas as they are written in the rules, over maps by name, worked out from scratch at every question: slow,
 * and short enough to be checked by eye. Small amounts only.
 */
final class NaiveQuota {
    private final Configuration configuration;
    private final Map<String, Map<QuotaLine, Long>> charged = new TreeMap<>();

    /** Queues that are not configured any more, with the cohort that they stood in. */
    private final Map<String, String> retired;

    NaiveQuota(Configuration configuration, Map<String, String> retired) {
        this.configuration = configuration;
        this.retired = retired;
    }

    void charge(Assignment assignment) {
        assignment
                .podSets()
                .forEach(podSet -> podSet.flavors()
                        .forEach((resource, flavor) -> charged.computeIfAbsent(
                                        assignment.clusterQueue(), queue -> new TreeMap<>())
                                .merge(
                                        new QuotaLine(flavor, resource),
                                        podSet.usage().getOrDefault(resource, 0L),
                                        Long::sum)));
    }

    private @Nullable String parent(String node) {
        if (retired.containsKey(node)) {
            String cohort = retired.get(node);
            return cohort == null || cohort.isEmpty() ? null : cohort;
        }
        ClusterQueue queue = configuration.clusterQueues().get(node);
        Cohort cohort = configuration.cohorts().get(node);
        return queue != null ? queue.cohort() : cohort == null ? null : cohort.parent();
    }

    private List<String> children(String cohort) {
        List<String> children = new ArrayList<>();
        configuration.clusterQueues().values().stream()
                .filter(queue -> cohort.equals(queue.cohort()))
                .forEach(queue -> children.add(queue.name()));
        configuration.cohorts().values().stream()
                .filter(child -> cohort.equals(child.parent()))
                .forEach(child -> children.add(child.name()));
        retired.forEach((queue, of) -> {
            if (of.equals(cohort)) {
                children.add(queue);
            }
        });
        return children;
    }

    private @Nullable ResourceQuota quota(String node, QuotaLine line) {
        ClusterQueue queue = configuration.clusterQueues().get(node);
        Cohort cohort = configuration.cohorts().get(node);
        List<ResourceGroup> groups =
                queue != null ? queue.resourceGroups() : cohort == null ? List.of() : cohort.resourceGroups();
        return groups.stream()
                .flatMap(group -> group.flavors().stream())
                .filter(flavor -> flavor.flavor().equals(line.flavor()))
                .flatMap(flavor -> flavor.resources().stream())
                .filter(quota -> quota.resource().equals(line.resource()))
                .findFirst()
                .orElse(null);
    }

    private long nominal(String node, QuotaLine line) {
        ResourceQuota quota = quota(node, line);
        return quota == null ? 0 : quota.nominal().units(line.resource());
    }

    private long subtreeQuota(String node, QuotaLine line) {
        long sum = nominal(node, line);
        for (String child : children(node)) {
            sum += subtreeQuota(child, line) - localQuota(child, line);
        }
        return sum;
    }

    private long localQuota(String node, QuotaLine line) {
        ResourceQuota quota = quota(node, line);
        return quota == null || quota.lendingLimit() == null
                ? 0
                : Math.max(0, subtreeQuota(node, line) - quota.lendingLimit().units(line.resource()));
    }

    private long usage(String node, QuotaLine line) {
        if (configuration.clusterQueues().containsKey(node) || retired.containsKey(node)) {
            return charged.getOrDefault(node, Map.of()).getOrDefault(line, 0L);
        }
        long sum = 0;
        for (String child : children(node)) {
            sum += Math.max(0, usage(child, line) - localQuota(child, line));
        }
        return sum;
    }

    /** May be negative. */
    long available(String node, QuotaLine line) {
        String parent = parent(node);
        if (parent == null) {
            return subtreeQuota(node, line) - usage(node, line);
        }
        long local = localQuota(node, line);
        long above = Math.max(0, usage(node, line) - local);
        ResourceQuota quota = quota(node, line);
        long mayBorrow = quota == null || quota.borrowingLimit() == null
                ? Long.MAX_VALUE / 4
                : subtreeQuota(node, line)
                        - local
                        - above
                        + quota.borrowingLimit().units(line.resource());
        return Math.max(0, local - usage(node, line)) + Math.min(available(parent, line), mayBorrow);
    }

    long potential(String node, QuotaLine line) {
        String parent = parent(node);
        if (parent == null) {
            return subtreeQuota(node, line);
        }
        ResourceQuota quota = quota(node, line);
        long limit = quota == null || quota.borrowingLimit() == null
                ? Long.MAX_VALUE / 4
                : subtreeQuota(node, line) + quota.borrowingLimit().units(line.resource());
        return Math.min(localQuota(node, line) + potential(parent, line), limit);
    }
}
