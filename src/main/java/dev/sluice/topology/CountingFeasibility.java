package dev.sluice.topology;

import dev.sluice.quota.Amounts;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.Toleration;
import dev.sluice.workload.PodSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts how many of a pod set's pods the nodes of a flavor hold, node by node, as if nothing ran on them. A pod goes to a
 * node that carries the flavor's labels, matches the pod's selector and affinity, and whose taints the flavor names or the
 * pod or the flavor tolerates.
 *
 * <p>Per node rather than by adding up what all nodes offer: a pod of four devices does not fit four nodes with one free
 * device each.
 */
public final class CountingFeasibility implements Feasibility {
    private final UsableCapacity capacity;
    private final Map<Question, Long> podsThatFit = new HashMap<>();
    private final Map<Offer, Long> offers = new HashMap<>();

    private record Question(ResourceFlavor flavor, PodSet podSet) {}

    private record Offer(ResourceFlavor flavor, String resource) {}

    public CountingFeasibility(UsableCapacity capacity) {
        this.capacity = capacity;
    }

    @Override
    public long usable(ResourceFlavor flavor, PodSet podSet, String resource) {
        long perPod = podSet.requests().getOrDefault(resource, 0L);
        if (!capacity.known() || perPod == 0) {
            return Long.MAX_VALUE;
        }
        long pods = podsThatFit.computeIfAbsent(new Question(flavor, podSet), this::count);
        return pods == Long.MAX_VALUE ? Long.MAX_VALUE : Amounts.multiply(pods, perPod);
    }

    @Override
    public long usableTogether(ResourceFlavor flavor, String resource) {
        return capacity.known() ? offers.computeIfAbsent(new Offer(flavor, resource), this::sum) : Long.MAX_VALUE;
    }

    private long sum(Offer offer) {
        if (!isReported(offer.resource())) {
            return Long.MAX_VALUE;
        }
        long sum = 0;
        for (UsableCapacity.Node node : capacity.nodes()) {
            if (isOf(offer.flavor(), node)) {
                sum = Amounts.add(sum, Math.max(0, node.allocatable().getOrDefault(offer.resource(), 0L)));
            }
        }
        return sum;
    }

    private long count(Question question) {
        List<String> bounded = question.podSet().requests().entrySet().stream()
                .filter(request -> request.getValue() > 0 && isReported(request.getKey()))
                .map(Map.Entry::getKey)
                .toList();
        boolean constrained = !question.podSet().nodeSelector().isEmpty()
                || !question.podSet().affinityTerms().isEmpty();
        if (bounded.isEmpty() && !constrained) {
            return Long.MAX_VALUE;
        }
        List<Toleration> tolerations = new ArrayList<>(question.podSet().tolerations());
        tolerations.addAll(question.flavor().tolerations());
        long pods = 0;
        for (UsableCapacity.Node node : capacity.nodes()) {
            if (accepts(node, question.flavor(), question.podSet(), tolerations)) {
                pods = Amounts.add(pods, podsOn(node, question.podSet(), bounded));
            }
        }
        return pods;
    }

    private boolean isReported(String resource) {
        return capacity.nodes().stream().anyMatch(node -> node.allocatable().containsKey(resource));
    }

    private static boolean accepts(
            UsableCapacity.Node node, ResourceFlavor flavor, PodSet podSet, List<Toleration> tolerations) {
        return isOf(flavor, node)
                && NodeMatching.matches(podSet, node.labels(), key -> true)
                && NodeMatching.untolerated(
                                node.taints().stream()
                                        .filter(taint -> !flavor.nodeTaints().contains(taint))
                                        .toList(),
                                tolerations)
                        == null;
    }

    private static boolean isOf(ResourceFlavor flavor, UsableCapacity.Node node) {
        return flavor.nodeLabels().entrySet().stream()
                .allMatch(label -> label.getValue().equals(node.labels().get(label.getKey())));
    }

    private static long podsOn(UsableCapacity.Node node, PodSet podSet, List<String> bounded) {
        long pods = Long.MAX_VALUE;
        for (String resource : bounded) {
            long perPod = podSet.requests().getOrDefault(resource, 1L);
            pods = Math.min(pods, Math.max(0, node.allocatable().getOrDefault(resource, 0L)) / perPod);
        }
        return pods;
    }
}
