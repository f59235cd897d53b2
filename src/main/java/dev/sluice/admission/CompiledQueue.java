package dev.sluice.admission;

import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.PreemptionPolicy;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import dev.sluice.quota.QuotaTree;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.Resources;
import dev.sluice.quota.StopPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A ClusterQueue with names replaced by the numbers of its node and lines.
 *
 * @param node its node in the tree
 * @param config null = it is not configured any more and only holds what still runs
 * @param groupOf resource to index of the group that covers it
 * @param nativeUnlimited whether it limits no native resource that it lists no quota of
 * @param inactiveBecause null = it may admit
 */
record CompiledQueue(
        int node,
        String name,
        @Nullable ClusterQueue config,
        List<Group> groups,
        Map<String, Integer> groupOf,
        boolean nativeUnlimited,
        @Nullable String inactiveBecause) {

    static final class Group {
        private final List<String> resources;
        /** In the order in which they are tried. */
        private final List<String> flavors;

        /** One per flavor; null = the flavor does not exist. */
        private final List<@Nullable ResourceFlavor> definitions;

        /** Per flavor and covered resource. */
        private final int[][] lines;

        Group(List<String> resources, List<String> flavors, List<@Nullable ResourceFlavor> definitions, int[][] lines) {
            this.resources = resources;
            this.flavors = flavors;
            this.definitions = definitions;
            this.lines = lines;
        }

        List<String> resources() {
            return resources;
        }

        List<String> flavors() {
            return flavors;
        }

        List<@Nullable ResourceFlavor> definitions() {
            return definitions;
        }

        int[][] lines() {
            return lines;
        }

        /** One per flavor and covered resource. */
        int lineCount() {
            return flavors.size() * resources.size();
        }
    }

    static CompiledQueue of(
            ClusterQueue queue,
            QuotaTree tree,
            Map<String, ResourceFlavor> flavors,
            Set<String> checks,
            boolean nativeUnlimited) {
        List<Group> groups = new ArrayList<>();
        Map<String, Integer> groupOf = new HashMap<>();
        String inactive = null;
        for (ResourceGroup group : queue.resourceGroups()) {
            group.coveredResources().forEach(resource -> groupOf.put(resource, groups.size()));
            Group compiled = compile(group, tree, flavors);
            for (int flavor = 0; flavor < compiled.flavors().size(); flavor++) {
                if (compiled.definitions().get(flavor) == null) {
                    inactive = "flavor " + compiled.flavors().get(flavor) + " does not exist";
                }
            }
            groups.add(compiled);
        }
        for (String check : queue.admissionChecks()) {
            if (!checks.contains(check)) {
                inactive = "admission check " + check + " does not exist";
            }
        }
        int node = tree.queue(queue.name());
        if (tree.isCyclic(node)) {
            inactive = "its cohorts form a cycle";
        }
        return new CompiledQueue(
                node, queue.name(), queue, List.copyOf(groups), Map.copyOf(groupOf), nativeUnlimited, inactive);
    }

    static CompiledQueue retired(String name, QuotaTree tree) {
        return new CompiledQueue(
                tree.queue(name), name, null, List.of(), Map.of(), false, "it does not exist any more");
    }

    private static Group compile(ResourceGroup group, QuotaTree tree, Map<String, ResourceFlavor> flavors) {
        List<String> names = new ArrayList<>();
        List<@Nullable ResourceFlavor> definitions = new ArrayList<>();
        int[][] lines = new int[group.flavors().size()][group.coveredResources().size()];
        for (int flavor = 0; flavor < lines.length; flavor++) {
            String name = group.flavors().get(flavor).flavor();
            names.add(name);
            definitions.add(flavors.get(name));
            for (int resource = 0; resource < lines[flavor].length; resource++) {
                lines[flavor][resource] =
                        tree.line(name, group.coveredResources().get(resource));
            }
        }
        return new Group(group.coveredResources(), names, definitions, lines);
    }

    /** Whether a request for it counts here, be it that it counts as impossible. */
    boolean counts(String resource) {
        return groupOf.containsKey(resource) || !(nativeUnlimited && Resources.isNative(resource));
    }

    boolean isStopped() {
        return config != null && config.stopPolicy() != StopPolicy.NONE;
    }

    boolean mayAdmit() {
        return inactiveBecause == null && !isStopped();
    }

    PreemptionPolicy preemption() {
        return config == null ? PreemptionPolicy.NEVER : config.preemption();
    }

    boolean reclaims() {
        return preemption().reclaimWithinCohort() != ReclaimWithinCohort.NEVER;
    }

    /** Whether its own quota can always be taken back. */
    boolean reclaimsAny() {
        return preemption().reclaimWithinCohort() == ReclaimWithinCohort.ANY;
    }

    boolean preemptsNewer() {
        return preemption().withinClusterQueue() == WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY;
    }

    /** Whether any of its workloads may ever preempt another. */
    boolean preempts() {
        return reclaims() || preemption().withinClusterQueue() != WithinClusterQueue.NEVER;
    }

    int lineCount() {
        int count = 0;
        for (Group group : groups) {
            count += group.lineCount();
        }
        return count;
    }

    /** The lines of all flavors of all groups, as they are numbered in the tree. */
    int[] lineNumbers() {
        int[] numbers = new int[lineCount()];
        int count = 0;
        for (Group group : groups) {
            for (int[] flavor : group.lines()) {
                System.arraycopy(flavor, 0, numbers, count, flavor.length);
                count += flavor.length;
            }
        }
        return numbers;
    }

    int mostFlavors() {
        return groups.stream().mapToInt(group -> group.flavors().size()).max().orElse(0);
    }
}
