package dev.sluice.quota;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Gives every queue, cohort and line its number, and copies quotas into flat arrays. */
final class QuotaTreeBuilder {
    final ShareArithmetic shareArithmetic;
    final List<String> names = new ArrayList<>();
    final Map<String, Integer> queues = new TreeMap<>();
    final Map<String, Integer> cohorts = new TreeMap<>();
    final SortedMap<QuotaLine, Integer> lines = new TreeMap<>();
    final int[] parents;
    final boolean[] cyclic;
    final long[] nominal;
    final long[] borrowingLimit;
    final long[] lendingLimit;
    final boolean[] listed;
    final FairWeight[] weights;

    QuotaTreeBuilder(
            Configuration configuration,
            Map<String, ? extends Set<QuotaLine>> chargedLines,
            SortedMap<String, String> retiredQueues,
            ShareArithmetic shareArithmetic) {
        this.shareArithmetic = shareArithmetic;
        nameNodes(configuration, retiredQueues);
        nameLines(configuration, chargedLines);
        parents = new int[names.size()];
        Arrays.fill(parents, QuotaTree.NONE);
        linkParents(configuration, retiredQueues);
        cyclic = new boolean[names.size()];
        breakCycles();
        int cells = names.size() * lines.size();
        nominal = new long[cells];
        borrowingLimit = new long[cells];
        lendingLimit = new long[cells];
        Arrays.fill(borrowingLimit, Amounts.UNLIMITED);
        Arrays.fill(lendingLimit, Amounts.UNLIMITED);
        listed = new boolean[cells];
        weights = new FairWeight[names.size()];
        Arrays.fill(weights, FairWeight.ONE);
        configuration
                .clusterQueues()
                .values()
                .forEach(queue -> fill(node(queues, queue.name()), queue.resourceGroups(), queue.weight()));
        configuration
                .cohorts()
                .values()
                .forEach(cohort -> fill(node(cohorts, cohort.name()), cohort.resourceGroups(), cohort.weight()));
        chargedLines.forEach(
                (queue, charged) -> charged.forEach(line -> list(node(queues, queue), line.flavor(), line.resource())));
    }

    QuotaTree build() {
        return new QuotaTree(this);
    }

    private void nameNodes(Configuration configuration, SortedMap<String, String> retiredQueues) {
        SortedSet<String> queueNames =
                new TreeSet<>(configuration.clusterQueues().keySet());
        queueNames.addAll(retiredQueues.keySet());
        SortedSet<String> cohortNames = new TreeSet<>(configuration.cohorts().keySet());
        configuration.clusterQueues().values().forEach(queue -> addIfNamed(cohortNames, queue.cohort()));
        configuration.cohorts().values().forEach(cohort -> addIfNamed(cohortNames, cohort.parent()));
        retiredQueues.values().forEach(cohort -> addIfNamed(cohortNames, cohort));
        for (String name : queueNames) {
            queues.put(name, names.size());
            names.add(name);
        }
        for (String name : cohortNames) {
            cohorts.put(name, names.size());
            names.add(name);
        }
    }

    private static void addIfNamed(SortedSet<String> set, @Nullable String name) {
        if (name != null && !name.isEmpty()) {
            set.add(name);
        }
    }

    private void nameLines(Configuration configuration, Map<String, ? extends Set<QuotaLine>> chargedLines) {
        chargedLines.values().forEach(charged -> charged.forEach(line -> lines.put(line, 0)));
        configuration.clusterQueues().values().forEach(queue -> nameLines(queue.resourceGroups()));
        configuration.cohorts().values().forEach(cohort -> nameLines(cohort.resourceGroups()));
        int next = 0;
        for (Map.Entry<QuotaLine, Integer> line : lines.entrySet()) {
            line.setValue(next++);
        }
    }

    private void nameLines(List<ResourceGroup> groups) {
        for (ResourceGroup group : groups) {
            for (FlavorQuotas flavor : group.flavors()) {
                group.coveredResources().forEach(resource -> lines.put(new QuotaLine(flavor.flavor(), resource), 0));
                flavor.resources().forEach(quota -> lines.put(new QuotaLine(flavor.flavor(), quota.resource()), 0));
            }
        }
    }

    private void linkParents(Configuration configuration, SortedMap<String, String> retiredQueues) {
        configuration.clusterQueues().values().forEach(queue -> link(node(queues, queue.name()), queue.cohort()));
        configuration.cohorts().values().forEach(cohort -> link(node(cohorts, cohort.name()), cohort.parent()));
        retiredQueues.forEach((name, cohort) -> link(node(queues, name), cohort));
    }

    private void link(int child, @Nullable String parent) {
        if (parent != null && !parent.isEmpty()) {
            parents[child] = node(cohorts, parent);
        }
    }

    private static int node(Map<String, Integer> nodes, String name) {
        Integer node = nodes.get(name);
        if (node == null) {
            throw new IllegalStateException("no node was made for " + name);
        }
        return node;
    }

    /** Whoever needs more steps to a root than there are nodes never gets there. */
    private void breakCycles() {
        for (int node = 0; node < parents.length; node++) {
            int ancestor = node;
            for (int steps = 0; ancestor != QuotaTree.NONE && steps <= parents.length; steps++) {
                ancestor = parents[ancestor];
            }
            cyclic[node] = ancestor != QuotaTree.NONE;
        }
        for (int node = 0; node < parents.length; node++) {
            if (cyclic[node]) {
                parents[node] = QuotaTree.NONE;
            }
        }
    }

    private void fill(int node, List<ResourceGroup> groups, Quantity weight) {
        weights[node] = FairWeight.of(weight);
        for (ResourceGroup group : groups) {
            for (FlavorQuotas flavor : group.flavors()) {
                group.coveredResources().forEach(resource -> list(node, flavor.flavor(), resource));
                for (ResourceQuota quota : flavor.resources()) {
                    Integer line = lines.get(new QuotaLine(flavor.flavor(), quota.resource()));
                    if (line != null) {
                        fill(node * lines.size() + line, quota);
                    }
                }
            }
        }
    }

    private void list(int node, String flavor, String resource) {
        Integer line = lines.get(new QuotaLine(flavor, resource));
        if (line != null) {
            listed[node * lines.size() + line] = true;
        }
    }

    private void fill(int cell, ResourceQuota quota) {
        listed[cell] = true;
        nominal[cell] = quota.nominal().units(quota.resource());
        if (quota.borrowingLimit() != null) {
            borrowingLimit[cell] = quota.borrowingLimit().units(quota.resource());
        }
        if (quota.lendingLimit() != null) {
            lendingLimit[cell] = quota.lendingLimit().units(quota.resource());
        }
    }
}
