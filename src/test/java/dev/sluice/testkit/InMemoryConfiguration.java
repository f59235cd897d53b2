package dev.sluice.testkit;

import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.ConfigurationChange;
import java.util.SortedMap;

/** What the in-memory store does to configurations. */
final class InMemoryConfiguration {
    private InMemoryConfiguration() {}

    /** The object that the change is about, as written; "null" if it is not there. */
    static String text(Configuration configuration, ConfigurationChange change) {
        SortedMap<String, ?> objects = switch (change.kind()) {
            case COHORT -> configuration.cohorts();
            case CLUSTER_QUEUE -> configuration.clusterQueues();
            case LOCAL_QUEUE -> configuration.localQueues();
            case RESOURCE_FLAVOR -> configuration.resourceFlavors();
            case WORKLOAD_PRIORITY_CLASS -> configuration.priorityClasses();
            case TEAM -> configuration.teams();
            case DEVICE_CLASS -> configuration.deviceClasses();
            case ADMISSION_CHECK -> configuration.admissionChecks();
        };
        return String.valueOf(objects.get(change.key()));
    }

    static Configuration withVersion(Configuration configuration, long version) {
        return configuration.withVersion(version);
    }
}
