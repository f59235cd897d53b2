package dev.sluice.admission;

import dev.sluice.quota.Amounts;
import dev.sluice.quota.QuotaLine;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.Resources;
import dev.sluice.quota.Taint;
import dev.sluice.quota.Toleration;
import dev.sluice.topology.Feasibility;
import dev.sluice.topology.NodeMatching;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.PodSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A workload's request as one queue sees it: parts (pod sets that must share flavors), their resources in order of name,
 * totals, and where each resource stands in the queue's groups. Everything that does not change while only usage changes
 * is worked out here, once per lane.
 */
final class PreparedRequest {
    final CompiledQueue queue;
    final List<PodSet> podSets;
    final int[] counts;
    final List<Part> parts = new ArrayList<>();

    private final Feasibility feasibility;

    /** @param counts pods per pod set, instead of what the pod sets say */
    PreparedRequest(CompiledQueue queue, Feasibility feasibility, List<PodSet> podSets, int[] counts) {
        this.queue = queue;
        this.feasibility = feasibility;
        this.podSets = podSets;
        this.counts = counts;
        Map<String, List<Integer>> together = new LinkedHashMap<>();
        for (int index = 0; index < podSets.size(); index++) {
            String group = podSets.get(index).group();
            together.computeIfAbsent(group == null ? "#" + index : group, key -> new ArrayList<>())
                    .add(index);
        }
        together.values()
                .forEach(members -> parts.add(
                        new Part(members.stream().mapToInt(Integer::intValue).toArray())));
    }

    PreparedRequest(CompiledQueue queue, Feasibility feasibility, List<PodSet> podSets) {
        this(
                queue,
                feasibility,
                podSets,
                podSets.stream().mapToInt(PodSet::count).toArray());
    }

    /** Whether fewer pods than all are enough. */
    boolean mayShrink() {
        return podSets.stream().anyMatch(podSet -> podSet.minCount() != null && podSet.minCount() < podSet.count());
    }

    /** Whether there is a line of which it needs any. */
    boolean asksForAnything() {
        return parts.stream()
                .anyMatch(part -> IntStream.range(0, part.totals.length)
                        .anyMatch(resource -> part.groups[resource] >= 0 && part.totals[resource] > 0));
    }

    /** With as few pods as are enough. */
    PreparedRequest fewest() {
        return mayShrink() ? without(Nominator.spares(podSets)) : this;
    }

    /** The same request with fewer pods, per pod set. */
    PreparedRequest without(int[] pods) {
        int[] fewer = counts.clone();
        for (int index = 0; index < fewer.length; index++) {
            fewer[index] -= pods[index];
        }
        return new PreparedRequest(queue, feasibility, podSets, fewer);
    }

    /** What one pod set asks of the queue at these counts, by resource; pods are counted if the queue lists them. */
    SortedMap<String, Long> requestOf(int podSet) {
        SortedMap<String, Long> request = new TreeMap<>();
        podSets.get(podSet).requests().forEach((resource, amount) -> {
            if (queue.counts(resource)) {
                request.put(resource, Amounts.multiply(amount, counts[podSet]));
            }
        });
        if (queue.groupOf().containsKey(Resources.PODS)) {
            request.put(Resources.PODS, (long) counts[podSet]);
        }
        return request;
    }

