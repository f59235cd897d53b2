package dev.sluice.admission;

import java.util.List;

/**
 * Whether what can be borrowed is divided by fair shares ({@link dev.sluice.quota.Share}), and when a preemptor may take from
 * whoever has more.
 *
 * @param preemptionStrategies tried in this order; none = fair sharing is off
 */
public record FairSharing(List<Strategy> preemptionStrategies) {
    public static final FairSharing OFF = new FairSharing(List.of());
    /** On, with Kueue's default strategies. */
    public static final FairSharing ON =
            new FairSharing(List.of(Strategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE, Strategy.LESS_THAN_INITIAL_SHARE));

    /** @throws IllegalArgumentException for a list that says nothing more than a shorter one */
    public FairSharing {
        preemptionStrategies = List.copyOf(preemptionStrategies);
        if (preemptionStrategies.size() > 1 && !preemptionStrategies.equals(List.of(Strategy.values()))) {
            throw new IllegalArgumentException("fair sharing's preemption strategies must be one of the two, or "
                    + List.of(Strategy.values()) + ", not " + preemptionStrategies);
        }
    }

    /** When it is fair to take a workload. Shares are of the two nodes just below the lowest cohort above both queues. */
    public enum Strategy {
        /** The preemptor's side, with its workload, has no more than the victim's side has left afterwards. */
        LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,
        /** The preemptor's side, with its workload, has less than the victim's side has now. */
        LESS_THAN_INITIAL_SHARE
    }

    public boolean isOn() {
        return !preemptionStrategies.isEmpty();
    }
}
