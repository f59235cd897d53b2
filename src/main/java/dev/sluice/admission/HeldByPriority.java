package dev.sluice.admission;

import dev.sluice.quota.Amounts;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How much of each line of a queue is held by those of low priority: what the queue could get back from its own. */
final class HeldByPriority {
    /** Those that any holder is charged to, now or before. */
    private final List<OfLine> lines = new ArrayList<>();

    /** Of few priorities, one beside the other: it is asked for in thousands of queues, of which none is at hand. */
    private static final class OfLine {
        final int line;
        /** Ascending, as many as are counted. */
        int[] priorities = new int[4];

        long[] amounts = new long[4];
        int count;

        OfLine(int line) {
            this.line = line;
        }

        /** Where what a priority holds stands; it is made if it is not there yet. */
        int place(int priority) {
            int at = Arrays.binarySearch(priorities, 0, count, priority);
            if (at >= 0) {
                return at;
            }
            int place = -at - 1;
            if (count == priorities.length) {
                priorities = Arrays.copyOf(priorities, 2 * count);
                amounts = Arrays.copyOf(amounts, 2 * count);
            }
            System.arraycopy(priorities, place, priorities, place + 1, count - place);
            System.arraycopy(amounts, place, amounts, place + 1, count - place);
            priorities[place] = priority;
            amounts[place] = 0;
            count++;
            return place;
        }
    }

    HeldByPriority(List<TrackedWorkload> holders) {
        holders.forEach(this::add);
    }

    void add(TrackedWorkload holder) {
        Charge charge = holder.chargeOrThrow();
        for (int index = 0; index < charge.lines().length; index++) {
            OfLine held = ofLineOrNew(charge.lines()[index]);
            int place = held.place(holder.priority);
            held.amounts[place] = Amounts.plus(held.amounts[place], charge.amounts()[index]);
        }
    }

    /** Returns false if from now on all must be counted anew: of an amount without limit nobody knows what is left. */
    boolean remove(TrackedWorkload holder) {
        Charge charge = holder.chargeOrThrow();
        boolean known = true;
        for (int index = 0; index < charge.lines().length; index++) {
            OfLine held = ofLineOrNew(charge.lines()[index]);
            int place = held.place(holder.priority);
            known &= held.amounts[place] != Amounts.UNLIMITED;
            held.amounts[place] -= charge.amounts()[index];
        }
        return known;
    }

    private OfLine ofLineOrNew(int line) {
        OfLine known = ofLine(line);
        if (known == null) {
            known = new OfLine(line);
            lines.add(known);
        }
        return known;
    }

    private @Nullable OfLine ofLine(int line) {
        for (OfLine one : lines) {
            if (one.line == line) {
                return one;
            }
        }
        return null;
    }

    /** Each once. */
    int[] lines() {
        int[] numbers = new int[lines.size()];
        for (int index = 0; index < numbers.length; index++) {
            numbers[index] = lines.get(index).line;
        }
        return numbers;
    }

    /** The most that somebody of a priority and of the same queue might take by its policy. */
    long takenFor(int priority, int line, WithinClusterQueue policy) {
        return switch (policy) {
            case NEVER -> 0;
            case LOWER_PRIORITY -> below(priority, line);
            case LOWER_OR_NEWER_EQUAL_PRIORITY -> upTo(priority, line);
        };
    }

    /** Of those of a lower priority. */
    long below(int priority, int line) {
        return priority == Integer.MIN_VALUE ? 0 : upTo(priority - 1, line);
    }

    /** @param most the highest priority that counts */
    long upTo(int most, int line) {
        OfLine held = ofLine(line);
        long sum = 0;
        for (int place = 0; held != null && place < held.count && held.priorities[place] <= most; place++) {
            sum = Amounts.plus(sum, held.amounts[place]);
        }
        return sum;
    }
}
