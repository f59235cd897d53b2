package dev.sluice.api;

import dev.sluice.api.wire.FieldViolation;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.QuotaLines;
import dev.sluice.api.wire.Rejection;
import dev.sluice.overview.WorkloadReader;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.ConfigurationRules;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.Violation;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.ConfigurationCommands;
import dev.sluice.scheduling.ConfigurationKind;
import dev.sluice.scheduling.ConfigurationStore.ObjectVersion;
import dev.sluice.scheduling.ConfigurationStore.Stored;
import dev.sluice.workload.WorkloadState;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** Checks changes of the configuration against the whole of it, while nobody else can change it, and writes them. */
@Singleton
class ConfigurationEdits {
    private static final Set<WorkloadState> CHARGED =
            EnumSet.of(WorkloadState.RESERVED, WorkloadState.ADMITTED, WorkloadState.RUNNING, WorkloadState.EVICTING);

    private final ConfigurationCommands commands;
    private final CurrentConfiguration current;
    private final WorkloadReader workloads;

    ConfigurationEdits(ConfigurationCommands commands, CurrentConfiguration current, WorkloadReader workloads) {
        this.commands = commands;
        this.current = current;
        this.workloads = workloads;
    }

    /** @param before as it was when the change was checked */
    record Outcome(Configuration before, Stored after, List<Violation> warnings) {
        ChangeEffect effect(ConfigurationChange change) {
            boolean was = ConfigurationKeys.holds(before, change.kind(), change.key());
            boolean is = ConfigurationKeys.holds(after.configuration(), change.kind(), change.key());
            if (was && is) {
                return ConfigurationKeys.same(before, after.configuration(), change.kind(), change.key())
                        ? ChangeEffect.UNCHANGED
                        : ChangeEffect.CHANGED;
            }
            return is ? ChangeEffect.CREATED : was ? ChangeEffect.DELETED : ChangeEffect.UNCHANGED;
        }
    }

    enum ChangeEffect {
        CREATED,
        CHANGED,
        UNCHANGED,
        DELETED
    }

    /**
     * @param precondition throws if the configuration is not as the caller expects
     * @param place says where in what the caller sent a broken rule lies
     * @throws Rejection if a rule is broken; then nothing is written
     */
    Outcome apply(
            List<ConfigurationChange> changes,
            String author,
            boolean dryRun,
            Consumer<Stored> precondition,
            Function<Violation, FieldViolation> place) {
        if (dryRun) {
            return checked(current.fresh(), changes, precondition, place).outcome();
        }
        List<Outcome> outcomes = new ArrayList<>(1);
        Stored after = commands.edit(author, stored -> {
            Checked checked = checked(stored, changes, precondition, place);
            outcomes.add(checked.outcome());
            return checked.changes();
        });
        current.seen(after);
        Outcome last = outcomes.getLast();
        return new Outcome(last.before(), after, last.warnings());
    }

    private record Checked(List<ConfigurationChange> changes, Outcome outcome) {}

    private Checked checked(
            Stored stored,
            List<ConfigurationChange> changes,
            Consumer<Stored> precondition,
            Function<Violation, FieldViolation> place) {
        precondition.accept(stored);
        List<ConfigurationChange> all = withDefaultFlavor(changes, stored.configuration());
        Configuration after = ConfigurationChange.applied(stored.configuration(), all);
        ConfigurationRules.Findings findings = ConfigurationRules.check(stored.configuration(), after);
        refuse(findings.violations(), place);
        refuseDeletionInUse(changes, stored.configuration());
        return new Checked(
                all, new Outcome(stored.configuration(), new Stored(after, stored.versions()), findings.warnings()));
    }

    private static void refuse(List<Violation> violations, Function<Violation, FieldViolation> place) {
        if (!violations.isEmpty()) {
            Violation first = violations.getFirst();
            throw new Rejection(
                    ProblemKind.INVALID_CONFIGURATION,
                    first.object() + ": " + first.field() + " " + first.rule() + ".",
                    violations.stream().limit(20).map(place).toList());
        }
    }

    /** A line that names no flavor uses the flavor {@code default}, which comes into being with it. */
    private static List<ConfigurationChange> withDefaultFlavor(
            List<ConfigurationChange> changes, Configuration configuration) {
        boolean named = changes.stream()
                .flatMap(ConfigurationEdits::groups)
                .flatMap(group -> group.flavors().stream())
                .anyMatch(flavor -> flavor.flavor().equals(QuotaLines.DEFAULT_FLAVOR));
        boolean there = configuration.resourceFlavors().containsKey(QuotaLines.DEFAULT_FLAVOR)
                || changes.stream()
                        .anyMatch(change -> change.kind() == ConfigurationKind.RESOURCE_FLAVOR
                                && change.key().equals(QuotaLines.DEFAULT_FLAVOR));
        if (!named || there) {
            return changes;
        }
        List<ConfigurationChange> all = new ArrayList<>(changes.size() + 1);
        all.add(new ConfigurationChange.PutResourceFlavor(
                new ResourceFlavor(QuotaLines.DEFAULT_FLAVOR, Map.of(), List.of(), List.of(), null)));
        all.addAll(changes);
        return all;
    }

    private static Stream<ResourceGroup> groups(ConfigurationChange change) {
        return switch (change) {
            case ConfigurationChange.PutClusterQueue put -> put.clusterQueue().resourceGroups().stream();
            case ConfigurationChange.PutCohort put -> put.cohort().resourceGroups().stream();
            case ConfigurationChange.PutLocalQueue put -> Stream.of();
            case ConfigurationChange.PutResourceFlavor put -> Stream.of();
            case ConfigurationChange.PutWorkloadPriorityClass put -> Stream.of();
            case ConfigurationChange.PutTeam put -> Stream.of();
            case ConfigurationChange.PutDeviceClass put -> Stream.of();
            case ConfigurationChange.PutAdmissionCheck put -> Stream.of();
            case ConfigurationChange.Delete delete -> Stream.of();
        };
    }

    /** Quota that is in use must not vanish from the books: the queue stays until what it was charged has ended. */
    private void refuseDeletionInUse(List<ConfigurationChange> changes, Configuration before) {
        for (ConfigurationChange change : changes) {
            if (change instanceof ConfigurationChange.Delete(ConfigurationKind kind, String key)
                    && kind == ConfigurationKind.CLUSTER_QUEUE
                    && before.clusterQueues().containsKey(key)) {
                long charged = charged(key);
                if (charged > 0) {
                    throw new Rejection(
                            ProblemKind.IN_USE,
                            "ClusterQueue " + key + " has " + charged + (charged == 1 ? " workload" : " workloads")
                                    + " that hold quota. Set stopPolicy to HoldAndDrain, and delete it when they are gone.",
                            List.of(new FieldViolation(
                                    "name", key, "must have no workload that holds quota", List.of())));
                }
            }
        }
    }

    private long charged(String clusterQueue) {
        return workloads
                .counts(new WorkloadReader.Filter(null, clusterQueue, null, List.of(), null, null, null))
                .entrySet()
                .stream()
                .filter(entry -> CHARGED.contains(entry.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Changes with every edit of the specification, and with nothing else; another after deletion and creation anew. */
    static String tag(ObjectVersion version) {
        return "\"" + version.generation() + "-"
                + Long.toString(version.createdAt().toEpochMilli(), 36) + "\"";
    }
}
