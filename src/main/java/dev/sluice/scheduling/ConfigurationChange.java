package dev.sluice.scheduling;

import dev.sluice.quota.AdmissionCheck;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Cohort;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.DeviceClass;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.Team;
import dev.sluice.quota.WorkloadPriorityClass;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** One object put or deleted. */
public sealed interface ConfigurationChange {
    ConfigurationKind kind();

    /** Name, or {@code namespace/name} of a LocalQueue. */
    String key();

    /** The configuration after the changes, under the same version; for validation and previews. */
    static Configuration applied(Configuration base, List<ConfigurationChange> changes) {
        SortedMap<String, Cohort> cohorts = new TreeMap<>(base.cohorts());
        SortedMap<String, ClusterQueue> clusterQueues = new TreeMap<>(base.clusterQueues());
        SortedMap<String, LocalQueue> localQueues = new TreeMap<>(base.localQueues());
        SortedMap<String, ResourceFlavor> flavors = new TreeMap<>(base.resourceFlavors());
        SortedMap<String, WorkloadPriorityClass> priorityClasses = new TreeMap<>(base.priorityClasses());
        SortedMap<String, Team> teams = new TreeMap<>(base.teams());
        SortedMap<String, DeviceClass> deviceClasses = new TreeMap<>(base.deviceClasses());
        SortedMap<String, AdmissionCheck> admissionChecks = new TreeMap<>(base.admissionChecks());
        for (ConfigurationChange change : changes) {
            switch (change) {
                case PutCohort put -> cohorts.put(put.key(), put.cohort());
                case PutClusterQueue put -> clusterQueues.put(put.key(), put.clusterQueue());
                case PutLocalQueue put -> localQueues.put(put.key(), put.localQueue());
                case PutResourceFlavor put -> flavors.put(put.key(), put.resourceFlavor());
                case PutWorkloadPriorityClass put -> priorityClasses.put(put.key(), put.priorityClass());
                case PutTeam put -> teams.put(put.key(), put.team());
                case PutDeviceClass put -> deviceClasses.put(put.key(), put.deviceClass());
                case PutAdmissionCheck put -> admissionChecks.put(put.key(), put.admissionCheck());
                case Delete delete ->
                    (switch (delete.kind()) {
                                case COHORT -> cohorts;
                                case CLUSTER_QUEUE -> clusterQueues;
                                case LOCAL_QUEUE -> localQueues;
                                case RESOURCE_FLAVOR -> flavors;
                                case WORKLOAD_PRIORITY_CLASS -> priorityClasses;
                                case TEAM -> teams;
                                case DEVICE_CLASS -> deviceClasses;
                                case ADMISSION_CHECK -> admissionChecks;
                            })
                            .remove(delete.key());
            }
        }
        return new Configuration(
                base.version(),
                cohorts,
                clusterQueues,
                localQueues,
                flavors,
                priorityClasses,
                teams,
                deviceClasses,
                admissionChecks);
    }

    record PutCohort(Cohort cohort) implements ConfigurationChange {
        @Override
        public ConfigurationKind kind() {
            return ConfigurationKind.COHORT;
        }

        @Override
        public String key() {
            return cohort.name();
        }
    }

    record PutClusterQueue(ClusterQueue clusterQueue) implements ConfigurationChange {
        @Override
        public ConfigurationKind kind() {
            return ConfigurationKind.CLUSTER_QUEUE;
        }

        @Override
        public String key() {
            return clusterQueue.name();
        }
    }

    record PutLocalQueue(LocalQueue localQueue) implements ConfigurationChange {
        @Override
        public ConfigurationKind kind() {
            return ConfigurationKind.LOCAL_QUEUE;
        }

        @Override
        public String key() {
            return localQueue.key();
        }
    }

    record PutResourceFlavor(ResourceFlavor resourceFlavor) implements ConfigurationChange {
        @Override
        public ConfigurationKind kind() {
            return ConfigurationKind.RESOURCE_FLAVOR;
        }

        @Override
        public String key() {
            return resourceFlavor.name();
        }
    }

    record PutWorkloadPriorityClass(WorkloadPriorityClass priorityClass) implements ConfigurationChange {
        @Override
        public ConfigurationKind kind() {
            return ConfigurationKind.WORKLOAD_PRIORITY_CLASS;
        }

        @Override
        public String key() {
            return priorityClass.name();
        }
    }

    record PutTeam(Team team) implements ConfigurationChange {
        @Override
        public ConfigurationKind kind() {
            return ConfigurationKind.TEAM;
        }

        @Override
        public String key() {
            return team.name();
        }
    }

    record PutDeviceClass(DeviceClass deviceClass) implements ConfigurationChange {
        @Override
        public ConfigurationKind kind() {
            return ConfigurationKind.DEVICE_CLASS;
        }

        @Override
        public String key() {
            return deviceClass.name();
        }
    }

    record PutAdmissionCheck(AdmissionCheck admissionCheck) implements ConfigurationChange {
        @Override
        public ConfigurationKind kind() {
            return ConfigurationKind.ADMISSION_CHECK;
        }

        @Override
        public String key() {
            return admissionCheck.name();
        }
    }

    record Delete(ConfigurationKind kind, String key) implements ConfigurationChange {}
}
