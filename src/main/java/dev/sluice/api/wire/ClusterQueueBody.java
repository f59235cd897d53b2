package dev.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.sluice.api.wire.CheckRules.CheckRule;
import dev.sluice.quota.AdmissionMode;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.FlavorFungibility;
import dev.sluice.quota.NamespaceSelector;
import dev.sluice.quota.PreemptionPolicy;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.QueueingStrategy;
import dev.sluice.quota.StopPolicy;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A ClusterQueue.
 *
 * @param status only read; what a PUT says of it is not looked at
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ClusterQueueBody(
        @Nullable String name,
        @Nullable String cohort,
        @Nullable String team,
        @Nullable String queueingStrategy,
        @Nullable List<QuotaLineBody> quotas,
        @Nullable Preemption preemption,
        @Nullable Fungibility flavorFungibility,
        @Nullable FairSharing fairSharing,
        @Nullable String stopPolicy,
        @Nullable LabelSelectorBody namespaceSelector,
        @Nullable List<CheckRule> admissionChecks,
        @Nullable AdmissionScope admissionScope,
        @Nullable QueueStatus status) {

    /** @param admissionMode what decides between its LocalQueues; left out = nothing does */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record AdmissionScope(@Nullable String admissionMode) {
        /** @param place put before field names, such as {@code spec.} */
        public static AdmissionMode mode(String place, @Nullable AdmissionScope scope, Mistakes mistakes) {
            return scope == null
                    ? AdmissionMode.NONE
                    : Choice.ADMISSION_MODE.read(
                            place + "admissionScope.admissionMode", scope.admissionMode, AdmissionMode.NONE, mistakes);
        }
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Preemption(
            @Nullable String withinClusterQueue,
            @Nullable String reclaimWithinCohort,
            @Nullable BorrowWithinCohort borrowWithinCohort) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record BorrowWithinCohort(
            @Nullable String policy, @Nullable Integer maxPriorityThreshold) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Fungibility(
            @Nullable String whenCanBorrow,
            @Nullable String whenCanPreempt,
            @Nullable String preference) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record FairSharing(
            @JsonDeserialize(using = QuantityText.class) @Nullable String weight) {}

    /**
     * @param usage by quota key, all flavors together
     * @param lines the same, flavor by flavor
     * @param inactiveBecause null = active
     * @param fairSharing left out where fair sharing is off
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record QueueStatus(
            Map<String, LineUsage> usage,
            List<LineUsage> lines,
            int pending,
            int admitted,
            boolean active,
            @Nullable String inactiveBecause,
            @Nullable FairShareStatus fairSharing) {}

    /**
     * Amounts as quantities.
     *
     * @param flavor null = all flavors together
     * @param overcommitted used above what the queue may ever use as configured
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record LineUsage(
            @Nullable String flavor,
            String key,
            String nominal,
            String used,
            String earmarked,
            String borrowed,
            String lent,
            String overcommitted,
            String available,
            String pending) {}

    public ClusterQueue clusterQueue(String key, Mistakes mistakes) {
        return new ClusterQueue(
                key,
                emptyIsNull(cohort),
                emptyIsNull(team),
                Choice.QUEUEING_STRATEGY.read(
                        "queueingStrategy", queueingStrategy, QueueingStrategy.BEST_EFFORT_FIFO, mistakes),
                QuotaLines.groups(quotas, mistakes),
                preemption("", preemption, mistakes),
                fungibility("", flavorFungibility, Choice.SEARCH, mistakes),
                weight("", fairSharing, mistakes),
                Choice.STOP_POLICY.read("stopPolicy", stopPolicy, StopPolicy.NONE, mistakes),
                namespaceSelector == null ? NamespaceSelector.EVERY : namespaceSelector.selector("", mistakes),
                CheckRules.names("admissionChecks", admissionChecks, mistakes),
                CheckRules.onFlavors(admissionChecks),
                AdmissionScope.mode("", admissionScope, mistakes));
    }

    public static ClusterQueueBody of(ClusterQueue queue, @Nullable QueueStatus status) {
        return new ClusterQueueBody(
                queue.name(),
                queue.cohort(),
                queue.team(),
                Choice.QUEUEING_STRATEGY.word(queue.queueingStrategy()),
                QuotaLines.bodies(queue.resourceGroups()),
                preemption(queue.preemption()),
                new Fungibility(
                        Choice.SEARCH.word(queue.flavorFungibility().whenCanBorrow()),
                        Choice.SEARCH.word(queue.flavorFungibility().whenCanPreempt()),
                        Choice.PREFERENCE.word(queue.flavorFungibility().preference())),
                new FairSharing(queue.weight().toString()),
                Choice.STOP_POLICY.word(queue.stopPolicy()),
                LabelSelectorBody.of(queue.namespaceSelector()),
                CheckRules.of(queue),
                queue.admissionMode() == AdmissionMode.NONE
                        ? null
                        : new AdmissionScope(Choice.ADMISSION_MODE.word(queue.admissionMode())),
                status);
    }

    /** @param place put before field names, such as {@code spec.} */
    public static PreemptionPolicy preemption(String place, @Nullable Preemption body, Mistakes mistakes) {
        if (body == null) {
            return PreemptionPolicy.NEVER;
        }
        BorrowWithinCohort borrow = body.borrowWithinCohort();
        String field = place + "preemption.";
        return new PreemptionPolicy(
                Choice.WITHIN_CLUSTER_QUEUE.read(
                        field + "withinClusterQueue",
                        body.withinClusterQueue(),
                        PreemptionPolicy.WithinClusterQueue.NEVER,
                        mistakes),
                Choice.RECLAIM_WITHIN_COHORT.read(
                        field + "reclaimWithinCohort",
                        body.reclaimWithinCohort(),
                        PreemptionPolicy.ReclaimWithinCohort.NEVER,
                        mistakes),
                borrow == null
                        ? PreemptionPolicy.BorrowWithinCohort.NEVER
                        : new PreemptionPolicy.BorrowWithinCohort(
                                Choice.BORROW_WITHIN_COHORT.read(
                                        field + "borrowWithinCohort.policy", borrow.policy(), false, mistakes),
                                borrow.maxPriorityThreshold()));
    }

    public static Preemption preemption(PreemptionPolicy policy) {
        return new Preemption(
                Choice.WITHIN_CLUSTER_QUEUE.word(policy.withinClusterQueue()),
                Choice.RECLAIM_WITHIN_COHORT.word(policy.reclaimWithinCohort()),
                new BorrowWithinCohort(
                        Choice.BORROW_WITHIN_COHORT.word(
                                policy.borrowWithinCohort().allowed()),
                        policy.borrowWithinCohort().maxPriorityThreshold()));
    }

    public static FlavorFungibility fungibility(
            String place, @Nullable Fungibility body, Choice<FlavorFungibility.Search> searches, Mistakes mistakes) {
        if (body == null) {
            return FlavorFungibility.DEFAULT;
        }
        String field = place + "flavorFungibility.";
        return new FlavorFungibility(
                searches.read(
                        field + "whenCanBorrow",
                        body.whenCanBorrow(),
                        FlavorFungibility.DEFAULT.whenCanBorrow(),
                        mistakes),
                searches.read(
                        field + "whenCanPreempt",
                        body.whenCanPreempt(),
                        FlavorFungibility.DEFAULT.whenCanPreempt(),
                        mistakes),
                Choice.PREFERENCE.read(
                        field + "preference", body.preference(), FlavorFungibility.DEFAULT.preference(), mistakes));
    }

    public static Quantity weight(String place, @Nullable FairSharing body, Mistakes mistakes) {
        Quantity weight = body == null ? null : mistakes.quantity(place + "fairSharing.weight", body.weight());
        return weight == null ? Quantity.of(1) : weight;
    }

    public static @Nullable String emptyIsNull(@Nullable String text) {
        return text == null || text.isEmpty() ? null : text;
    }

    /** Jackson puts null where a map's value is {@code null}. */
    @SuppressWarnings("NullAway") // values of a map that was read from JSON may be null, whatever its type says
    public static Map<String, String> withoutNulls(String place, @Nullable Map<String, String> map, Mistakes mistakes) {
        Map<String, String> clean = new TreeMap<>();
        if (map != null) {
            map.forEach((key, value) -> {
                if (value == null) {
                    mistakes.add(place + key, null, "must have a value");
                } else {
                    clean.put(key, value);
                }
            });
        }
        return clean;
    }
}
