package dev.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sluice.quota.Cohort;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A Cohort; its quotas are shared quota of its own, in addition to its members'. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CohortBody(
        @Nullable String name,
        @Nullable String parent,
        @Nullable List<QuotaLineBody> quotas,
        ClusterQueueBody.@Nullable FairSharing fairSharing) {
    public Cohort cohort(String key, Mistakes mistakes) {
        return new Cohort(
                key,
                ClusterQueueBody.emptyIsNull(parent),
                QuotaLines.groups(quotas, mistakes),
                ClusterQueueBody.weight("", fairSharing, mistakes));
    }

    public static CohortBody of(Cohort cohort) {
        return new CohortBody(
                cohort.name(),
                cohort.parent(),
                QuotaLines.bodies(cohort.resourceGroups()),
                new ClusterQueueBody.FairSharing(cohort.weight().toString()));
    }
}
