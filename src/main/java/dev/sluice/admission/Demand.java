package dev.sluice.admission;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What it takes at least to start one that waits, on every line of its queue; or what it takes to start any of several.
 *
 * <p>Lines stand in the order of the queue's groups, their flavors and their resources.
 */
final class Demand {
    /** The flavor is no way to start. More than any amount. */
    static final long OUT = Long.MAX_VALUE;

    private static final int FEW = 8;

    /** The highest of all. */
    private final int priority;
    /** Without as much on one flavor of every group, none starts. */
    private final long[] least;
    /** What is asked for to the last pod, if that can be said line by line, and else 0: then it compares with nobody. */
    private final long[] whole;
    /** Of the queue that it is of; null = not asked for yet. */
    private @Nullable Charge charge;

    private Demand(int priority, long[] least, long[] whole) {
        this.priority = priority;
        this.least = least;
        this.whole = whole;
    }

    int priority() {
        return priority;
    }

    long[] least() {
        return least;
    }

    long[] whole() {
        return whole;
    }

    /** @param request with all its pods */
    static Demand of(int priority, PreparedRequest request) {
        PreparedRequest fewest = request.fewest();
        long[] least = new long[request.queue.lineCount()];
        int from = 0;
        for (int group = 0; group < request.queue.groups().size(); group++) {
            int to = from + request.queue.groups().get(group).lineCount();
            PreparedRequest.Part most = mostDemanding(fewest, group);
            if (most != null) {
                fill(least, from, most, group);
            }
            from = to;
        }
        if (hasNoLine(fewest)) {
            Arrays.fill(least, OUT);
        }
        boolean lineByLine = request.parts.size() == 1 && !request.mayShrink();
        return new Demand(priority, least, lineByLine ? least : new long[least.length]);
    }

    /**
     * What is demanded of several, in a few: whoever of the several could start, one of the few could. Those of one priority become one,
     * since who may preempt more can do with less; and so do those of the lowest, if there are many.
     */
    static List<Demand> fewOf(List<Demand> all) {
        SortedMap<Integer, Demand> byPriority = new TreeMap<>(Comparator.reverseOrder());
        for (Demand one : all) {
            byPriority.merge(one.priority, one, Demand::least);
        }
        return few(byPriority);
    }

    /**
     * The same of many whose demands stand one after the other.
     *
     * @param lines how many each asks for
     */
    static List<Demand> fewOf(int lines, int[] priorities, long[] least, long[] whole) {
        SortedMap<Integer, Demand> byPriority = new TreeMap<>(Comparator.reverseOrder());
        for (int index = 0; index < priorities.length; index++) {
            int from = index * lines;
            Demand same = byPriority.get(priorities[index]);
            if (same == null) {
                byPriority.put(
                        priorities[index],
                        new Demand(
                                priorities[index],
                                Arrays.copyOfRange(least, from, from + lines),
                                Arrays.copyOfRange(whole, from, from + lines)));
            } else {
                for (int line = 0; line < lines; line++) {
                    same.least[line] = Math.min(same.least[line], least[from + line]);
                    same.whole[line] = Math.min(same.whole[line], whole[from + line]);
                }
            }
        }
        return few(byPriority);
    }

    private static List<Demand> few(SortedMap<Integer, Demand> byPriority) {
        while (byPriority.size() > FEW) {
            int lowest = byPriority.lastKey();
            Demand last = Objects.requireNonNull(byPriority.remove(lowest));
            byPriority.compute(byPriority.lastKey(), (priority, next) -> next == null ? last : least(next, last));
        }
        return List.copyOf(byPriority.values());
    }

    /** The least of both, line by line, for the higher priority: if it could not start, neither of them can. */
    private static Demand least(Demand left, Demand right) {
        int priority = Math.max(left.priority, right.priority);
        long[] least = new long[left.least.length];
        long[] whole = new long[least.length];
        for (int line = 0; line < least.length; line++) {
            least[line] = Math.min(left.least[line], right.least[line]);
            whole[line] = Math.min(left.whole[line], right.whole[line]);
        }
        return new Demand(priority, least, whole);
    }

    /** What none of several asks for less of: nothing where there is a choice between flavors. */
    static Charge least(List<Demand> several, CompiledQueue queue) {
        int[] lines = new int[queue.lineCount()];
        long[] amounts = new long[lines.length];
        int count = 0;
        int index = 0;
        for (CompiledQueue.Group group : queue.groups()) {
            for (int[] flavor : group.lines()) {
                for (int line : flavor) {
                    long least = group.lines().length == 1 ? least(several, index) : 0;
                    if (least != 0) {
                        lines[count] = line;
                        amounts[count++] = least;
                    }
                    index++;
                }
            }
        }
        return new Charge(queue.node(), Arrays.copyOf(lines, count), Arrays.copyOf(amounts, count));
    }

