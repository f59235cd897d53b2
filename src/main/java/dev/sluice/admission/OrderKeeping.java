package dev.sluice.admission;

import java.time.Duration;

/**
 * What the workload at the front of a queue keeps for itself while it waits.
 *
 * @param perLine in a strict queue it holds up only those behind it that need a flavor's resource of which it has too little,
 *     and what else it needs is kept for it; false = it holds up everybody, as in Kueue
 * @param guardAfter in a best-effort queue it keeps what it needs as in a strict one once it waited for so long, so that
 *     smaller ones behind it cannot take every bit that gets free; zero = never
 */
public record OrderKeeping(boolean perLine, Duration guardAfter) {
    public static final OrderKeeping DEFAULT = new OrderKeeping(true, Duration.ofMinutes(15));
    public static final OrderKeeping KUEUE = new OrderKeeping(false, Duration.ZERO);

    public OrderKeeping {
        if (guardAfter.isNegative()) {
            throw new IllegalArgumentException("the guard against starvation cannot begin after " + guardAfter);
        }
    }
}
