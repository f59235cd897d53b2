package dev.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sluice.quota.Share;
import org.jspecify.annotations.Nullable;

/**
 * What a ClusterQueue or Cohort borrows of what can be borrowed, divided by its weight.
 *
 * @param weightedShare in thousandths, rounded up; 9223372036854775807 = weight 0, and it borrows
 * @param share the same, not rounded; left out where it is infinite
 * @param dominantResource of what it borrows most; left out where it borrows nothing
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FairShareStatus(
        long weightedShare,
        @Nullable Double share,
        @Nullable String dominantResource) {
    public static @Nullable FairShareStatus of(@Nullable Share share) {
        return share == null
                ? null
                : new FairShareStatus(
                        share.rounded(), share.isInfinite() ? null : share.value(), share.dominantResource());
    }
}
