package dev.sluice.admission;

import java.time.Duration;

/**
 * What becomes of running work that a cut quota, or a move to another cohort, leaves without quota.
 *
 * @param drains it is evicted, lowest priority and newest first, as much as is over; false = it may end in its own time
 * @param grace how long after it was found to be over
 */
public record Overcommitment(boolean drains, Duration grace) {
    public static final Overcommitment KEEP = new Overcommitment(false, Duration.ZERO);

    public Overcommitment {
        if (grace.isNegative()) {
            throw new IllegalArgumentException("the grace of a drain cannot be " + grace);
        }
    }

    public static Overcommitment drainAfter(Duration grace) {
        return new Overcommitment(true, grace);
    }
}
