package dev.sluice.fleet;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the pods of one workload behave. What is null follows the fleet's settings and the workload's own
 * {@code expectedDuration}.
 *
 * @param startDelay null = as the settings say
 * @param runTime null = the workload's expected duration, or for ever without one
 * @param failure why it fails at the end of its run time; null = it succeeds
 * @param terminationDelay null = as the settings say
 * @param stuck its pods do not end when stopped, until the fleet is told to release them
 * @param failsOnNodeLoss the job fails if a node of its pods is lost; else the pods start anew elsewhere
 * @param refusal why the cluster refuses the job; null = it takes it
 * @param startRejection why it refuses every release of the job; null = it lets the pods start
 */
public record PodBehavior(
        @Nullable Duration startDelay,
        @Nullable Duration runTime,
        @Nullable String failure,
        @Nullable Duration terminationDelay,
        boolean stuck,
        boolean failsOnNodeLoss,
        @Nullable String refusal,
        @Nullable String startRejection) {
    public static final PodBehavior NORMAL = new PodBehavior(null, null, null, null, false, false, null, null);

    public PodBehavior startingAfter(Duration delay) {
        return new PodBehavior(
                delay, runTime, failure, terminationDelay, stuck, failsOnNodeLoss, refusal, startRejection);
    }

    public PodBehavior runningFor(Duration time) {
        return new PodBehavior(
                startDelay, time, failure, terminationDelay, stuck, failsOnNodeLoss, refusal, startRejection);
    }

    public PodBehavior failing(String why) {
        return new PodBehavior(
                startDelay, runTime, why, terminationDelay, stuck, failsOnNodeLoss, refusal, startRejection);
    }

    public PodBehavior terminatingAfter(Duration delay) {
        return new PodBehavior(startDelay, runTime, failure, delay, stuck, failsOnNodeLoss, refusal, startRejection);
    }

    public PodBehavior gettingStuck() {
        return new PodBehavior(
                startDelay, runTime, failure, terminationDelay, true, failsOnNodeLoss, refusal, startRejection);
    }

    public PodBehavior failingOnNodeLoss() {
        return new PodBehavior(startDelay, runTime, failure, terminationDelay, stuck, true, refusal, startRejection);
    }

    public PodBehavior refused(String why) {
        return new PodBehavior(
                startDelay, runTime, failure, terminationDelay, stuck, failsOnNodeLoss, why, startRejection);
    }

    public PodBehavior startsRejected(String why) {
        return new PodBehavior(startDelay, runTime, failure, terminationDelay, stuck, failsOnNodeLoss, refusal, why);
    }

    public PodBehavior startsAllowed() {
        return new PodBehavior(startDelay, runTime, failure, terminationDelay, stuck, failsOnNodeLoss, refusal, null);
    }
}
