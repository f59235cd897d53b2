package dev.sluice.quota;

import dev.sluice.quota.LabelRequirement.Operator;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a configuration must obey as a whole, asked before a change of it is committed. Kueue's validation, plus what Kueue
 * leaves to run time: a cycle of cohorts is refused here, and so is deleting a flavor that is still named.
 *
 * <p>A queue may name a flavor, and a LocalQueue a ClusterQueue, that does not exist yet; that only warns, since the queue
 * is inactive until it does.
 */
public final class ConfigurationRules {
    private final Configuration before;
    private final Configuration after;
    private final List<Violation> violations = new ArrayList<>();
    private final List<Violation> warnings = new ArrayList<>();

    private ConfigurationRules(Configuration before, Configuration after) {
        this.before = before;
        this.after = after;
    }

    /** @param violations empty = {@code after} may be committed */
    public record Findings(List<Violation> violations, List<Violation> warnings) {
        public Findings {
            violations = List.copyOf(violations);
            warnings = List.copyOf(warnings);
        }
    }

    /** Objects that did not change are not checked again, except where they hang together with those that did. */
    public static Findings check(Configuration before, Configuration after) {
        ConfigurationRules rules = new ConfigurationRules(before, after);
        rules.checkCohorts();
        rules.checkClusterQueues();
        rules.checkLocalQueues();
        rules.checkFlavors();
        rules.checkClassesAndTeams();
        rules.checkOneLinePerDevice();
        rules.warnings.addAll(UnitScales.warnings(after));
        return new Findings(rules.violations, rules.warnings);
    }

    private void checkCohorts() {
        after.cohorts().forEach((name, cohort) -> {
            if (cohort.equals(before.cohorts().get(name))) {
                return;
            }
            String object = "cohorts/" + name;
            checkSubdomain(object, "name", name);
            checkSubdomain(object, "parent", cohort.parent());
            checkWeight(object, cohort.weight());
            new QuotaRules(object, "parent", cohort.parent(), false, cohort.resourceGroups(), violations).check();
            warnOfFlavors(object, cohort.resourceGroups());
        });
        checkCycles();
    }

    /** Every cycle is told once, at the cohort of it that changed, or else at its first by name. */
    private void checkCycles() {
        Set<String> seen = new HashSet<>();
        for (String start : after.cohorts().keySet()) {
            LinkedHashSet<String> path = new LinkedHashSet<>();
            String at = start;
            while (at != null && path.add(at) && !seen.contains(at)) {
                Cohort cohort = after.cohorts().get(at);
                at = cohort == null ? null : cohort.parent();
            }
            if (at != null && !seen.contains(at)) {
                tellCycle(List.copyOf(path).subList(List.copyOf(path).indexOf(at), path.size()));
            }
            seen.addAll(path);
        }
    }

    private void tellCycle(List<String> cycle) {
        String culprit = cycle.stream()
                .filter(name -> !Objects.equals(
                        after.cohorts().get(name), before.cohorts().get(name)))
                .findFirst()
                .orElse(cycle.getFirst());
        List<String> inOrder = new ArrayList<>(cycle.subList(cycle.indexOf(culprit), cycle.size()));
        inOrder.addAll(cycle.subList(0, cycle.indexOf(culprit)));
        inOrder.add(culprit);
        Cohort cohort = Objects.requireNonNull(after.cohorts().get(culprit));
        violations.add(new Violation(
                "cohorts/" + culprit,
                null,
                "parent",
                cohort.parent(),
                "must not close a cycle of cohorts: " + String.join(" → ", inOrder),
                List.of()));
    }

    private void checkClusterQueues() {
        after.clusterQueues().forEach((name, queue) -> {
            if (queue.equals(before.clusterQueues().get(name))) {
                return;
            }
            String object = "cluster-queues/" + name;
            checkSubdomain(object, "name", name);
            checkSubdomain(object, "cohort", queue.cohort());
            checkWeight(object, queue.weight());
            new QuotaRules(object, "cohort", queue.cohort(), true, queue.resourceGroups(), violations).check();
            checkPreemption(object, queue.preemption());
            checkFungibility(object, queue.flavorFungibility());
            if (queue.namespaceSelector() != null) {
                checkNamespaces(object, queue.namespaceSelector());
            }
            if (queue.admissionChecks().size() > 64) {
                refuse(
                        object,
                        "admissionChecks",
                        Integer.toString(queue.admissionChecks().size()),
                        "must be at most 64");
            }
            warnOfFlavors(object, queue.resourceGroups());
            if (queue.team() != null) {
                checkSubdomain(object, "team", queue.team());
                if (!after.teams().containsKey(queue.team())) {
                    warn(
                            object,
                            "team",
                            queue.team(),
                            "names no configured team",
                            after.teams().keySet());
                }
            }
        });
    }

