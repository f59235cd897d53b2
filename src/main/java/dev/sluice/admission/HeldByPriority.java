package dev.sluice.admission;

import dev.sluice.quota.Amounts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How much of each line of a queue is held by those of low priority: what the queue could get back from its own. */
final class HeldByPriority {
    /** By line, ascending. Few: those that the queue's work is charged to. */
    private final List<OfLine> lines = new ArrayList<>();

    private static final class OfLine {
        final int line;
        /** Those of the holders, each once, ascending; as many as there are sums. */
        int[] priorities = {};

        long[] sums = {};

        OfLine(int line) {
            this.line = line;
        }

        void add(int priority, long amount) {
            int index = Arrays.binarySearch(priorities, priority);
            if (index < 0) {
                index = -index - 1;
                priorities = inserted(priorities, index, priority);
                long[] wider = new long[sums.length + 1];
                System.arraycopy(sums, 0, wider, 0, index);
                System.arraycopy(sums, index, wider, index + 1, sums.length - index);
                sums = wider;
            }
            sums[index] = Amounts.plus(sums[index], amount);
        }

        /** Returns false if what is left cannot be told: an amount without limit was among those that were added. */
        boolean remove(int priority, long amount) {
            int index = Arrays.binarySearch(priorities, priority);
            if (index < 0 || sums[index] == Amounts.UNLIMITED) {
                return false;
            }
            sums[index] -= amount;
            return true;
        }
    }

    HeldByPriority(List<TrackedWorkload> holders) {
        holders.forEach(this::add);
    }

    private static int[] inserted(int[] into, int index, int value) {
        int[] wider = new int[into.length + 1];
        System.arraycopy(into, 0, wider, 0, index);
        wider[index] = value;
        System.arraycopy(into, index, wider, index + 1, into.length - index);
        return wider;
    }

    void add(TrackedWorkload holder) {
        Charge charge = holder.chargeOrThrow();
        for (int index = 0; index < charge.lines().length; index++) {
            ofLine(charge.lines()[index]).add(holder.priority, charge.amounts()[index]);
        }
    }

    /** Returns false if from now on all must be counted anew. */
    boolean remove(TrackedWorkload holder) {
        Charge charge = holder.chargeOrThrow();
        boolean known = true;
        for (int index = 0; index < charge.lines().length; index++) {
            known &= ofLine(charge.lines()[index]).remove(holder.priority, charge.amounts()[index]);
        }
        return known;
    }

    private OfLine ofLine(int line) {
        int at = 0;
        while (at < lines.size() && lines.get(at).line < line) {
            at++;
        }
        if (at == lines.size() || lines.get(at).line != line) {
            lines.add(at, new OfLine(line));
        }
        return lines.get(at);
    }

    private @Nullable OfLine find(int line) {
        for (OfLine one : lines) {
            if (one.line == line) {
                return one;
            }
        }
        return null;
    }

    /** Charged by any holder, now or before; ascending. */
    int[] lines() {
        int[] numbers = new int[lines.size()];
        for (int index = 0; index < numbers.length; index++) {
            numbers[index] = lines.get(index).line;
        }
        return numbers;
    }

    /** @param most the highest priority that counts */
    long upTo(int most, int line) {
        OfLine found = find(line);
        long sum = 0;
        for (int index = 0; found != null && index < found.sums.length && found.priorities[index] <= most; index++) {
            sum = Amounts.plus(sum, found.sums[index]);
        }
        return sum;
    }
}
