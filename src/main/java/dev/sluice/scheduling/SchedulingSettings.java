package dev.sluice.scheduling;

import java.time.Duration;

/**
 * How the leader works.
 *
 * @param leadershipTimeToLive after which another may lead if nothing was heard
 * @param pollInterval between looks at the intake table when no hint came
 * @param inputsMax most commands and observations in one batch; bounds the length of a transaction
 * @param submissionsMax most submissions in one intake transaction
 * @param answerPatience how long a caller waits for the leader before it hears that its command is pending
 */
public record SchedulingSettings(
        Duration leadershipTimeToLive,
        Duration pollInterval,
        int inputsMax,
        int submissionsMax,
        Duration answerPatience) {
    public static SchedulingSettings defaults() {
        return new SchedulingSettings(Duration.ofSeconds(10), Duration.ofMillis(250), 4096, 256, Duration.ofSeconds(2));
    }
}
