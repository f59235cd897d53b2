package dev.sluice.quota;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The cohort tree as configured: who owns, borrows and lends how much of every line. Immutable; what is used stands in a
 * {@link Ledger}.
 *
 * <p>Queues and cohorts are dense integers (queues first, each kind by name), lines are dense integers, and an amount of a
 * node and line is one cell of a flat array. A tree of objects with a map per node would say the same; but every decision
 * walks from a queue to its root for every line it asks for, and an array walk costs a few nanoseconds where map look-ups
 * cost hundreds.
 *
 * <p>Cohorts whose parents form a cycle, and all below them, are {@link #isCyclic cyclic}: each stands alone and none may
 * be used.
 */
public final class QuotaTree {
    /** No node, or no line. */
    public static final int NONE = -1;

    private final String[] names;
    private final Map<String, Integer> queues;
    private final Map<String, Integer> cohorts;
    private final int[] parents;
    private final int[] roots;
    private final int[] heights;
    private final int[][] childCohorts;
    private final int[][] childQueues;
    private final boolean[] cyclic;
    private final QuotaLine[] lines;
    private final Map<QuotaLine, Integer> lineIndex;
    private final long[] nominal;
    private final long[] borrowingLimit;
    private final long[] lendingLimit;
    private final long[] subtreeQuota;
    private final long[] localQuota;
    private final long[] potential;
    private final FairWeight[] weights;
    private final ShareArithmetic shareArithmetic;
    private final String[] resources;
    private final int[] resourceOfLine;
    private final boolean[] listed;
    private final int[][] listedLines;

    /** Per cohort and resource; empty for queues, which lend to nobody below them. */
    private final long[][] lendable;

    QuotaTree(QuotaTreeBuilder builder) {
        names = builder.names.toArray(String[]::new);
        queues = builder.queues;
        cohorts = builder.cohorts;
        cyclic = builder.cyclic;
        parents = builder.parents;
        lines = builder.lines.keySet().toArray(QuotaLine[]::new);
        lineIndex = builder.lines;
        nominal = builder.nominal;
        borrowingLimit = builder.borrowingLimit;
        lendingLimit = builder.lendingLimit;
        listed = builder.listed;
        childCohorts = childrenOf(queues.size(), names.length);
        childQueues = childrenOf(0, queues.size());
        roots = new int[names.length];
        heights = new int[names.length];
        subtreeQuota = nominal.clone();
        localQuota = new long[nominal.length];
        potential = new long[nominal.length];
        for (int node = 0; node < names.length; node++) {
            if (parents[node] == NONE) {
                settleUpward(node, node);
                settlePotential(node);
            }
        }
        weights = builder.weights;
        shareArithmetic = builder.shareArithmetic;
        resources = Arrays.stream(lines)
                .map(QuotaLine::resource)
                .distinct()
                .sorted()
                .toArray(String[]::new);
        resourceOfLine = Arrays.stream(lines)
                .mapToInt(line -> Arrays.binarySearch(resources, line.resource()))
                .toArray();
        listedLines = new int[names.length][];
        lendable = new long[names.length][];
        for (int node = 0; node < names.length; node++) {
            listedLines[node] = linesListedAt(node);
            lendable[node] = isQueue(node) ? new long[0] : lendableOf(node);
        }
    }

    private int[] linesListedAt(int node) {
        return IntStream.range(0, lines.length)
                .filter(line -> listed[cell(node, line)])
                .boxed()
                .sorted(Comparator.comparingInt(line -> resourceOfLine[line]))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    private long[] lendableOf(int cohort) {
        long[] byResource = new long[resources.length];
        for (int line = 0; line < lines.length; line++) {
            int resource = resourceOfLine[line];
            byResource[resource] = Amounts.plus(byResource[resource], potential[cell(cohort, line)]);
        }
        return byResource;
    }

    /**
     * @param chargedLines by queue: lines that something is charged to although the queue may not list them any more; what is
     *     used of them is borrowed in full
     * @param retiredQueues queues that are not configured any more but still hold charges, with the cohort that they stood
     *     in (empty = none): they keep their place in the tree, with no quota of their own
     */
    public static QuotaTree of(
            Configuration configuration,
            Map<String, ? extends Set<QuotaLine>> chargedLines,
            Map<String, String> retiredQueues,
            ShareArithmetic shareArithmetic) {
        return new QuotaTreeBuilder(configuration, chargedLines, new TreeMap<>(retiredQueues), shareArithmetic).build();
    }

    /** Shares are exact. */
    public static QuotaTree of(Configuration configuration) {
        return of(configuration, ShareArithmetic.EXACT);
    }

    public static QuotaTree of(Configuration configuration, ShareArithmetic shareArithmetic) {
        return of(configuration, Map.of(), Map.of(), shareArithmetic);
    }

    private int[][] childrenOf(int from, int to) {
        int[] count = new int[names.length];
        for (int node = from; node < to; node++) {
            if (parents[node] != NONE) {
                count[parents[node]]++;
            }
        }
        int[][] children = new int[names.length][];
        for (int node = 0; node < names.length; node++) {
            children[node] = new int[count[node]];
        }
        for (int node = to - 1; node >= from; node--) {
            if (parents[node] != NONE) {
                children[parents[node]][--count[parents[node]]] = node;
            }
        }
        return children;
    }

    /** Children first: roots, heights and the quota that each node shows to its parent. */
    private void settleUpward(int node, int root) {
        roots[node] = root;
        heights[node] = Math.min(childCohorts[node].length + childQueues[node].length, 1);
        for (int child : childCohorts[node]) {
            settleUpward(child, root);
            heights[node] = Math.max(heights[node], heights[child] + 1);
            addVisible(node, child);
        }
        for (int child : childQueues[node]) {
            settleUpward(child, root);
            addVisible(node, child);
        }
        for (int line = 0; line < lines.length; line++) {
            int cell = cell(node, line);
            localQuota[cell] = Math.max(0, Amounts.minus(subtreeQuota[cell], lendingLimit[cell]));
        }
    }

    private void addVisible(int node, int child) {
        for (int line = 0; line < lines.length; line++) {
            long visible = Amounts.minus(subtreeQuota[cell(child, line)], localQuota[cell(child, line)]);
            subtreeQuota[cell(node, line)] = Amounts.plus(subtreeQuota[cell(node, line)], visible);
            listed[cell(node, line)] |= listed[cell(child, line)];
        }
    }

    private void settlePotential(int node) {
        for (int line = 0; line < lines.length; line++) {
            int cell = cell(node, line);
            potential[cell] = parents[node] == NONE
                    ? subtreeQuota[cell]
                    : Math.min(
                            Amounts.plus(localQuota[cell], potential[cell(parents[node], line)]),
                            Amounts.plus(subtreeQuota[cell], borrowingLimit[cell]));
        }
        Arrays.stream(childCohorts[node]).forEach(this::settlePotential);
        Arrays.stream(childQueues[node]).forEach(this::settlePotential);
    }

    int cell(int node, int line) {
        return node * lines.length + line;
    }

    /** Whose cell it is. */
    int node(int cell) {
        return cell / lines.length;
    }

    public int nodeCount() {
        return names.length;
    }

    /** Queues are the nodes 0 to this, exclusive. */
    public int queueCount() {
        return queues.size();
    }

    public int lineCount() {
        return lines.length;
    }

    /** {@link #NONE} = no such queue. */
    public int queue(String name) {
        return queues.getOrDefault(name, NONE);
    }

    /** {@link #NONE} = no such cohort. */
    public int cohort(String name) {
        return cohorts.getOrDefault(name, NONE);
    }

    /** {@link #NONE} = nobody lists it and nothing is charged to it. */
    public int line(String flavor, String resource) {
        return lineIndex.getOrDefault(new QuotaLine(flavor, resource), NONE);
    }

    public QuotaLine line(int line) {
        return lines[line];
    }

    public String name(int node) {
        return names[node];
    }

    public boolean isQueue(int node) {
        return node < queues.size();
    }

    /** {@link #NONE} = a root. */
    public int parent(int node) {
        return parents[node];
    }

    public boolean hasParent(int node) {
        return parents[node] != NONE;
    }

    public int root(int node) {
        return roots[node];
    }

    /** Longest way down to a leaf; 0 = a queue. */
    public int height(int node) {
        return heights[node];
    }

    /** The lowest node at or above both; {@link #NONE} = they stand in different trees. */
    public int lowestCommon(int left, int right) {
        for (int node = left; node != NONE; node = parents[node]) {
            for (int other = right; other != NONE; other = parents[other]) {
                if (node == other) {
                    return node;
                }
            }
        }
        return NONE;
    }

    /** The child of an ancestor on the way down to a node. */
    public int childToward(int ancestor, int node) {
        int child = node;
        while (parents[child] != ancestor) {
            child = parents[child];
        }
        return child;
    }

    /** Not to be changed. */
    public int[] childCohorts(int node) {
        return childCohorts[node];
    }

    /** Not to be changed. */
    public int[] childQueues(int node) {
        return childQueues[node];
    }

    /** Whether it belongs to cohorts that are each other's ancestors; nothing in it may be admitted. */
    public boolean isCyclic(int node) {
        return cyclic[node];
    }

    public long nominal(int node, int line) {
        return nominal[cell(node, line)];
    }

    /** {@link Amounts#UNLIMITED} = no limit. */
    public long borrowingLimit(int node, int line) {
        return borrowingLimit[cell(node, line)];
    }

    /** Its own nominal quota and all that its children lend. */
    public long subtreeQuota(int node, int line) {
        return subtreeQuota[cell(node, line)];
    }

    /** The part of {@link #subtreeQuota} that its parent never sees. */
    public long localQuota(int node, int line) {
        return localQuota[cell(node, line)];
    }

    /** What it could use if nothing ran anywhere in its tree. */
    public long potential(int node, int line) {
        return potential[cell(node, line)];
    }

    FairWeight weight(int node) {
        return weights[node];
    }

    ShareArithmetic shareArithmetic() {
        return shareArithmetic;
    }

    /** Resources are numbered by name. */
    public int resourceOf(int line) {
        return resourceOfLine[line];
    }

    String resource(int resource) {
        return resources[resource];
    }

    int resourceCount() {
        return resources.length;
    }

    /** Whether the node, or anything below it, has a quota of the line, be it 0, or was charged for it when the tree was made. */
    public boolean lists(int node, int line) {
        return listed[cell(node, line)];
    }

    /** The lines that a node {@link #lists}, by resource, then flavor. Not to be changed. */
    public int[] listedLines(int node) {
        return listedLines[node];
    }

    /** Of a resource, all flavors together: what a cohort and everything below it could use in an empty tree. */
    long lendable(int cohort, int resource) {
        return lendable[cohort][resource];
    }

    /** The cohort that a queue stands in, by name; null = none. */
    public @Nullable String cohortOf(int queue) {
        return parents[queue] == NONE ? null : names[parents[queue]];
    }
}
