package dev.sluice.platform.demo;

import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Cohort;
import dev.sluice.quota.FlavorFungibility;
import dev.sluice.quota.FlavorQuotas;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.NamespaceSelector;
import dev.sluice.quota.PreemptionPolicy;
import dev.sluice.quota.PreemptionPolicy.BorrowWithinCohort;
import dev.sluice.quota.PreemptionPolicy.ReclaimWithinCohort;
import dev.sluice.quota.PreemptionPolicy.WithinClusterQueue;
import dev.sluice.quota.Quantity;
import dev.sluice.quota.QueueingStrategy;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.quota.ResourceQuota;
import dev.sluice.quota.StopPolicy;
import dev.sluice.quota.Team;
import dev.sluice.quota.WorkloadPriorityClass;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.Submission;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Three teams that share 40 GPUs in one cohort: serving owns 20, lends 12 of them and calls them back from anybody; batch owns 12,
 * research 8. Each team's queue and namespace have its name.
 */
final class ThreeTeams {
    static final String GPU = "nvidia.com/gpu";
    static final String CALLER = "demo";
    static final List<String> TEAMS = List.of("serving", "batch", "research");

    private static final String FLAVOR = "default";
    private static final String COHORT = "company";

    private ThreeTeams() {}

    /** Idempotent: putting what is there already changes nothing. */
    static List<ConfigurationChange> configuration() {
        List<ConfigurationChange> changes = new ArrayList<>();
        changes.add(new ConfigurationChange.PutResourceFlavor(
                new ResourceFlavor(FLAVOR, Map.of(), List.of(), List.of(), null)));
        changes.add(new ConfigurationChange.PutCohort(new Cohort(COHORT, null, List.of(), Quantity.of(1))));
        changes.add(priorityClass("serving", 1000, "Answers people who wait"));
        changes.add(priorityClass("batch", 100, "Has to be done by the morning"));
        changes.add(priorityClass("experiment", 10, "Runs when there is room"));
        for (String team : TEAMS) {
            changes.add(new ConfigurationChange.PutTeam(new Team(team, "", List.of(team))));
        }
        PreemptionPolicy callsBack =
                new PreemptionPolicy(WithinClusterQueue.NEVER, ReclaimWithinCohort.ANY, BorrowWithinCohort.NEVER);
        changes.add(queue("serving", 20, 12L, callsBack));
        changes.add(queue("batch", 12, null, PreemptionPolicy.NEVER));
        changes.add(queue("research", 8, null, PreemptionPolicy.NEVER));
        for (String team : TEAMS) {
            changes.add(new ConfigurationChange.PutLocalQueue(
                    new LocalQueue(team, team, team, StopPolicy.NONE, Quantity.of(1))));
        }
        return changes;
    }

    /** Ten jobs of research, two GPUs each. */
    static List<Submission> sweeps(String round, Duration runsFor) {
        return numbered(
                "research", "sweep-" + round, 10, "experiment", 10, PodSet.of("main", 1, Map.of(GPU, 2L)), runsFor);
    }

    /** Ten jobs of batch, two GPUs each. */
    static List<Submission> evaluations(String round, Duration runsFor) {
        return numbered("batch", "eval-" + round, 10, "batch", 100, PodSet.of("main", 1, Map.of(GPU, 2L)), runsFor);
    }

    /** Five groups of serving, two replicas of two GPUs each. */
    static List<Submission> chats(String round, Duration runsFor) {
        return numbered(
                "serving", "chat-" + round, 5, "serving", 1000, PodSet.of("replicas", 2, Map.of(GPU, 2L)), runsFor);
    }

    private static List<Submission> numbered(
            String team,
            String prefix,
            int count,
            String priorityClass,
            int priority,
            PodSet podSet,
            Duration runsFor) {
        List<Submission> submissions = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            String name = "%s-%02d".formatted(prefix, number);
            submissions.add(new Submission(
                    new WorkloadId(UUID.randomUUID().toString()),
                    name,
                    team,
                    team,
                    priorityClass,
                    priority,
                    List.of(podSet),
                    runsFor,
                    null,
                    null,
                    CALLER,
                    null,
                    name));
        }
        return submissions;
    }

    private static ConfigurationChange priorityClass(String name, int value, String description) {
        return new ConfigurationChange.PutWorkloadPriorityClass(new WorkloadPriorityClass(name, value, description));
    }

    private static ConfigurationChange queue(
            String team, long nominal, @Nullable Long lendingLimit, PreemptionPolicy preemption) {
        ResourceQuota quota = new ResourceQuota(
                GPU, Quantity.of(nominal), null, lendingLimit == null ? null : Quantity.of(lendingLimit));
        return new ConfigurationChange.PutClusterQueue(new ClusterQueue(
                team,
                COHORT,
                team,
                QueueingStrategy.BEST_EFFORT_FIFO,
                List.of(new ResourceGroup(List.of(GPU), List.of(new FlavorQuotas(FLAVOR, List.of(quota))))),
                preemption,
                FlavorFungibility.DEFAULT,
                Quantity.of(1),
                StopPolicy.NONE,
                NamespaceSelector.EVERY,
                List.of()));
    }
}
