package dev.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sluice.quota.Cohort;
import dev.sluice.quota.Share;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A Cohort; its quotas are shared quota of its own, in addition to its members'. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CohortBody(
        @Nullable String name,
        @Nullable String parent,
        @Nullable List<QuotaLineBody> quotas,
        ClusterQueueBody.@Nullable FairSharing fairSharing,
        @Nullable CohortStatus status) {
    /** Only answered, never read. */
    public record CohortStatus(FairShareStatus fairSharing) {}

    public Cohort cohort(String key, Mistakes mistakes) {
        return new Cohort(
                key,
                ClusterQueueBody.emptyIsNull(parent),
                QuotaLines.groups(quotas, mistakes),
                ClusterQueueBody.weight("", fairSharing, mistakes));
    }

    /** @param share null = fair sharing is off, or it is not asked for */
    public static CohortBody of(Cohort cohort, @Nullable Share share) {
        FairShareStatus status = FairShareStatus.of(share);
        return new CohortBody(
                cohort.name(),
                cohort.parent(),
                QuotaLines.bodies(cohort.resourceGroups()),
                new ClusterQueueBody.FairSharing(cohort.weight().toString()),
                status == null ? null : new CohortStatus(status));
    }
}
