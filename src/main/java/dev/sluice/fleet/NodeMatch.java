package dev.sluice.fleet;

import dev.sluice.quota.Taint;
import dev.sluice.workload.Assignment.PodSetAssignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.PodSet.AffinityTerm;
import dev.sluice.workload.PodSet.Requirement;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whether pods may run on a node: node selector, required affinity and taints as in Kubernetes, and the flavor they got. */
final class NodeMatch {
    private NodeMatch() {}

    static boolean matches(FleetNode node, PodSet podSet, PodSetAssignment given) {
        Map<String, String> labels = node.labels();
        String flavor = labels.get(FleetNode.FLAVOR_LABEL);
        return (flavor == null || given.flavors().containsValue(flavor))
                && podSet.nodeSelector().entrySet().stream()
                        .allMatch(wanted -> wanted.getValue().equals(labels.get(wanted.getKey())))
                && (podSet.affinityTerms().isEmpty()
                        || podSet.affinityTerms().stream().anyMatch(term -> holds(term, labels)))
                && node.taints().stream().noneMatch(taint -> repels(taint, podSet));
    }

    private static boolean repels(Taint taint, PodSet podSet) {
        return taint.repels() && podSet.tolerations().stream().noneMatch(toleration -> toleration.tolerates(taint));
    }

    private static boolean holds(AffinityTerm term, Map<String, String> labels) {
        return term.requirements().stream().allMatch(requirement -> holds(requirement, labels));
    }

    private static boolean holds(Requirement requirement, Map<String, String> labels) {
        String value = labels.get(requirement.key());
        return switch (requirement.operator()) {
            case "In" -> value != null && requirement.values().contains(value);
            case "NotIn" -> value == null || !requirement.values().contains(value);
            case "Exists" -> value != null;
            case "DoesNotExist" -> value == null;
            case "Gt" -> compare(value, requirement) > 0;
            case "Lt" -> compare(value, requirement) < 0;
            default -> throw new IllegalArgumentException("no node affinity operator " + requirement.operator());
        };
    }

    /** 0 when one of the two is no number, so that neither {@code Gt} nor {@code Lt} holds. */
    private static int compare(@Nullable String value, Requirement requirement) {
        if (value == null || requirement.values().size() != 1) {
            return 0;
        }
        try {
            return Long.compare(
                    Long.parseLong(value), Long.parseLong(requirement.values().getFirst()));
        } catch (NumberFormatException notNumbers) {
            return 0;
        }
    }
}
