package dev.sluice.fleet;

import dev.sluice.fleet.FleetJob.Placed;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.Assignment.PodSetAssignment;
import dev.sluice.workload.PodSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The nodes and what is free on them. Pods take the first node that they match and that has room for them, one by one as the
 * Kubernetes scheduler does, so that half of a gang can hold devices while the other half waits.
 */
final class NodePool {
    private final boolean unlimited;
    private final SortedMap<String, FleetNode> nodes = new TreeMap<>();
    private final Map<String, Map<String, Long>> free = new TreeMap<>();

    NodePool(List<FleetNode> nodes) {
        unlimited = nodes.isEmpty();
        nodes.forEach(this::put);
    }

    UsableCapacity capacity() {
        if (unlimited) {
            return UsableCapacity.UNLIMITED;
        }
        return new UsableCapacity(
                true, nodes.values().stream().map(FleetNode::asCapacity).toList());
    }

    boolean isUnlimited() {
        return unlimited;
    }

    /** Adds the node, or replaces one of the same name; what is used on it stays used. */
    void put(FleetNode node) {
        FleetNode before = nodes.put(node.name(), node);
        Map<String, Long> left = new TreeMap<>(node.allocatable());
        if (before != null) {
            Map<String, Long> leftBefore = free.get(node.name());
            before.allocatable().forEach((resource, amount) -> {
                long used = amount - (leftBefore == null ? amount : leftBefore.getOrDefault(resource, amount));
                left.merge(resource, -used, Long::sum);
            });
        }
        free.put(node.name(), left);
    }

    /** The node's last state; null = there is none of the name. */
    @Nullable FleetNode remove(String name) {
        free.remove(name);
        return nodes.remove(name);
    }

    /** Gives nodes to as many of the job's pods as there is room for. */
    void place(FleetJob job) {
        for (int index = 0; index < job.unplaced.length; index++) {
            if (unlimited) {
                job.unplaced[index] = 0;
            } else if (job.unplaced[index] > 0) {
                placePodSet(job, index);
            }
        }
    }

    private void placePodSet(FleetJob job, int index) {
        PodSet podSet = job.workload().podSets().get(index);
        SortedMap<String, Long> bounded = new TreeMap<>(podSet.requests());
        bounded.keySet().removeIf(resource -> !isReported(resource));
        PodSetAssignment given = assignmentOf(job, index);
        for (FleetNode node : nodes.values()) {
            if (job.unplaced[index] == 0) {
                return;
            }
            if (NodeMatch.matches(node, podSet, given)) {
                int count = (int) Math.min(job.unplaced[index], roomFor(node, bounded));
                if (count > 0) {
                    take(node.name(), bounded, count);
                    job.unplaced[index] -= count;
                    job.placed.add(new Placed(node.name(), index, count));
                }
            }
        }
    }

    private static PodSetAssignment assignmentOf(FleetJob job, int index) {
        if (job.assignment == null) {
            throw new IllegalStateException("job " + job.id + " has pods to place but was not released");
        }
        return job.assignment.podSets().get(index);
    }

    /** A resource that no node reports exists for accounting only and bounds nothing. */
    private boolean isReported(String resource) {
        return nodes.values().stream().anyMatch(node -> node.allocatable().containsKey(resource));
    }

    private long roomFor(FleetNode node, Map<String, Long> requests) {
        Map<String, Long> left = free.getOrDefault(node.name(), Map.of());
        long room = Integer.MAX_VALUE;
        for (Map.Entry<String, Long> request : requests.entrySet()) {
            if (request.getValue() > 0) {
                room = Math.min(room, Math.max(0, left.getOrDefault(request.getKey(), 0L)) / request.getValue());
            }
        }
        return room;
    }

    private void take(String node, Map<String, Long> requests, int count) {
        Map<String, Long> left = free.get(node);
        if (left != null) {
            requests.forEach((resource, amount) -> left.merge(resource, -amount * count, Long::sum));
        }
    }

    /** Frees what the job's pods hold; nodes that are gone have nothing to give back. */
    void release(FleetJob job) {
        for (Placed placed : List.copyOf(job.placed)) {
            SortedMap<String, Long> bounded =
                    new TreeMap<>(job.workload().podSets().get(placed.podSet()).requests());
            bounded.keySet().removeIf(resource -> !isReported(resource));
            take(placed.node(), bounded, -placed.count());
        }
        job.placed.clear();
    }

    /** Frees what some of a pod set's placed pods hold, those placed last first. */
    void release(FleetJob job, int podSet, int count) {
        SortedMap<String, Long> bounded =
                new TreeMap<>(job.workload().podSets().get(podSet).requests());
        bounded.keySet().removeIf(resource -> !isReported(resource));
        int left = count;
        for (int index = job.placed.size() - 1; index >= 0 && left > 0; index--) {
            Placed placed = job.placed.get(index);
            if (placed.podSet() == podSet) {
                int freed = Math.min(left, placed.count());
                take(placed.node(), bounded, -freed);
                left -= freed;
                if (freed == placed.count()) {
                    job.placed.remove(index);
                } else {
                    job.placed.set(index, new Placed(placed.node(), podSet, placed.count() - freed));
                }
            }
        }
    }

    /** Amount of a resource that no pod holds, over all nodes. */
    long free(String resource) {
        return free.values().stream()
                .mapToLong(left -> left.getOrDefault(resource, 0L))
                .sum();
    }
}
