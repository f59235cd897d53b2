package dev.sluice.admission;

import dev.sluice.quota.Share;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a flat cohort must have left, so that one of a queue of it might start by borrowing.
 *
 * @param ofLines each line once
 */
record Needs(List<OfLine> ofLines) {
    static final Needs NONE = new Needs(List.of());

    /**
     * What it takes of one line.
     *
     * @param toHope how much must be left at the least, unless others might give it
     * @param toBeSure how much is enough; no less than it takes to hope
     * @param toFit how much it takes if nobody is preempted; no less than it takes to be sure
     * @param leastShare the queue's share with what is asked for, and without all of its own that might go; null = others give nothing
     */
    record OfLine(
            int line,
            long toHope,
            long toBeSure,
            long toFit,
            @Nullable Share leastShare) {}
}