    private void checkPreemption(String object, PreemptionPolicy preemption) {
        if (preemption.borrowWithinCohort().allowed()
                && preemption.reclaimWithinCohort() == PreemptionPolicy.ReclaimWithinCohort.NEVER) {
            refuse(
                    object,
                    "preemption.borrowWithinCohort.policy",
                    "LowerPriority",
                    "must be Never while preemption.reclaimWithinCohort is Never");
        }
        if (!preemption.borrowWithinCohort().allowed()
                && preemption.borrowWithinCohort().maxPriorityThreshold() != null) {
            refuse(
                    object,
                    "preemption.borrowWithinCohort.maxPriorityThreshold",
                    preemption.borrowWithinCohort().maxPriorityThreshold().toString(),
                    "has no meaning while preemption.borrowWithinCohort.policy is Never");
        }
    }

    private void checkFungibility(String object, FlavorFungibility fungibility) {
        boolean bothTryNext = fungibility.whenCanBorrow() == FlavorFungibility.Search.TRY_NEXT_FLAVOR
                && fungibility.whenCanPreempt() == FlavorFungibility.Search.TRY_NEXT_FLAVOR;
        if (fungibility.preference() == FlavorFungibility.Preference.PREEMPTION_OVER_BORROWING && !bothTryNext) {
            refuse(
                    object,
                    "flavorFungibility.preference",
                    "PreemptionOverBorrowing",
                    "is allowed only if whenCanBorrow and whenCanPreempt are both TryNextFlavor");
        }
    }

    private void checkLocalQueues() {
        after.localQueues().forEach((key, queue) -> {
            LocalQueue old = before.localQueues().get(key);
            if (queue.equals(old)) {
                return;
            }
            String object = "local-queues/" + key;
            if (!KubernetesNames.isLabel(queue.namespace())) {
                refuse(object, "namespace", queue.namespace(), KubernetesNames.LABEL_RULE);
            }
            checkSubdomain(object, "name", queue.name());
            checkSubdomain(object, "clusterQueue", queue.clusterQueue());
            checkWeight(object, queue.weight());
            if (old != null && !old.clusterQueue().equals(queue.clusterQueue())) {
                violations.add(new Violation(
                        object,
                        null,
                        "clusterQueue",
                        queue.clusterQueue(),
                        "cannot change after creation (it is " + old.clusterQueue() + "); delete the LocalQueue first",
                        List.of(old.clusterQueue())));
            } else if (!after.clusterQueues().containsKey(queue.clusterQueue())) {
                warn(
                        object,
                        "clusterQueue",
                        queue.clusterQueue(),
                        "names no configured ClusterQueue; the LocalQueue is inactive until it exists",
                        after.clusterQueues().keySet());
            }
        });
    }

    private void checkFlavors() {
        after.resourceFlavors().forEach((name, flavor) -> {
            if (!flavor.equals(before.resourceFlavors().get(name))) {
                FlavorRules.check(flavor, violations);
            }
        });
        for (String gone : before.resourceFlavors().keySet()) {
            if (!after.resourceFlavors().containsKey(gone)) {
                SortedSet<String> users = usersOf(gone);
                if (!users.isEmpty()) {
                    refuse("resource-flavors/" + gone, "name", gone, "is still named by " + String.join(", ", users));
                }
            }
        }
    }

    private SortedSet<String> usersOf(String flavor) {
        SortedSet<String> users = new TreeSet<>();
        after.clusterQueues().forEach((name, queue) -> {
            if (names(queue.resourceGroups(), flavor)) {
                users.add("cluster-queues/" + name);
            }
        });
        after.cohorts().forEach((name, cohort) -> {
            if (names(cohort.resourceGroups(), flavor)) {
                users.add("cohorts/" + name);
            }
        });
        return users;
    }

    private static boolean names(List<ResourceGroup> groups, String flavor) {
        return groups.stream()
                .flatMap(group -> group.flavors().stream())
                .anyMatch(quotas -> quotas.flavor().equals(flavor));
    }

    private void warnOfFlavors(String object, List<ResourceGroup> groups) {
        for (ResourceGroup group : groups) {
            for (FlavorQuotas quotas : group.flavors()) {
                if (!after.resourceFlavors().containsKey(quotas.flavor())) {
                    warn(
                            object,
                            "flavor",
                            quotas.flavor(),
                            "names no configured ResourceFlavor; the queue is inactive until it exists",
                            after.resourceFlavors().keySet());
                }
            }
        }
    }

