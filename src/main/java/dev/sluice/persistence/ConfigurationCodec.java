package dev.sluice.persistence;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.quota.AdmissionCheck;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Cohort;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.DeviceClass;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.Team;
import dev.sluice.quota.WorkloadPriorityClass;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.ConfigurationKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Configuration objects as the store keeps them. */
final class ConfigurationCodec {
    private ConfigurationCodec() {}

    static String table(ConfigurationKind kind) {
        return switch (kind) {
            case COHORT -> "cohort";
            case CLUSTER_QUEUE -> "cluster_queue";
            case LOCAL_QUEUE -> "local_queue";
            case RESOURCE_FLAVOR -> "resource_flavor";
            case WORKLOAD_PRIORITY_CLASS -> "workload_priority_class";
            case TEAM -> "team";
            case DEVICE_CLASS -> "device_class";
            case ADMISSION_CHECK -> "admission_check";
        };
    }

    /** What is stored for the object; empty = it is deleted. */
    static Optional<ObjectNode> specification(ConfigurationChange change) {
        return switch (change) {
            case ConfigurationChange.PutCohort put -> Optional.of(StoredJson.objectOf(put.cohort()));
            case ConfigurationChange.PutClusterQueue put -> Optional.of(StoredJson.objectOf(put.clusterQueue()));
            case ConfigurationChange.PutLocalQueue put -> Optional.of(StoredJson.objectOf(put.localQueue()));
            case ConfigurationChange.PutResourceFlavor put -> Optional.of(StoredJson.objectOf(put.resourceFlavor()));
            case ConfigurationChange.PutWorkloadPriorityClass put ->
                Optional.of(StoredJson.objectOf(put.priorityClass()));
            case ConfigurationChange.PutTeam put -> Optional.of(StoredJson.objectOf(put.team()));
            case ConfigurationChange.PutDeviceClass put -> Optional.of(StoredJson.objectOf(put.deviceClass()));
            case ConfigurationChange.PutAdmissionCheck put -> Optional.of(StoredJson.objectOf(put.admissionCheck()));
            case ConfigurationChange.Delete delete -> Optional.empty();
        };
    }

    static ConfigurationChange put(ConfigurationKind kind, ObjectNode specification) {
        return switch (kind) {
            case COHORT -> new ConfigurationChange.PutCohort(StoredJson.read(specification, Cohort.class));
            case CLUSTER_QUEUE ->
                new ConfigurationChange.PutClusterQueue(StoredJson.read(specification, ClusterQueue.class));
            case LOCAL_QUEUE -> new ConfigurationChange.PutLocalQueue(StoredJson.read(specification, LocalQueue.class));
            case RESOURCE_FLAVOR ->
                new ConfigurationChange.PutResourceFlavor(StoredJson.read(specification, ResourceFlavor.class));
            case WORKLOAD_PRIORITY_CLASS ->
                new ConfigurationChange.PutWorkloadPriorityClass(
                        StoredJson.read(specification, WorkloadPriorityClass.class));
            case TEAM -> new ConfigurationChange.PutTeam(StoredJson.read(specification, Team.class));
            case DEVICE_CLASS ->
                new ConfigurationChange.PutDeviceClass(StoredJson.read(specification, DeviceClass.class));
            case ADMISSION_CHECK ->
                new ConfigurationChange.PutAdmissionCheck(StoredJson.read(specification, AdmissionCheck.class));
        };
    }

    /** One object as its table holds it. */
    record Row(ConfigurationKind kind, String key, ObjectNode specification) {}

    static Configuration assemble(long version, List<Row> rows) {
        List<ConfigurationChange> puts = new ArrayList<>(rows.size());
        rows.forEach(row -> puts.add(put(row.kind(), row.specification())));
        Configuration all = ConfigurationChange.applied(Configuration.EMPTY, puts);
        return all.withVersion(version);
    }
}
