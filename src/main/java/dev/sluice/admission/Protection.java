package dev.sluice.admission;

import java.time.Instant;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Who may not be preempted now although a policy would allow it, and when the first of those that were asked about may. */
final class Protection {
    private final Predicate<TrackedWorkload> spared;
    private final VictimChoice choice;
    private final Instant now;
    private @Nullable Instant endsFirst;

    /** @param spared dealt with in this instant already */
    Protection(Predicate<TrackedWorkload> spared, VictimChoice choice, Instant now) {
        this.spared = spared;
        this.choice = choice;
        this.now = now;
    }

    boolean covers(TrackedWorkload candidate, String preemptorQueue) {
        if (spared.test(candidate)) {
            return true;
        }
        Instant until = until(candidate, preemptorQueue);
        if (until == null || !until.isAfter(now)) {
            return false;
        }
        if (endsFirst == null || until.isBefore(endsFirst)) {
            endsFirst = until;
        }
        return true;
    }

    private @Nullable Instant until(TrackedWorkload candidate, String preemptorQueue) {
        Instant since = candidate.admittedAt;
        if (since == null || !candidate.isRunning()) {
            return null;
        }
        boolean braked = choice.brakeAfter() > 0
                && candidate.preemptedInARow >= choice.brakeAfter()
                && preemptorQueue.equals(candidate.preemptedBy);
        if (!braked && choice.minimumRunTime().isZero()) {
            return null;
        }
        Instant byRunTime = since.plus(choice.minimumRunTime());
        Instant byBrake = since.plus(choice.brakeFor());
        return braked && byBrake.isAfter(byRunTime) ? byBrake : byRunTime;
    }

    /** Null = nobody who was asked about was protected for a time. */
    @Nullable Instant endsFirst() {
        return endsFirst;
    }

    void forget() {
        endsFirst = null;
    }
}
