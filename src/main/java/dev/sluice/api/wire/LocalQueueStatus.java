package dev.sluice.api.wire;

import dev.sluice.admission.LocalQueueUsage;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.SortedMap;
import java.util.TreeMap;

/** Of a LocalQueue whose ClusterQueue goes by usage. Only answered, never read; the shape is that of Kueue's status. */
public record LocalQueueStatus(UsageShare fairSharing) {
    public record UsageShare(AdmissionFairSharingStatus admissionFairSharingStatus) {}

    /**
     * What it used of late, by which the LocalQueues of one ClusterQueue take turns.
     *
     * @param consumedResources quantities, to the nearest thousandth; empty = nothing
     * @param lastUpdate of when: the last instant that something was decided
     */
    public record AdmissionFairSharingStatus(SortedMap<String, String> consumedResources, Instant lastUpdate) {}

    public static LocalQueueStatus of(LocalQueueUsage usage) {
        SortedMap<String, String> consumed = new TreeMap<>();
        usage.consumed().forEach((resource, amount) -> consumed.put(resource, quantity(amount)));
        return new LocalQueueStatus(new UsageShare(new AdmissionFairSharingStatus(consumed, usage.at())));
    }

    private static String quantity(double amount) {
        BigDecimal milli = BigDecimal.valueOf(amount).movePointRight(3).setScale(0, RoundingMode.HALF_UP);
        BigDecimal whole = milli.movePointLeft(3).stripTrailingZeros();
        return whole.scale() <= 0 ? whole.toPlainString() : milli.toPlainString() + "m";
    }
}
