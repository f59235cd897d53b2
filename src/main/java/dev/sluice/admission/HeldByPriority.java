package dev.sluice.admission;

import dev.sluice.quota.Amounts;
import java.util.Arrays;
import java.util.List;

/** How much of each line of a queue is held by those of low priority: what the queue could get back from its own. */
final class HeldByPriority {
    /** Those of the holders, each once, ascending. */
    private final int[] priorities;
    /** Charged by any holder, each once, ascending. */
    private final int[] lines;
    /** Per line and priority: what all up to that priority hold. */
    private final long[][] sums;

    HeldByPriority(List<TrackedWorkload> holders) {
        priorities = holders.stream()
                .mapToInt(holder -> holder.priority)
                .sorted()
                .distinct()
                .toArray();
        lines = holders.stream()
                .flatMapToInt(holder -> Arrays.stream(holder.chargeOrThrow().lines()))
                .sorted()
                .distinct()
                .toArray();
        sums = new long[lines.length][priorities.length];
        for (TrackedWorkload holder : holders) {
            int priority = Arrays.binarySearch(priorities, holder.priority);
            Charge charge = holder.chargeOrThrow();
            for (int index = 0; index < charge.lines().length; index++) {
                long[] sum = sums[Arrays.binarySearch(lines, charge.lines()[index])];
                sum[priority] = Amounts.plus(sum[priority], charge.amounts()[index]);
            }
        }
        for (long[] sum : sums) {
            for (int priority = 1; priority < sum.length; priority++) {
                sum[priority] = Amounts.plus(sum[priority], sum[priority - 1]);
            }
        }
    }

    int[] lines() {
        return lines;
    }

    /** @param most the highest priority that counts */
    long upTo(int most, int line) {
        int index = Arrays.binarySearch(lines, line);
        if (index < 0) {
            return 0;
        }
        int found = Arrays.binarySearch(priorities, most);
        int last = found >= 0 ? found : -found - 2;
        return last < 0 ? 0 : sums[index][last];
    }
}
