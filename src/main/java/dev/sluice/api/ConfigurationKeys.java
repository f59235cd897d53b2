package dev.sluice.api;

import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.ConfigurationKind;
import java.util.Objects;
import java.util.SortedMap;

/** Looks objects up by kind and key. */
final class ConfigurationKeys {
    private ConfigurationKeys() {}

    static SortedMap<String, ?> all(Configuration configuration, ConfigurationKind kind) {
        return switch (kind) {
            case COHORT -> configuration.cohorts();
            case CLUSTER_QUEUE -> configuration.clusterQueues();
            case LOCAL_QUEUE -> configuration.localQueues();
            case RESOURCE_FLAVOR -> configuration.resourceFlavors();
            case WORKLOAD_PRIORITY_CLASS -> configuration.priorityClasses();
            case TEAM -> configuration.teams();
            case DEVICE_CLASS -> configuration.deviceClasses();
            case ADMISSION_CHECK -> configuration.admissionChecks();
        };
    }

    static boolean holds(Configuration configuration, ConfigurationKind kind, String key) {
        return all(configuration, kind).containsKey(key);
    }

    static boolean same(Configuration left, Configuration right, ConfigurationKind kind, String key) {
        return Objects.equals(all(left, kind).get(key), all(right, kind).get(key));
    }
}
