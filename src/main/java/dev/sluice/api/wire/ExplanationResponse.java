package dev.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sluice.admission.Explanation;
import dev.sluice.admission.Explanation.FlavorFinding;
import dev.sluice.admission.Explanation.Holder;
import dev.sluice.admission.Explanation.PreemptionFinding;
import dev.sluice.admission.WaitReason;
import dev.sluice.api.wire.WorkloadResponse.PodSetAdmission;
import dev.sluice.quota.Resources;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadId;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the engine says of one workload now.
 *
 * @param reason code of why it waits; null = it does not
 * @param summary one sentence
 * @param admission what it gets, or has, perhaps fewer pods than it asks for; null = nothing now
 * @param position 1 = first; null = it does not wait
 * @param expectedStart null = not known
 */
public record ExplanationResponse(
        String verdict,
        @Nullable String reason,
        String summary,
        List<RequirementResponse> requirements,
        List<VictimResponse> victims,
        @Nullable List<PodSetAdmission> admission,
        @Nullable Integer position,
        List<String> ahead,
        @Nullable ExpectedStart expectedStart,
        List<ChangeResponse> wouldRunIf) {
    public record RequirementResponse(String key, String needed, List<FlavorResponse> flavors) {}

    /**
     * @param fit {@code YES}, {@code BY_PREEMPTING} or {@code NO}
     * @param mismatch what keeps the pods off this flavor; null = nothing
     */
    public record FlavorResponse(
            String flavor,
            String fit,
            String nominal,
            String used,
            String available,
            String borrowable,
            @JsonProperty("short") String shortBy,
            @Nullable String mismatch,
            List<HolderResponse> blockedBy,
            PreemptionResponse preemption) {}

    /** @param until null = not known */
    public record HolderResponse(
            String workload,
            String queue,
            String amount,
            @Nullable String until) {}

    public record PreemptionResponse(
            boolean possible,
            @Nullable String why,
            @Nullable String until) {}

    public record VictimResponse(String workload, String reason) {}

    public record ExpectedStart(String p50, String p90) {}

    public record ChangeResponse(String change, List<String> wouldPreempt) {}

    /** @param sentence says a wait reason in words */
    public static ExplanationResponse of(Explanation explanation, Function<WaitReason, String> sentence) {
        WaitReason reason = explanation.reason();
        return new ExplanationResponse(
                explanation.verdict().name(),
                reason == null ? null : reason.code(),
                summary(explanation, sentence),
                explanation.requirements().stream()
                        .map(requirement -> new RequirementResponse(
                                requirement.resource(),
                                Resources.format(requirement.resource(), requirement.needed()),
                                requirement.flavors().stream()
                                        .map(flavor -> flavor(requirement.resource(), flavor))
                                        .toList()))
                        .toList(),
                explanation.victims().stream()
                        .map(victim -> new VictimResponse(
                                victim.workload().value(), victim.reason().code()))
                        .toList(),
                admission(explanation.assignment()),
                explanation.position() == 0 ? null : explanation.position(),
                explanation.ahead().stream().map(WorkloadId::value).toList(),
                null,
                explanation.wouldRunIf().stream()
                        .map(change -> new ChangeResponse(
                                change.change(),
                                change.wouldPreempt().stream()
                                        .map(WorkloadId::value)
                                        .toList()))
                        .toList());
    }

    private static @Nullable List<PodSetAdmission> admission(@Nullable Assignment assignment) {
        return assignment == null
                ? null
                : assignment.podSets().stream()
                        .map(podSet -> new PodSetAdmission(podSet.name(), podSet.count(), podSet.flavors()))
                        .toList();
    }

    private static String summary(Explanation explanation, Function<WaitReason, String> sentence) {
        return switch (explanation.verdict()) {
            case ADMIT -> "Fits now and starts at once.";
            case ADMIT_BY_PREEMPTING ->
                "Starts as soon as " + explanation.victims().size()
                        + (explanation.victims().size() == 1 ? " workload has" : " workloads have") + " made room.";
            case WAIT, NEVER ->
                explanation.reason() == null ? "Waits for its turn." : sentence.apply(explanation.reason());
        };
    }

    private static FlavorResponse flavor(String resource, FlavorFinding finding) {
        return new FlavorResponse(
                finding.flavor(),
                finding.fits() ? "YES" : finding.preemption().possible() ? "BY_PREEMPTING" : "NO",
                Resources.format(resource, finding.nominal()),
                Resources.format(resource, finding.used()),
                Resources.format(resource, finding.available()),
                Resources.format(resource, finding.borrowable()),
                Resources.format(resource, finding.shortBy()),
                finding.mismatch(),
                finding.blockedBy().stream()
                        .map(holder -> holder(resource, holder))
                        .toList(),
                preemption(finding.preemption()));
    }

    private static PreemptionResponse preemption(PreemptionFinding finding) {
        return new PreemptionResponse(
                finding.possible(),
                finding.why(),
                finding.until() == null ? null : finding.until().toString());
    }

    private static HolderResponse holder(String resource, Holder holder) {
        return new HolderResponse(
                holder.workload().value(), holder.clusterQueue(), Resources.format(resource, holder.amount()), null);
    }
}
