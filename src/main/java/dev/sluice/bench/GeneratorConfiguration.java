package dev.sluice.bench;

import dev.sluice.bench.GeneratorPlan.Arrival;
import dev.sluice.bench.GeneratorPlan.WorkloadClass;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Configuration;
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
import dev.sluice.quota.Resources;
import dev.sluice.quota.StopPolicy;
import dev.sluice.quota.WorkloadPriorityClass;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A generator's load as the core sees it, for benchmarks that have no REST in them. */
final class GeneratorConfiguration {
    private static final String FLAVOR = "default";

    private GeneratorConfiguration() {}

    static Configuration of(GeneratorPlan plan) {
        SortedMap<String, ClusterQueue> queues = new TreeMap<>();
        SortedMap<String, LocalQueue> doors = new TreeMap<>();
        for (int cohort = 0; cohort < plan.cohorts(); cohort++) {
            for (int queue = 0; queue < plan.queuesPerCohort(); queue++) {
                String name = GeneratorPlan.queue(cohort, queue);
                queues.put(name, clusterQueue(name, "cohort-" + cohort));
                LocalQueue door = new LocalQueue(name, name, name, StopPolicy.NONE, Quantity.of(1));
                doors.put(door.key(), door);
            }
        }
        SortedMap<String, WorkloadPriorityClass> classes = new TreeMap<>();
        for (WorkloadClass each : plan.classes()) {
            classes.put(each.name(), new WorkloadPriorityClass(each.name(), each.priority(), ""));
        }
        return new Configuration(
                1,
                new TreeMap<>(),
                queues,
                doors,
                new TreeMap<>(Map.of(FLAVOR, new ResourceFlavor(FLAVOR, Map.of(), List.of(), List.of(), null))),
                classes,
                new TreeMap<>(),
                new TreeMap<>());
    }

    private static ClusterQueue clusterQueue(String name, String cohort) {
        ResourceQuota line = new ResourceQuota(
                Resources.CPU,
                Quantity.of(GeneratorPlan.NOMINAL_CPU),
                Quantity.of(GeneratorPlan.BORROWING_LIMIT_CPU),
                null);
        return new ClusterQueue(
                name,
                cohort,
                null,
                QueueingStrategy.BEST_EFFORT_FIFO,
                List.of(new ResourceGroup(List.of(Resources.CPU), List.of(new FlavorQuotas(FLAVOR, List.of(line))))),
                new PreemptionPolicy(
                        WithinClusterQueue.LOWER_PRIORITY, ReclaimWithinCohort.ANY, BorrowWithinCohort.NEVER),
                FlavorFungibility.DEFAULT,
                Quantity.of(1),
                StopPolicy.NONE,
                NamespaceSelector.EVERY,
                List.of());
    }

    /** @param sequence unique, from 1 */
    static Workload workload(Arrival arrival, long sequence, Instant createdAt) {
        WorkloadClass each = arrival.workloadClass();
        return new Workload(
                new WorkloadId(String.format(Locale.ROOT, "w%07d", sequence)),
                sequence,
                each.name() + "-" + arrival.number(),
                arrival.queue(),
                arrival.queue(),
                each.name(),
                each.priority(),
                List.of(PodSet.of("main", 1, Map.of(Resources.CPU, 1000L * each.cpu()))),
                createdAt,
                Duration.ofMillis(each.runtimeMillis()),
                null);
    }
}
