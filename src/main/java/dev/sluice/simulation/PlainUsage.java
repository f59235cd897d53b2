package dev.sluice.simulation;

import dev.sluice.quota.QuotaLine;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/** What is charged at the queues of a tree, and what follows for every node. Immutable: a trial is another one. */
public final class PlainUsage {
    private final PlainTree tree;
    private final Map<String, Map<QuotaLine, Long>> charged;
    private final Map<PlainTree.Cell, Long> ofCohorts = new HashMap<>();

    private PlainUsage(PlainTree tree, Map<String, Map<QuotaLine, Long>> charged) {
        this.tree = tree;
        this.charged = charged;
    }

    /** What is charged, as a sum of charges that is built up and then used. */
    public static final class Sum {
        private final Map<String, Map<QuotaLine, Long>> charged = new HashMap<>();

        public void add(String queue, Map<QuotaLine, Long> charge) {
            Map<QuotaLine, Long> ofQueue = charged.computeIfAbsent(queue, key -> new HashMap<>());
            charge.forEach((line, amount) -> ofQueue.merge(line, amount, Long::sum));
        }

        public PlainUsage in(PlainTree tree) {
            return new PlainUsage(tree, new HashMap<>(charged));
        }
    }

    public PlainTree tree() {
        return tree;
    }

    public PlainUsage plus(String queue, Map<QuotaLine, Long> charge) {
        Map<String, Map<QuotaLine, Long>> sum = new HashMap<>(charged);
        Map<QuotaLine, Long> ofQueue = new HashMap<>(charged.getOrDefault(queue, Map.of()));
        charge.forEach((line, amount) -> ofQueue.merge(line, amount, Long::sum));
        sum.put(queue, ofQueue);
        return new PlainUsage(tree, sum);
    }

    public PlainUsage minus(String queue, Map<QuotaLine, Long> charge) {
        Map<QuotaLine, Long> negative = new HashMap<>();
        charge.forEach((line, amount) -> negative.put(line, -amount));
        return plus(queue, negative);
    }

    public long used(String node, QuotaLine line) {
        if (tree.isQueue(node)) {
            return charged.getOrDefault(node, Map.of()).getOrDefault(line, 0L);
        }
        PlainTree.Cell cell = new PlainTree.Cell(node, line);
        Long known = ofCohorts.get(cell);
        if (known != null) {
            return known;
        }
        long sum = 0;
        for (String child : tree.children(node)) {
            sum += Math.max(0, used(child, line) - tree.localQuota(child, line));
        }
        ofCohorts.put(cell, sum);
        return sum;
    }

    public long localAvailable(String node, QuotaLine line) {
        return Math.max(0, tree.localQuota(node, line) - used(node, line));
    }

    /** May be negative. */
    public long available(String node, QuotaLine line) {
        String parent = tree.parent(node);
        if (parent == null) {
            return tree.subtreeQuota(node, line) - used(node, line);
        }
        long local = tree.localQuota(node, line);
        long lendable = tree.subtreeQuota(node, line) - local;
        long mayBorrow = lendable - Math.max(0, used(node, line) - local) + tree.mayBorrow(node, line);
        return localAvailable(node, line) + Math.min(available(parent, line), mayBorrow);
    }

    public boolean borrowsWith(String node, QuotaLine line, long amount) {
        return used(node, line) + amount > tree.subtreeQuota(node, line);
    }

    /** Whether it uses no more than its quota of any of these. */
    public boolean isWithin(String node, Set<QuotaLine> lines) {
        return lines.stream().noneMatch(line -> borrowsWith(node, line, 0));
    }

    public boolean fits(String queue, SortedMap<QuotaLine, Long> charge) {
        return charge.entrySet().stream()
                .allMatch(line -> line.getValue() <= Math.max(0, available(queue, line.getKey())));
    }

    public boolean borrows(String queue, SortedMap<QuotaLine, Long> charge) {
        return charge.entrySet().stream().anyMatch(line -> borrowsWith(queue, line.getKey(), line.getValue()));
    }

    /** @param smallerThanTree whether something outside could be asked to give back */
    public record Level(int height, boolean smallerThanTree) {}

    /** The borrowing level: height of the lowest subtree that holds the amount within its quota. */
    public Level level(String queue, QuotaLine line, long amount) {
        long rest = amount;
        for (String node : tree.path(queue)) {
            boolean isRoot = tree.parent(node) == null;
            if (isRoot || !borrowsWith(node, line, rest)) {
                return new Level(tree.height(node), !isRoot);
            }
            rest -= localAvailable(node, line);
        }
        throw new IllegalStateException("a path ends at a root");
    }
}
