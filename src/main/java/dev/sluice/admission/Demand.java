package dev.sluice.admission;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What it takes at least to start one that waits, on every line of its queue; or what it takes to start any of several.
 *
 * <p>Lines stand in the order of the queue's groups, their flavors and their resources.
 */
final class Demand {
    /** The flavor is no way to start. More than any amount. */
    static final long OUT = Long.MAX_VALUE;

    /** The highest of all. */
    private final int priority;
    /** Without as much on one flavor of every group, none starts. */
    private final long[] least;
    /** What is asked for to the last pod, if that can be said line by line, and else 0: then it compares with nobody. */
    private final long[] whole;

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
        PreparedRequest fewest = request.mayShrink() ? request.without(Nominator.spares(request.podSets)) : request;
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

    /** The least of several, line by line: who cannot start with more than that, none of them can. */
    static Demand least(List<Demand> all) {
        int priority = all.getFirst().priority;
        long[] least = all.getFirst().least.clone();
        long[] whole = all.getFirst().whole.clone();
        for (Demand one : all) {
            priority = Math.max(priority, one.priority);
            for (int line = 0; line < least.length; line++) {
                least[line] = Math.min(least[line], one.least[line]);
                whole[line] = Math.min(whole[line], one.whole[line]);
            }
        }
        return new Demand(priority, least, whole);
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
