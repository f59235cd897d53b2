package dev.sluice.admission;

import dev.sluice.quota.Share;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is demanded by the first ones of some lanes that follow each other. That of each stands beside that of the next: most are asked after
 * one after the other, and of thousands of queues none is at hand when its turn comes. So it is made of what it was before, too, when a lane
 * comes or goes.
 */
final class LaneDemands {
    private final int lines;
    private final int[] priorities;
    /** Per lane and line of the queue: {@link Demand#least}. */
    private final long[] least;
    /** The same: {@link Demand#whole}. */
    private final long[] whole;

    private final TrackedWorkload[] heads;
    private final Instant[] queuedAt;
    private final long[] sequences;
    private @Nullable List<Demand> few;
    /** Those of them that ask for less of something than each before them. */
    private int @Nullable [] lesser;

    private long @Nullable [] atLeast;

    private LaneDemands(int count, int lines) {
        this.lines = lines;
        priorities = new int[count];
        least = new long[count * lines];
        whole = new long[count * lines];
        heads = new TrackedWorkload[count];
        queuedAt = new Instant[count];
        sequences = new long[count];
    }

    /** @param lines how many a queue has */
    static LaneDemands of(List<Lane> lanes, int lines, Function<Lane, Demand> demands) {
        LaneDemands made = new LaneDemands(lanes.size(), lines);
        for (int index = 0; index < lanes.size(); index++) {
            made.set(index, lanes.get(index), demands.apply(lanes.get(index)));
        }
        return made;
    }

    /** Of several blocks, of all of them together: only {@link #few} of them. */
    static LaneDemands join(List<LaneDemands> ofBlocks) {
        if (ofBlocks.size() == 1) {
            return ofBlocks.getFirst();
        }
        List<Demand> all = new ArrayList<>();
        for (LaneDemands block : ofBlocks) {
            all.addAll(block.few());
        }
        LaneDemands joined = new LaneDemands(0, 0);
        joined.few = Demand.fewOf(all);
        return joined;
    }

    private void set(int index, Lane lane, Demand demand) {
        priorities[index] = demand.priority();
        System.arraycopy(demand.least(), 0, least, index * lines, lines);
        System.arraycopy(demand.whole(), 0, whole, index * lines, lines);
        // One that came and went meanwhile may be empty by now; it does not stay.
        if (!lane.members.isEmpty()) {
            TrackedWorkload head = lane.head();
            heads[index] = head;
            queuedAt[index] = head.queuedAt;
            sequences[index] = head.workload.sequence();
        }
    }

    LaneDemands with(int at, Lane added, Demand demand) {
        LaneDemands made = new LaneDemands(size() + 1, lines);
        copyTo(made, 0, 0, at);
        copyTo(made, at, at + 1, size() - at);
        made.set(at, added, demand);
        return made;
    }

    LaneDemands without(int at) {
        LaneDemands made = new LaneDemands(size() - 1, lines);
        copyTo(made, 0, 0, at);
        copyTo(made, at + 1, at, size() - at - 1);
        return made;
    }

    private void copyTo(LaneDemands made, int from, int to, int count) {
        System.arraycopy(priorities, from, made.priorities, to, count);
        System.arraycopy(least, from * lines, made.least, to * lines, count * lines);
        System.arraycopy(whole, from * lines, made.whole, to * lines, count * lines);
        System.arraycopy(heads, from, made.heads, to, count);
        System.arraycopy(queuedAt, from, made.queuedAt, to, count);
        System.arraycopy(sequences, from, made.sequences, to, count);
    }

    int size() {
        return priorities.length;
    }

    /** What is demanded of them all, as {@link Demand#fewOf} has it. */
    List<Demand> few() {
        List<Demand> known = few;
        if (known == null) {
            known = Demand.fewOf(lines, priorities, least, whole);
            few = known;
        }
        return known;
    }

    int[] lesser() {
        int[] known = lesser;
        if (known == null) {
            int[] found = new int[size()];
            int count = 0;
            for (int index = 0; index < size(); index++) {
                if (!asksForAsMuch(index, found, count)) {
                    found[count++] = index;
                }
            }
            known = Arrays.copyOf(found, count);
            lesser = known;
        }
        return known;
    }

    private boolean asksForAsMuch(int index, int[] before, int count) {
        for (int each = 0; each < count; each++) {
            if (Demand.isNoMore(least, before[each] * lines, least, index * lines, lines)) {
                return true;
            }
        }
        return false;
    }

    int priority(int index) {
        return priorities[index];
    }

    /** {@link Demand#least} of one lane after the other. Not to be changed. */
    long[] least() {
        return least;
    }

    /** {@link Demand#whole} of one lane after the other. Not to be changed. */
    long[] whole() {
        return whole;
    }

    /** Per line of the queue: none of them asks for less. Not to be changed. */
    long[] atLeast() {
        long[] known = atLeast;
        if (known == null) {
            known = new long[lines];
            Arrays.fill(known, Demand.OUT);
            for (int index = 0; index < least.length; index++) {
                known[index % lines] = Math.min(known[index % lines], least[index]);
            }
            atLeast = known;
        }
        return known;
    }

    /** Whether the first of one of them might start. */
    boolean isWithin(Reach reach, int index) {
        return reach.covers(priorities[index], least, index * lines);
    }

    /** Whose turn it is, when it comes to one of them. */
    Precedence precedence(int index, boolean borrows, Share share) {
        return new Precedence(borrows, share, priorities[index], queuedAt[index], sequences[index], heads[index]);
    }
}
