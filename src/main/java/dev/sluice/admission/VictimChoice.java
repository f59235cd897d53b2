package dev.sluice.admission;

import java.time.Duration;

/**
 * Who may be preempted, and who first, beyond what a queue's preemption policy says. Zero = that rule is off.
 *
 * @param minimumRunTime what was admitted is not preempted before it held its quota for so long
 * @param brakeAfter preemptions in a row for workloads of one and the same queue, after which the brake is on
 * @param brakeFor what the brake is on for is not preempted for that queue before it held its quota for so long
 * @param byCheckpoint among equal priorities those lose their place first that lose the least work by it: admitted, or last
 *     told to have saved their work, the latest
 * @param cheapestAlone where one workload of no higher priority is enough, the smallest such is taken
 */
public record VictimChoice(
        Duration minimumRunTime, int brakeAfter, Duration brakeFor, boolean byCheckpoint, boolean cheapestAlone) {
    /** No minimum run time: how long is right hangs on the work, and an owner's claim should not wait unasked. */
    public static final VictimChoice DEFAULT = new VictimChoice(Duration.ZERO, 10, Duration.ofMinutes(5), true, true);

    public static final VictimChoice KUEUE = new VictimChoice(Duration.ZERO, 0, Duration.ZERO, false, false);

    public VictimChoice {
        if (minimumRunTime.isNegative() || brakeAfter < 0 || brakeFor.isNegative()) {
            throw new IllegalArgumentException("a rule about victims cannot have a negative number: minimum run time "
                    + minimumRunTime + ", brake after " + brakeAfter + " for " + brakeFor);
        }
    }
}
