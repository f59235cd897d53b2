package dev.sluice.api.manifest;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sluice.api.wire.ClusterQueueBody;
import dev.sluice.api.wire.ClusterQueueBody.FairSharing;
import dev.sluice.api.wire.Mistakes;
import dev.sluice.quota.Cohort;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The specification of Kueue's Cohort. */
@JsonInclude(JsonInclude.Include.NON_NULL)
record KueueCohort(
        @Nullable String parentName,
        @Nullable List<KueueResourceGroup> resourceGroups,
        @Nullable FairSharing fairSharing) {
    Cohort cohort(String name, Mistakes mistakes) {
        return new Cohort(
                name,
                ClusterQueueBody.emptyIsNull(parentName),
                KueueResourceGroup.groups(resourceGroups, mistakes),
                ClusterQueueBody.weight("spec.", fairSharing, mistakes));
    }

    static KueueCohort of(Cohort cohort) {
        return new KueueCohort(
                cohort.parent(),
                cohort.resourceGroups().isEmpty() ? null : KueueResourceGroup.of(cohort.resourceGroups()),
                new FairSharing(cohort.weight().toString()));
    }
}
