package dev.sluice.scheduling;

import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Cohort;
import dev.sluice.quota.DeviceClass;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.Team;
import dev.sluice.quota.WorkloadPriorityClass;

/** One object put or deleted. */
public sealed interface ConfigurationChange {
    ConfigurationKind kind();

    /** Name, or {@code namespace/name} of a LocalQueue. */
    String key();

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

    record Delete(ConfigurationKind kind, String key) implements ConfigurationChange {}
}
