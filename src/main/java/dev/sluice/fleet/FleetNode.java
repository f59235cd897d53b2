package dev.sluice.fleet;

import dev.sluice.quota.Quantity;
import dev.sluice.quota.Taint;
import dev.sluice.topology.UsableCapacity;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A node of the fleet. One that carries the label {@value #FLAVOR_LABEL} takes only pods that were given that flavor.
 *
 * @param allocatable quota resource to amount (milli-units for cpu, whole units otherwise)
 */
public record FleetNode(
        String name, SortedMap<String, String> labels, List<Taint> taints, SortedMap<String, Long> allocatable) {
    public static final String FLAVOR_LABEL = "sluice.dev/flavor";

    public FleetNode {
        labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
        taints = List.copyOf(taints);
        allocatable = Collections.unmodifiableSortedMap(new TreeMap<>(allocatable));
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a node needs a name");
        }
    }

    public static FleetNode of(String name, Map<String, Long> allocatable) {
        return new FleetNode(name, new TreeMap<>(), List.of(), new TreeMap<>(allocatable));
    }

    public FleetNode withTaint(Taint taint) {
        List<Taint> more = new ArrayList<>(taints);
        more.add(taint);
        return new FleetNode(name, labels, more, allocatable);
    }

    public FleetNode withLabel(String key, String value) {
        SortedMap<String, String> more = new TreeMap<>(labels);
        more.put(key, value);
        return new FleetNode(name, more, taints, allocatable);
    }

    UsableCapacity.Node asCapacity() {
        return new UsableCapacity.Node(name, labels, taints, allocatable);
    }

    /**
     * Nodes as configuration writes them: groups apart by {@code ;}, each {@code COUNTxNAME RESOURCE=QUANTITY,… LABEL=VALUE,…},
     * the labels may be left out. {@code 5xgpu nvidia.com/gpu=8,cpu=64 zone=a} makes gpu-1 to gpu-5.
     *
     * @throws IllegalArgumentException that names the group and what it lacks
     */
    public static List<FleetNode> parse(String text) {
        List<FleetNode> nodes = new ArrayList<>();
        for (String group : text.split(";", -1)) {
            if (!group.isBlank()) {
                nodes.addAll(parseGroup(group.strip()));
            }
        }
        return List.copyOf(nodes);
    }

    private static List<FleetNode> parseGroup(String group) {
        String[] parts = group.split("\\s+", -1);
        int times = parts[0].indexOf('x');
        if (parts.length < 2
                || parts.length > 3
                || times < 1
                || !parts[0].substring(0, times).matches("[0-9]{1,6}")) {
            throw new IllegalArgumentException(
                    "nodes must read like '5xgpu nvidia.com/gpu=8,cpu=64 zone=a', not '" + group + "'");
        }
        SortedMap<String, Long> allocatable = new TreeMap<>();
        pairs(parts[1])
                .forEach((resource, amount) ->
                        allocatable.put(resource, Quantity.parse(amount).units(resource)));
        SortedMap<String, String> labels = parts.length == 3 ? pairs(parts[2]) : new TreeMap<>();
        List<FleetNode> nodes = new ArrayList<>();
        int count = Integer.parseInt(parts[0].substring(0, times));
        for (int number = 1; number <= count; number++) {
            nodes.add(new FleetNode(parts[0].substring(times + 1) + "-" + number, labels, List.of(), allocatable));
        }
        return nodes;
    }

    private static SortedMap<String, String> pairs(String text) {
        SortedMap<String, String> pairs = new TreeMap<>();
        for (String pair : text.split(",", -1)) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("must be NAME=VALUE, not '" + pair + "'");
            }
            pairs.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return pairs;
    }
}