    private static long least(List<Demand> several, int index) {
        long least = OUT;
        for (Demand one : several) {
            least = Math.min(least, one.least[index]);
        }
        return least == OUT ? 0 : least;
    }

    /** Whether on none of so many lines more is asked for here than there. */
    static boolean isNoMore(long[] here, int from, long[] there, int thereFrom, int lines) {
        for (int line = 0; line < lines; line++) {
            if (here[from + line] > there[thereFrom + line]) {
                return false;
            }
        }
        return true;
    }

    /** Tells of one line whether an amount of it, which may be nothing, can be had. */
    interface OfLine {
        /**
         * @param index of the line among the queue's own
         * @param line its number in the tree
         */
        boolean has(int index, int line, long amount);
    }

    /** Whether the least that it takes can be had: of one flavor of every group. */
    boolean isMet(CompiledQueue queue, OfLine asked) {
        return isMet(queue, least, 0, asked);
    }

    /**
     * The same of one among many.
     *
     * @param least of all of them, one after the other
     * @param from where the one begins
     */
    static boolean isMet(CompiledQueue queue, long[] least, int from, OfLine asked) {
        int index = 0;
        for (CompiledQueue.Group group : queue.groups()) {
            boolean met = false;
            for (int[] flavor : group.lines()) {
                boolean all = true;
                for (int line : flavor) {
                    long amount = least[from + index];
                    all = all && amount != OUT && asked.has(index, line, amount);
                    index++;
                }
                met |= all;
            }
            if (!met) {
                return false;
            }
        }
        return true;
    }

    /** What it costs, if it is asked for line by line and no group leaves a choice between flavors. */
    Charge charge(CompiledQueue queue) {
        Charge known = charge;
        if (known == null) {
            known = toCharge(queue);
            charge = known;
        }
        return known;
    }

    private Charge toCharge(CompiledQueue queue) {
        SortedMap<Integer, Long> byLine = new TreeMap<>();
        int index = 0;
        for (CompiledQueue.Group group : queue.groups()) {
            for (int[] flavor : group.lines()) {
                for (int line : flavor) {
                    if (whole[index] > 0) {
                        byLine.put(line, whole[index]);
                    }
                    index++;
                }
            }
        }
        return Charge.of(queue.node(), byLine);
    }

    /** @param most per line of the tree: raised to what is demanded here, where that is more */
    void raise(long[] most, CompiledQueue queue) {
        int index = 0;
        for (CompiledQueue.Group group : queue.groups()) {
            for (int[] flavor : group.lines()) {
                for (int line : flavor) {
                    if (least[index] != OUT) {
                        most[line] = Math.max(most[line], least[index]);
                    }
                    index++;
                }
            }
        }
    }

    /** Null = none asks for anything of the group. */
    private static PreparedRequest.@Nullable Part mostDemanding(PreparedRequest request, int group) {
        PreparedRequest.Part most = null;
        long amount = -1;
        for (PreparedRequest.Part part : request.parts) {
            for (int index = 0; index < part.resources.length; index++) {
                if (part.groups[index] == group && part.totals[index] > amount) {
                    most = part;
                    amount = part.totals[index];
                }
            }
        }
        return most;
    }

    private static void fill(long[] least, int from, PreparedRequest.Part part, int group) {
        CompiledQueue.Group compiled = part.queue().groups().get(group);
        int resources = compiled.resources().size();
        for (int flavor = 0; flavor < compiled.flavors().size(); flavor++) {
            int first = from + flavor * resources;
            if (part.mismatch(group, flavor) != null || part.unplaceable(group, flavor) != null) {
                Arrays.fill(least, first, first + resources, OUT);
                continue;
            }
            for (int index = 0; index < part.resources.length; index++) {
                if (part.groups[index] == group) {
                    least[first + part.slots[index]] = Math.min(OUT - 1, part.totals[index]);
                }
            }
        }
    }

    private static boolean hasNoLine(PreparedRequest request) {
        for (PreparedRequest.Part part : request.parts) {
            for (int index = 0; index < part.resources.length; index++) {
                if (part.groups[index] < 0 && part.totals[index] != 0) {
                    return true;
                }
            }
        }
        return false;
    }
}
