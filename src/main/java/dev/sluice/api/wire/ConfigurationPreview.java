package dev.sluice.api.wire;

import dev.sluice.api.wire.ConfigurationDifference.FieldDifference;
import java.util.List;

/**
 * What a change of the configuration would do.
 *
 * @param result {@code created}, {@code changed}, {@code unchanged} or {@code deleted}
 * @param decisions what the engine would decide at once, at most a hundred of them
 * @param decisionCount how many it would decide in all
 * @param overcommitted lines that would be used above what their queue may ever use
 * @param neverAdmitted waiting workloads that could never start any more, and could before; at most a hundred
 */
public record ConfigurationPreview(
        String result,
        List<FieldDifference> difference,
        List<FieldViolation> warnings,
        List<DecisionPreview> decisions,
        int decisionCount,
        List<LinePreview> overcommitted,
        List<String> neverAdmitted) {
    /** @param decision such as {@code ADMIT} */
    public record DecisionPreview(String decision, String workload, String name, String detail) {}

    public record LinePreview(String clusterQueue, String flavor, String key, String overcommitted) {}
}
