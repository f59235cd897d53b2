package dev.sluice.quota;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Everything that people configure, as one immutable value with a version. Maps iterate by name, so that no decision can
 * depend on the order in which objects were created.
 *
 * @param version grows by one with every committed change; 0 = nothing was ever configured
 * @param localQueues keyed by {@link LocalQueue#key()}
 */
public record Configuration(
        long version,
        SortedMap<String, Cohort> cohorts,
        SortedMap<String, ClusterQueue> clusterQueues,
        SortedMap<String, LocalQueue> localQueues,
        SortedMap<String, ResourceFlavor> resourceFlavors,
        SortedMap<String, WorkloadPriorityClass> priorityClasses,
        SortedMap<String, Team> teams,
        SortedMap<String, DeviceClass> deviceClasses,
        SortedMap<String, AdmissionCheck> admissionChecks) {
    public static final Configuration EMPTY = new Configuration(
            0,
            sorted(Map.of()),
            sorted(Map.of()),
            sorted(Map.of()),
            sorted(Map.of()),
            sorted(Map.of()),
            sorted(Map.of()),
            sorted(Map.of()),
            sorted(Map.of()));

    public Configuration {
        cohorts = sorted(cohorts);
        clusterQueues = sorted(clusterQueues);
        localQueues = sorted(localQueues);
        resourceFlavors = sorted(resourceFlavors);
        priorityClasses = sorted(priorityClasses);
        teams = sorted(teams);
        deviceClasses = sorted(deviceClasses);
        admissionChecks = sorted(admissionChecks);
    }

    /** Without any admission check. */
    public Configuration(
            long version,
            SortedMap<String, Cohort> cohorts,
            SortedMap<String, ClusterQueue> clusterQueues,
            SortedMap<String, LocalQueue> localQueues,
            SortedMap<String, ResourceFlavor> resourceFlavors,
            SortedMap<String, WorkloadPriorityClass> priorityClasses,
            SortedMap<String, Team> teams,
            SortedMap<String, DeviceClass> deviceClasses) {
        this(
                version,
                cohorts,
                clusterQueues,
                localQueues,
                resourceFlavors,
                priorityClasses,
                teams,
                deviceClasses,
                new TreeMap<>());
    }

    public Configuration withVersion(long other) {
        return new Configuration(
                other,
                cohorts,
                clusterQueues,
                localQueues,
                resourceFlavors,
                priorityClasses,
                teams,
                deviceClasses,
                admissionChecks);
    }

    /** The same with other cohorts and queues. */
    public Configuration with(SortedMap<String, Cohort> otherCohorts, SortedMap<String, ClusterQueue> otherQueues) {
        return new Configuration(
                version,
                otherCohorts,
                otherQueues,
                localQueues,
                resourceFlavors,
                priorityClasses,
                teams,
                deviceClasses,
                admissionChecks);
    }

    static <V> SortedMap<String, V> sorted(Map<String, V> map) {
        return Collections.unmodifiableSortedMap(new TreeMap<>(map));
    }
}
