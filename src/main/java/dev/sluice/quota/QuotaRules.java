package dev.sluice.quota;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rules of the resource groups of one ClusterQueue or Cohort (Kueue's limits and its webhook's checks). */
final class QuotaRules {
    private static final int GROUPS_MAX = 16;
    private static final int PER_GROUP_MAX = 64;
    private static final int TOTAL_MAX = 256;

    private final String object;
    private final String parentField;
    private final @Nullable String parent;
    private final boolean lendingWithinNominal;
    private final List<ResourceGroup> groups;
    private final List<Violation> violations;
    private final Map<String, Integer> groupOfResource = new HashMap<>();
    private final Map<String, Integer> groupOfFlavor = new HashMap<>();

    /** @param lendingWithinNominal a queue cannot lend more than it owns; a cohort may, since its members' quota counts too */
    QuotaRules(
            String object,
            String parentField,
            @Nullable String parent,
            boolean lendingWithinNominal,
            List<ResourceGroup> groups,
            List<Violation> violations) {
        this.object = object;
        this.parentField = parentField;
        this.parent = parent;
        this.lendingWithinNominal = lendingWithinNominal;
        this.groups = groups;
        this.violations = violations;
    }

    void check() {
        limit("resourceGroups", groups.size(), GROUPS_MAX);
        limit(
                "coveredResources",
                groups.stream()
                        .mapToInt(group -> group.coveredResources().size())
                        .sum(),
                TOTAL_MAX);
        limit(
                "flavors",
                groups.stream().mapToInt(group -> group.flavors().size()).sum(),
                TOTAL_MAX);
        for (int index = 0; index < groups.size(); index++) {
            checkGroup(index, groups.get(index));
        }
    }

    private void checkGroup(int index, ResourceGroup group) {
        limit("coveredResources", group.coveredResources().size(), PER_GROUP_MAX);
        limit("flavors", group.flavors().size(), PER_GROUP_MAX);
        if (group.coveredResources().isEmpty()) {
            refuse(null, "coveredResources", null, "must name at least one resource");
        }
        if (group.flavors().isEmpty()) {
            refuse(null, "flavors", null, "must name at least one flavor");
        }
        for (String resource : group.coveredResources()) {
            if (!KubernetesNames.isResource(resource)) {
                refuse(null, "resource", resource, KubernetesNames.RESOURCE_RULE);
            }
            if (groupOfResource.putIfAbsent(resource, index) != null) {
                refuse(null, "resource", resource, "must stand in one resource group only, and there once");
            }
        }
        for (FlavorQuotas quotas : group.flavors()) {
            if (!KubernetesNames.isSubdomain(quotas.flavor())) {
                refuse(null, "flavor", quotas.flavor(), KubernetesNames.SUBDOMAIN_RULE);
            }
            if (groupOfFlavor.putIfAbsent(quotas.flavor(), index) != null) {
                refuse(null, "flavor", quotas.flavor(), "must stand in one resource group only, and there once");
            }
            checkFlavor(group, quotas);
        }
    }

    private void checkFlavor(ResourceGroup group, FlavorQuotas quotas) {
        Set<String> listed = new HashSet<>();
        for (ResourceQuota quota : quotas.resources()) {
            Violation.Line line = new Violation.Line(quotas.flavor(), quota.resource());
            if (!listed.add(quota.resource())) {
                refuse(line, "resource", quota.resource(), "must have one line in flavor " + quotas.flavor());
            } else if (!group.coveredResources().contains(quota.resource())) {
                refuse(
                        line,
                        "resource",
                        quota.resource(),
                        "must be one of the group's covered resources: " + String.join(", ", group.coveredResources()));
            }
            checkAmounts(line, quota);
        }
        for (String covered : group.coveredResources()) {
            if (!listed.contains(covered)) {
                refuse(
                        new Violation.Line(quotas.flavor(), covered),
                        "resource",
                        null,
                        "is missing: flavor " + quotas.flavor() + " must have a line for " + covered
                                + ", which its group covers (nominal 0 if it owns none)");
            }
        }
    }

    private void checkAmounts(Violation.Line line, ResourceQuota quota) {
        checkAmount(line, "nominal", quota.nominal());
        Quantity borrowing = quota.borrowingLimit();
        if (borrowing != null) {
            checkAmount(line, "borrowingLimit", borrowing);
            if (parent == null) {
                refuse(line, "borrowingLimit", borrowing.toString(), "must be left out without a " + parentField);
            }
        }
        Quantity lending = quota.lendingLimit();
        if (lending != null) {
            checkAmount(line, "lendingLimit", lending);
            if (parent == null) {
                refuse(line, "lendingLimit", lending.toString(), "must be left out without a " + parentField);
            } else if (lendingWithinNominal && lending.compareTo(quota.nominal()) > 0) {
                refuse(
                        line,
                        "lendingLimit",
                        lending.toString(),
                        "must be at most nominal, which is " + quota.nominal());
            }
        }
    }

    private void checkAmount(Violation.Line line, String field, Quantity amount) {
        String rule = Resources.ruleBrokenBy(line.resource(), amount);
        if (rule != null) {
            refuse(line, field, amount.toString(), rule);
        }
    }

    private void limit(String field, int count, int max) {
        if (count > max) {
            refuse(null, field, Integer.toString(count), "must be at most " + max);
        }
    }

    private void refuse(Violation.@Nullable Line line, String field, @Nullable String value, String rule) {
        violations.add(new Violation(object, line, field, value, rule, List.of()));
    }
}
