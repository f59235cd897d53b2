package dev.sluice.simulation;

import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Cohort;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.QuotaLine;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.ResourceQuota;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Who owns, borrows and lends what: the formulas of the cohort tree as they are written in Kueue's documentation, by name. Amounts
 * are small enough not to overflow, names of queues and cohorts differ, and cohorts form no cycle.
 */
public final class PlainTree {
    private static final long NO_LIMIT = Long.MAX_VALUE / 4;

    record Cell(String node, QuotaLine line) {}

    private final Configuration configuration;

    private final SortedSet<String> queues = new TreeSet<>();
    private final SortedSet<String> cohorts = new TreeSet<>();
    private final SortedSet<QuotaLine> lines = new TreeSet<>();
    private final Map<String, String> parents = new HashMap<>();
    private final Map<String, List<String>> children = new HashMap<>();
    private final Map<Cell, ResourceQuota> quotas = new HashMap<>();
    private final Map<Cell, Long> subtreeQuotas = new HashMap<>();
    private final Map<Cell, Long> potentials = new HashMap<>();

    /**
     * @param retired queues that are not configured any more and still hold charges, with the cohort that they stood in (empty =
     *     none)
     */
    public PlainTree(Configuration configuration, Map<String, String> retired) {
        this.configuration = configuration;
        queues.addAll(configuration.clusterQueues().keySet());
        queues.addAll(retired.keySet());
        cohorts.addAll(configuration.cohorts().keySet());
        configuration.cohorts().values().forEach(cohort -> link(cohort.name(), cohort.parent()));
        retired.forEach((queue, cohort) -> link(queue, cohort.isEmpty() ? null : cohort));
        configuration.clusterQueues().values().forEach(queue -> link(queue.name(), queue.cohort()));
        configuration.clusterQueues().values().forEach(queue -> read(queue.name(), queue.resourceGroups()));
        configuration.cohorts().values().forEach(cohort -> read(cohort.name(), cohort.resourceGroups()));
    }

    private void link(String child, @Nullable String parent) {
        if (parent != null) {
            cohorts.add(parent);
            parents.put(child, parent);
            children.computeIfAbsent(parent, key -> new ArrayList<>()).add(child);
        }
    }

    private void read(String node, List<ResourceGroup> groups) {
        groups.forEach(group -> group.flavors()
                .forEach(flavor -> flavor.resources().forEach(quota -> {
                    QuotaLine line = new QuotaLine(flavor.flavor(), quota.resource());
                    lines.add(line);
                    quotas.put(new Cell(node, line), quota);
                })));
    }

    public Configuration configuration() {
        return configuration;
    }

    public SortedSet<String> queues() {
        return queues;
    }

    public SortedSet<QuotaLine> lines() {
        return lines;
    }

    public boolean isQueue(String node) {
        return queues.contains(node);
    }

    public List<String> children(String node) {
        return children.getOrDefault(node, List.of());
    }

    public @Nullable String parent(String node) {
        return parents.get(node);
    }

    public String root(String node) {
        String parent = parent(node);
        return parent == null ? node : root(parent);
    }

    /** From the node itself up to its root. */
    public List<String> path(String node) {
        List<String> path = new ArrayList<>();
        for (String at = node; at != null; at = parent(at)) {
            path.add(at);
        }
        return path;
    }

    /** Queues that stand alone, then cohorts, each by name: the order in which trees are decided. */
    public List<String> roots() {
        List<String> roots = new ArrayList<>();
        queues.stream().filter(queue -> parent(queue) == null).forEach(roots::add);
        cohorts.stream().filter(cohort -> parent(cohort) == null).forEach(roots::add);
        return roots;
    }

    public List<String> queuesBelow(String root) {
        return queues.stream().filter(queue -> root(queue).equals(root)).toList();
    }

    /** Longest way down; 0 = a queue. */
    public int height(String node) {
        int height = 0;
        for (String child : children(node)) {
            height = Math.max(height, 1 + height(child));
        }
        return height;
    }

    public BigDecimal weight(String node) {
        ClusterQueue queue = configuration.clusterQueues().get(node);
        Cohort cohort = configuration.cohorts().get(node);
        return queue != null
                ? queue.weight().value()
                : cohort != null ? cohort.weight().value() : BigDecimal.ONE;
    }

    public long nominal(String node, QuotaLine line) {
        ResourceQuota quota = quotas.get(new Cell(node, line));
        return quota == null ? 0 : quota.nominal().units(line.resource());
    }

    /** Null = no limit. */
    public @Nullable Long borrowingLimit(String node, QuotaLine line) {
        ResourceQuota quota = quotas.get(new Cell(node, line));
        return quota == null || quota.borrowingLimit() == null
                ? null
                : quota.borrowingLimit().units(line.resource());
    }

    public long subtreeQuota(String node, QuotaLine line) {
        Cell cell = new Cell(node, line);
        Long known = subtreeQuotas.get(cell);
        if (known != null) {
            return known;
        }
        long sum = nominal(node, line);
        for (String child : children(node)) {
            sum += subtreeQuota(child, line) - localQuota(child, line);
        }
        subtreeQuotas.put(cell, sum);
        return sum;
    }

    /** Never seen by the parent. */
    public long localQuota(String node, QuotaLine line) {
        ResourceQuota quota = quotas.get(new Cell(node, line));
        return quota == null || quota.lendingLimit() == null
                ? 0
                : Math.max(0, subtreeQuota(node, line) - quota.lendingLimit().units(line.resource()));
    }

    /** Above its quota; a large number if there is no limit. */
    public long mayBorrow(String node, QuotaLine line) {
        Long limit = borrowingLimit(node, line);
        return limit == null ? NO_LIMIT : limit;
    }

    public long potential(String node, QuotaLine line) {
        Cell cell = new Cell(node, line);
        Long known = potentials.get(cell);
        if (known != null) {
            return known;
        }
        String parent = parent(node);
        long potential = parent == null
                ? subtreeQuota(node, line)
                : Math.min(
                        localQuota(node, line) + potential(parent, line),
                        subtreeQuota(node, line) + mayBorrow(node, line));
        potentials.put(cell, potential);
        return potential;
    }
}
