package dev.sluice.admission;

import java.time.Duration;
import java.time.Instant;

/**
 * What becomes of those that were told to leave, and whose pods do not end: a node that does not answer, a finalizer that nobody
 * takes away, a program that does not heed its signal.
 *
 * @param after they are stuck so long after they were told to leave, and somebody is told; zero = nobody ever is
 * @param then what whoever waits for their room does
 */
public record StuckVictims(Duration after, Then then) {
    public static final StuckVictims OFF = new StuckVictims(Duration.ZERO, Then.WAIT);

    /** To take another one's place for a place that may get free any moment is not for us to choose unasked. */
    public static final StuckVictims DEFAULT = new StuckVictims(Duration.ofMinutes(15), Then.WAIT);

    public enum Then {
        /** It keeps its earmark until they have ended. */
        WAIT,
        /**
         * They count as ones that stay, whoever runs out of room by that loses its earmark and is nominated again. So others are
         * chosen, or it waits as for work that runs.
         */
        CHOOSE_ANOTHER
    }

    public StuckVictims {
        if (after.isNegative()) {
            throw new IllegalArgumentException("the time after which a victim is stuck cannot be " + after);
        }
    }

    boolean isOn() {
        return after.isPositive();
    }

    /** Whether those that are stuck count as ones that stay. */
    public boolean choosesAnother() {
        return isOn() && then == Then.CHOOSE_ANOTHER;
    }

    Instant due(Instant toldToLeave) {
        return toldToLeave.plus(after);
    }
}