    /** Whether the nodes could hold these pods, were nothing else running, on the flavors that they were given. */
    boolean isPlaceable(Assignment given) {
        Map<QuotaLine, Long> together = new HashMap<>();
        for (Part part : parts) {
            SortedMap<String, String> flavors =
                    given.podSets().get(part.podSets[0]).flavors();
            for (int resource = 0; resource < part.resources.length; resource++) {
                String flavor = flavors.get(part.resources[resource]);
                if (part.groups[resource] >= 0 && flavor != null) {
                    long taken = together.merge(
                            new QuotaLine(flavor, part.resources[resource]), part.totals[resource], Amounts::add);
                    if (!part.isPlaceable(resource, flavor, taken)) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    /** @param usable what the nodes could hold in whole pods */
    record Unplaceable(String resource, long requested, long usable) {
        static final Unplaceable NOTHING = new Unplaceable("", 0, 0);
    }

    /** Pod sets that get the same flavors. */
    final class Part {
        final int[] podSets;
        final String[] resources;
        final long[] totals;
        /** Per resource: index of the group that covers it; -1 = the queue has no line for it. */
        final int[] groups;
        /** Per resource: its place among the group's resources. */
        final int[] slots;

        private final int[] byName;
        private int @Nullable [] byHash;
        /** Per group and flavor, once looked at: empty = it goes with it; else what of the flavor does not go with the pods. */
        private final @Nullable String[][] mismatches;
        /** Per group and flavor, once looked at: what the nodes cannot hold. */
        private final @Nullable Unplaceable[][] unplaceables;

        Part(int[] podSets) {
            this.podSets = podSets;
            SortedMap<String, Long> total = new TreeMap<>();
            for (int podSet : podSets) {
                requestOf(podSet).forEach((resource, amount) -> total.merge(resource, amount, Amounts::add));
            }
            resources = total.keySet().toArray(String[]::new);
            byName = IntStream.range(0, resources.length).toArray();
            totals = total.values().stream().mapToLong(Long::longValue).toArray();
            groups = Arrays.stream(resources)
                    .mapToInt(resource -> queue.groupOf().getOrDefault(resource, -1))
                    .toArray();
            slots = new int[resources.length];
            for (int index = 0; index < resources.length; index++) {
                slots[index] = groups[index] < 0
                        ? -1
                        : queue.groups().get(groups[index]).resources().indexOf(resources[index]);
            }
            mismatches = new String[queue.groups().size()][];
            unplaceables = new Unplaceable[queue.groups().size()][];
        }

        CompiledQueue queue() {
            return queue;
        }

        /** Numbers of the resources, in the order in which they are looked at. Not to be changed. */
        int[] inTurn(boolean hashed) {
            if (!hashed) {
                return byName;
            }
            int[] known = byHash;
            if (known == null) {
                known = Arrays.stream(byName)
                        .boxed()
                        .sorted(Comparator.comparing(index -> resources[index], ResourceOrder.BY_HASH))
                        .mapToInt(Integer::intValue)
                        .toArray();
                byHash = known;
            }
            return known;
        }

        /** What of a flavor's nodes is too little for the pods even if nothing else ran; null = they fit, as far as is known. */
        @Nullable Unplaceable unplaceable(int group, int flavor) {
            @Nullable Unplaceable[] known = unplaceables[group];
            if (known == null) {
                known = new Unplaceable[queue.groups().get(group).flavors().size()];
                unplaceables[group] = known;
            }
            Unplaceable found = known[flavor];
            if (found == null) {
                found = findUnplaceable(queue.groups().get(group).definitions().get(flavor));
                known[flavor] = found;
            }
            return found.equals(Unplaceable.NOTHING) ? null : found;
        }

        private Unplaceable findUnplaceable(@Nullable ResourceFlavor flavor) {
            if (flavor == null) {
                return Unplaceable.NOTHING;
            }
            for (int index : podSets) {
                PodSet podSet = PreparedRequest.this.podSets.get(index);
                for (Map.Entry<String, Long> request : podSet.requests().entrySet()) {
                    long requested = Amounts.multiply(request.getValue(), counts[index]);
                    long usable = feasibility.usable(flavor, podSet, request.getKey());
                    if (requested > usable) {
                        return new Unplaceable(request.getKey(), requested, usable);
                    }
                }
            }
            return Unplaceable.NOTHING;
        }

        /** @param together with the parts before */
        private boolean isPlaceable(int resource, String name, long together) {
            int group = groups[resource];
            int flavor = queue.groups().get(group).flavors().indexOf(name);
            return flavor >= 0
                    && unplaceable(group, flavor) == null
                    && (together == totals[resource] || together <= usableTogether(group, flavor, resource));
        }

        long usableTogether(int group, int flavor, int resource) {
            ResourceFlavor definition = queue.groups().get(group).definitions().get(flavor);
            return definition == null ? Long.MAX_VALUE : feasibility.usableTogether(definition, resources[resource]);
        }

        /** What keeps the pods off a flavor; null = nothing. */
        @Nullable String mismatch(int group, int flavor) {
            CompiledQueue.Group compiled = queue.groups().get(group);
            @Nullable String[] known = mismatches[group];
            if (known == null) {
                known = new String[compiled.flavors().size()];
                mismatches[group] = known;
            }
            String found = known[flavor];
            if (found == null) {
                found = findMismatch(
                        compiled.flavors().get(flavor), compiled.definitions().get(flavor));
                known[flavor] = found;
            }
            return found.isEmpty() ? null : found;
        }

        private String findMismatch(String name, @Nullable ResourceFlavor flavor) {
            if (flavor == null) {
                return "flavor " + name + " does not exist";
            }
            for (int index : podSets) {
                PodSet podSet = PreparedRequest.this.podSets.get(index);
                List<Toleration> tolerations = new ArrayList<>(podSet.tolerations());
                tolerations.addAll(flavor.tolerations());
                Taint taint = NodeMatching.untolerated(flavor.nodeTaints(), tolerations);
                if (taint != null) {
                    return "taint " + taint.key() + "=" + taint.value() + ":" + taint.effect();
                }
                if (!NodeMatching.matches(podSet, flavor.nodeLabels(), flavor.nodeLabels()::containsKey)) {
                    return "node labels " + keysAskedFor(podSet, flavor);
                }
            }
            return "";
        }

        private String keysAskedFor(PodSet podSet, ResourceFlavor flavor) {
            SortedSet<String> keys = new TreeSet<>(podSet.nodeSelector().keySet());
            podSet.affinityTerms().forEach(term -> term.requirements().forEach(required -> keys.add(required.key())));
            keys.retainAll(flavor.nodeLabels().keySet());
            List<String> labels = new ArrayList<>();
            keys.forEach(key -> labels.add(key + "=" + flavor.nodeLabels().get(key)));
            return String.join(",", labels);
        }
    }
}
