package dev.sluice.topology;

import dev.sluice.quota.Taint;
import dev.sluice.quota.Toleration;
import dev.sluice.workload.PodSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Kubernetes' rules of which labels and taints a pod goes with. */
public final class NodeMatching {
    private NodeMatching() {}

    /** The first taint that keeps pods away and that none of the tolerations covers; null = none. */
    public static @Nullable Taint untolerated(List<Taint> taints, List<Toleration> tolerations) {
        for (Taint taint : taints) {
            if (taint.repels() && tolerations.stream().noneMatch(toleration -> toleration.tolerates(taint))) {
                return taint;
            }
        }
        return null;
    }

    /**
     * Whether labels satisfy a pod set's node selector and one of its affinity terms.
     *
     * @param considered keys that count; requirements on other keys are left out, and a term that loses all of its
     *     requirements matches everything
     */
    public static boolean matches(PodSet podSet, Map<String, String> labels, Predicate<String> considered) {
        for (Map.Entry<String, String> selected : podSet.nodeSelector().entrySet()) {
            if (considered.test(selected.getKey()) && !selected.getValue().equals(labels.get(selected.getKey()))) {
                return false;
            }
        }
        if (podSet.affinityTerms().isEmpty()) {
            return true;
        }
        List<List<PodSet.Requirement>> terms = new ArrayList<>();
        for (PodSet.AffinityTerm term : podSet.affinityTerms()) {
            List<PodSet.Requirement> kept = term.requirements().stream()
                    .filter(requirement -> considered.test(requirement.key()))
                    .toList();
            if (kept.isEmpty()) {
                return true;
            }
            terms.add(kept);
        }
        return terms.stream().anyMatch(term -> term.stream().allMatch(requirement -> holds(requirement, labels)));
    }

    private static boolean holds(PodSet.Requirement requirement, Map<String, String> labels) {
        String value = labels.get(requirement.key());
        return switch (requirement.operator()) {
            case "In" -> value != null && requirement.values().contains(value);
            case "NotIn" -> value == null || !requirement.values().contains(value);
            case "Exists" -> value != null;
            case "DoesNotExist" -> value == null;
            case "Gt" -> compares(requirement, value, 1);
            case "Lt" -> compares(requirement, value, -1);
            default -> false;
        };
    }

    private static boolean compares(PodSet.Requirement requirement, @Nullable String value, int sign) {
        if (value == null || requirement.values().size() != 1) {
            return false;
        }
        OptionalLong left = number(value);
        OptionalLong right = number(requirement.values().getFirst());
        return left.isPresent()
                && right.isPresent()
                && Integer.signum(Long.compare(left.getAsLong(), right.getAsLong())) == sign;
    }

    private static OptionalLong number(String text) {
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }
}
