package dev.sluice.api.manifest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.api.wire.CheckRules;
import dev.sluice.api.wire.CheckRules.CheckRule;
import dev.sluice.api.wire.Choice;
import dev.sluice.api.wire.ClusterQueueBody;
import dev.sluice.api.wire.ClusterQueueBody.AdmissionScope;
import dev.sluice.api.wire.ClusterQueueBody.FairSharing;
import dev.sluice.api.wire.ClusterQueueBody.Fungibility;
import dev.sluice.api.wire.ClusterQueueBody.Preemption;
import dev.sluice.api.wire.LabelSelectorBody;
import dev.sluice.api.wire.Mistakes;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.NamespaceSelector;
import dev.sluice.quota.QueueingStrategy;
import dev.sluice.quota.StopPolicy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The specification of Kueue's ClusterQueue, v1beta1 and v1beta2.
 *
 * @param cohort its name in v1beta1
 * @param cohortName its name in v1beta2
 * @param namespaceSelector null = no namespace may submit, empty = every one
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record KueueClusterQueue(
        @Nullable List<KueueResourceGroup> resourceGroups,
        @Nullable String cohort,
        @Nullable String cohortName,
        @Nullable String queueingStrategy,
        @Nullable LabelSelectorBody namespaceSelector,
        @Nullable Fungibility flavorFungibility,
        @Nullable Preemption preemption,
        @Nullable List<String> admissionChecks,
        @Nullable ChecksStrategy admissionChecksStrategy,
        @Nullable String stopPolicy,
        @Nullable FairSharing fairSharing,
        @Nullable AdmissionScope admissionScope,
        @Nullable JsonNode concurrentAdmissionPolicy) {
    ClusterQueue clusterQueue(String name, KueueVersion version, @Nullable String team, Mistakes mistakes) {
        List<CheckRule> checks = checks(version, mistakes);
        unsupported("concurrentAdmissionPolicy", concurrentAdmissionPolicy, mistakes);
        return new ClusterQueue(
                name,
                version.renamed("cohort", cohort, "cohortName", cohortName, mistakes),
                team,
                Choice.QUEUEING_STRATEGY.read(
                        "spec.queueingStrategy", queueingStrategy, QueueingStrategy.BEST_EFFORT_FIFO, mistakes),
                KueueResourceGroup.groups(resourceGroups, mistakes),
                ClusterQueueBody.preemption("spec.", preemption, mistakes),
                ClusterQueueBody.fungibility(
                        "spec.",
                        flavorFungibility,
                        version == KueueVersion.V1BETA1 ? Choice.SEARCH_V1BETA1 : Choice.SEARCH,
                        mistakes),
                ClusterQueueBody.weight("spec.", fairSharing, mistakes),
                Choice.STOP_POLICY.read("spec.stopPolicy", stopPolicy, StopPolicy.NONE, mistakes),
                namespaces(mistakes),
                CheckRules.names("spec.admissionChecksStrategy.admissionChecks", checks, mistakes),
                CheckRules.onFlavors(checks),
                AdmissionScope.mode("spec.", admissionScope, mistakes));
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record ChecksStrategy(@Nullable List<CheckRule> admissionChecks) {}

    /** The flat list, which v1beta2 knows no more, or the one that names flavors. */
    private @Nullable List<CheckRule> checks(KueueVersion version, Mistakes mistakes) {
        List<CheckRule> rules = admissionChecksStrategy == null ? null : admissionChecksStrategy.admissionChecks();
        if (admissionChecks == null || admissionChecks.isEmpty()) {
            return rules;
        }
        if (version != KueueVersion.V1BETA1) {
            mistakes.add(
                    ProblemKind.UNKNOWN_FIELD,
                    "spec.admissionChecks",
                    null,
                    "is not known in " + version.apiVersion(),
                    List.of("spec.admissionChecksStrategy"));
        } else if (rules != null && !rules.isEmpty()) {
            mistakes.add("spec.admissionChecks", null, "must not stand beside admissionChecksStrategy");
        }
        return admissionChecks.stream().map(name -> new CheckRule(name, null)).toList();
    }

    /** A field that says nothing may stand; one that asks for something must not be dropped in silence. */
    static void unsupported(String field, @Nullable JsonNode value, Mistakes mistakes) {
        if (value != null && !value.isNull() && !(value.isContainerNode() && value.isEmpty())) {
            mistakes.add(
                    ProblemKind.UNSUPPORTED_FIELD,
                    "spec." + field,
                    value.toString(),
                    "is not supported yet",
                    List.of());
        }
    }

    private @Nullable NamespaceSelector namespaces(Mistakes mistakes) {
        if (namespaceSelector != null && namespaceSelector.matchNothing() != null) {
            mistakes.add(
                    ProblemKind.UNKNOWN_FIELD,
                    "spec.namespaceSelector.matchNothing",
                    null,
                    "is not known in Kueue's form, where leaving the selector out means that",
                    List.of());
        }
        return namespaceSelector == null ? null : namespaceSelector.selector("spec.", mistakes);
    }

    static KueueClusterQueue of(ClusterQueue queue) {
        ClusterQueueBody body = ClusterQueueBody.of(queue, null);
        NamespaceSelector namespaces = queue.namespaceSelector();
        return new KueueClusterQueue(
                KueueResourceGroup.of(queue.resourceGroups()),
                null,
                queue.cohort(),
                body.queueingStrategy(),
                namespaces == null ? null : LabelSelectorBody.asked(namespaces),
                body.flavorFungibility(),
                body.preemption(),
                null,
                body.admissionChecks() == null ? null : new ChecksStrategy(body.admissionChecks()),
                body.stopPolicy(),
                body.fairSharing(),
                body.admissionScope(),
                null);
    }
}
