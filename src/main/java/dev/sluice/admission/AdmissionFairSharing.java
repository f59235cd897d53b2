package dev.sluice.admission;

import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How past use counts between the LocalQueues of a ClusterQueue that asks for it
 * ({@link dev.sluice.quota.AdmissionMode#USAGE_BASED}; Kueue's {@code admissionFairSharing}).
 *
 * @param usageHalfLife after which past use counts half
 * @param usageSamplingInterval an admission counts at once as much as it would after running that long
 * @param resourceWeights what a unit (a core, a byte, a device) of a resource counts; 1 if not named. Without a weight a byte
 *     counts as much as a core
 */
public record AdmissionFairSharing(
        Duration usageHalfLife, Duration usageSamplingInterval, SortedMap<String, Double> resourceWeights) {
    public static final AdmissionFairSharing DEFAULT =
            new AdmissionFairSharing(Duration.ofDays(7), Duration.ofMinutes(5), new TreeMap<>());

    /** @throws IllegalArgumentException if a duration is not more than 0, or a weight is negative or no number */
    public AdmissionFairSharing {
        resourceWeights = Collections.unmodifiableSortedMap(new TreeMap<>(resourceWeights));
        if (usageHalfLife.compareTo(Duration.ZERO) <= 0 || usageSamplingInterval.compareTo(Duration.ZERO) <= 0) {
            throw new IllegalArgumentException(
                    "admission fair sharing's half-life and sampling interval must be more than 0, not " + usageHalfLife
                            + " and " + usageSamplingInterval);
        }
        resourceWeights.forEach((resource, weight) -> {
            if (!(weight >= 0) || weight.isInfinite()) {
                throw new IllegalArgumentException(
                        "admission fair sharing's weight of " + resource + " must be at least 0, not " + weight);
            }
        });
    }

    /** How much of what runs now, and how little of what was used before, counts after this time. */
    double alpha(Duration elapsed) {
        double halfLives = seconds(elapsed) / seconds(usageHalfLife);
        return 1 - StrictMath.pow(0.5, halfLives);
    }

    private static double seconds(Duration duration) {
        return duration.getSeconds() + duration.getNano() / 1e9;
    }

    double weight(String resource) {
        return resourceWeights.getOrDefault(resource, 1.0);
    }
}
