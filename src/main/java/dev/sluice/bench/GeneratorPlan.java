package dev.sluice.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The load that Kueue's own harness generates ({@code test/performance/scheduler/configs}): flat cohorts of equal queues, each
 * with 20 cpu of its own and 100 to borrow, and per queue a stream of workloads of each class.
 */
record GeneratorPlan(String name, int cohorts, int queuesPerCohort, List<WorkloadClass> classes) {
    static final int NOMINAL_CPU = 20;
    static final int BORROWING_LIMIT_CPU = 100;

    GeneratorPlan {
        classes = List.copyOf(classes);
    }

    /** @param count per queue */
    record WorkloadClass(
            String name, int count, int creationIntervalMillis, int runtimeMillis, int priority, int cpu) {}

    /** @param dueNanos from the start of the load */
    record Arrival(long dueNanos, WorkloadClass workloadClass, String queue, int number) {
        String body() {
            return String.format(
                    Locale.ROOT,
                    """
                    {"name":"%s-%d","namespace":"%s","queue":"%s","priorityClass":"%s","podSets":[{"name":"main","count":1,\
                    "requests":{"cpu":"%d"}}],"expectedDuration":"PT%d.%03dS"}""",
                    workloadClass.name,
                    number,
                    queue,
                    queue,
                    workloadClass.name,
                    workloadClass.cpu,
                    workloadClass.runtimeMillis / 1000,
                    workloadClass.runtimeMillis % 1000);
        }
    }

    static GeneratorPlan baseline() {
        return new GeneratorPlan(
                "baseline",
                5,
                6,
                List.of(
                        new WorkloadClass("small", 350, 100, 200, 50, 1),
                        new WorkloadClass("medium", 100, 500, 500, 100, 5),
                        new WorkloadClass("large", 50, 1200, 1000, 200, 20)));
    }

    static GeneratorPlan largeScale() {
        return new GeneratorPlan(
                "large-scale",
                10,
                100,
                List.of(
                        new WorkloadClass("small", 35, 60, 150, 50, 1),
                        new WorkloadClass("medium", 11, 300, 350, 100, 5),
                        new WorkloadClass("large", 4, 700, 700, 200, 20)));
    }

    /** @throws IllegalArgumentException if there is none of the name */
    static GeneratorPlan named(String name) {
        return switch (name) {
            case "baseline" -> baseline();
            case "large-scale" -> largeScale();
            default ->
                throw new IllegalArgumentException(
                        "there is no generator configuration '" + name + "'; there are baseline and large-scale");
        };
    }

    int queueCount() {
        return cohorts * queuesPerCohort;
    }

    int workloadCount() {
        return queueCount() * classes.stream().mapToInt(WorkloadClass::count).sum();
    }

    /** Quota-seconds of one queue over its quota: no scheduler can be faster. */
    double workBoundSeconds() {
        return classes.stream()
                        .mapToDouble(each -> each.count * each.runtimeMillis / 1000.0 * each.cpu)
                        .sum()
                / NOMINAL_CPU;
    }

    static String queue(int cohort, int queue) {
        return "cohort-" + cohort + "-queue-" + queue;
    }

    /** Kueue's documents, in parts that each fit one request: what is shared first, then cohort by cohort. */
    List<String> documents() {
        List<String> parts = new ArrayList<>();
        StringBuilder shared = new StringBuilder("""
                apiVersion: kueue.x-k8s.io/v1beta1
                kind: ResourceFlavor
                metadata: {name: default}
                """);
        for (WorkloadClass each : classes) {
            shared.append(String.format(Locale.ROOT, """
                    ---
                    apiVersion: kueue.x-k8s.io/v1beta1
                    kind: WorkloadPriorityClass
                    metadata: {name: %s}
                    value: %d
                    """, each.name, each.priority));
        }
        parts.add(shared.toString());
        for (int cohort = 0; cohort < cohorts; cohort++) {
            StringBuilder documents = new StringBuilder();
            for (int queue = 0; queue < queuesPerCohort; queue++) {
                documents.append(queueDocuments("cohort-" + cohort, queue(cohort, queue)));
            }
            parts.add(documents.toString());
        }
        return parts;
    }

    private static String queueDocuments(String cohort, String queue) {
        return String.format(Locale.ROOT, """
                ---
                apiVersion: kueue.x-k8s.io/v1beta1
                kind: ClusterQueue
                metadata: {name: %2$s}
                spec:
                  cohort: %1$s
                  namespaceSelector: {}
                  queueingStrategy: BestEffortFIFO
                  preemption: {reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}
                  resourceGroups:
                  - coveredResources: [cpu]
                    flavors:
                    - name: default
                      resources:
                      - {name: cpu, nominalQuota: %3$d, borrowingLimit: %4$d}
                ---
                apiVersion: kueue.x-k8s.io/v1beta1
                kind: LocalQueue
                metadata: {name: %2$s, namespace: %2$s}
                spec: {clusterQueue: %2$s}
                """, cohort, queue, NOMINAL_CPU, BORROWING_LIMIT_CPU);
    }

    /** Every workload at its time; the first of a class comes after one interval, as in the harness. */
    List<Arrival> arrivals() {
        List<Arrival> arrivals = new ArrayList<>(workloadCount());
        for (int cohort = 0; cohort < cohorts; cohort++) {
            for (int queue = 0; queue < queuesPerCohort; queue++) {
                for (WorkloadClass each : classes) {
                    for (int number = 1; number <= each.count; number++) {
                        long due = 1_000_000L * number * each.creationIntervalMillis;
                        arrivals.add(new Arrival(due, each, queue(cohort, queue), number));
                    }
                }
            }
        }
        arrivals.sort(Comparator.comparingLong(Arrival::dueNanos));
        return arrivals;
    }
}