    private void checkClassesAndTeams() {
        after.priorityClasses().keySet().forEach(name -> {
            if (!before.priorityClasses().containsKey(name)) {
                checkSubdomain("workload-priority-classes/" + name, "name", name);
            }
        });
        after.teams().forEach((name, team) -> {
            checkSubdomain("teams/" + name, "name", name);
            for (int index = 0; index < team.namespaces().size(); index++) {
                String namespace = team.namespaces().get(index);
                if (!KubernetesNames.isLabel(namespace)) {
                    refuse("teams/" + name, "namespaces[" + index + "]", namespace, KubernetesNames.LABEL_RULE);
                }
            }
        });
        after.deviceClasses().forEach((name, deviceClass) -> {
            checkSubdomain("device-classes/" + name, "name", name);
            String extended = deviceClass.extendedResourceName();
            if (extended != null && (!KubernetesNames.isLabelKey(extended) || extended.indexOf('/') < 0)) {
                refuse(
                        "device-classes/" + name,
                        "extendedResourceName",
                        extended,
                        "must be an extended resource name with a domain, such as nvidia.com/gpu");
            }
        });
    }

    /** A device must not be counted on two lines: under its extended resource name, and under its class. */
    private void checkOneLinePerDevice() {
        DeviceResources devices = DeviceResources.of(after);
        after.clusterQueues()
                .forEach((name, queue) -> checkLines(devices, "cluster-queues/" + name, queue.resourceGroups()));
        after.cohorts().forEach((name, cohort) -> checkLines(devices, "cohorts/" + name, cohort.resourceGroups()));
    }

    private void checkLines(DeviceResources devices, String object, List<ResourceGroup> groups) {
        for (ResourceGroup group : groups) {
            for (FlavorQuotas quotas : group.flavors()) {
                for (ResourceQuota line : quotas.resources()) {
                    String quotaKey = devices.quotaKey(line.resource());
                    if (!quotaKey.equals(line.resource())) {
                        violations.add(new Violation(
                                object,
                                new Violation.Line(quotas.flavor(), line.resource()),
                                "resource",
                                line.resource(),
                                "is served by a DeviceClass, so its quota must be written as " + quotaKey,
                                List.of(quotaKey)));
                    }
                }
            }
        }
    }

    private void checkSubdomain(String object, String field, @Nullable String name) {
        if (name != null && !KubernetesNames.isSubdomain(name)) {
            refuse(object, field, name, KubernetesNames.SUBDOMAIN_RULE);
        }
    }

    private void checkNamespaces(String object, NamespaceSelector selector) {
        selector.matchLabels().forEach((key, value) -> checkLabel(object, "namespaceSelector.matchLabels", key, value));
        for (int index = 0; index < selector.matchExpressions().size(); index++) {
            LabelRequirement expression = selector.matchExpressions().get(index);
            String field = "namespaceSelector.matchExpressions[" + index + "]";
            if (!KubernetesNames.isLabelKey(expression.key())) {
                refuse(object, field + ".key", expression.key(), KubernetesNames.LABEL_KEY_RULE);
            }
            boolean valued = expression.operator() == Operator.IN || expression.operator() == Operator.NOT_IN;
            if (valued == expression.values().isEmpty()) {
                refuse(
                        object,
                        field + ".values",
                        String.join(", ", expression.values()),
                        valued
                                ? "must have at least one value with In and NotIn"
                                : "must be left out with this operator");
            }
            for (String value : expression.values()) {
                if (!KubernetesNames.isLabelValue(value)) {
                    refuse(object, field + ".values", value, KubernetesNames.LABEL_VALUE_RULE);
                }
            }
        }
    }

    private void checkLabel(String object, String field, String key, String value) {
        if (!KubernetesNames.isLabelKey(key)) {
            refuse(object, field, key, KubernetesNames.LABEL_KEY_RULE);
        }
        if (!KubernetesNames.isLabelValue(value)) {
            refuse(object, field + "." + key, value, KubernetesNames.LABEL_VALUE_RULE);
        }
    }

    private void checkWeight(String object, Quantity weight) {
        if (weight.isNegative()) {
            refuse(object, "fairSharing.weight", weight.toString(), "must not be negative");
        } else if (weight.value().signum() > 0
                && weight.value().compareTo(Quantity.parse("1n").value()) <= 0) {
            refuse(object, "fairSharing.weight", weight.toString(), "must be 0 or greater than 1n (1e-9)");
        }
    }

    private void refuse(String object, String field, String value, String rule) {
        violations.add(new Violation(object, null, field, value, rule, List.of()));
    }

    private void warn(String object, String field, String value, String rule, Set<String> valid) {
        warnings.add(new Violation(object, null, field, value, rule, NearestNames.of(value, valid)));
    }
}
