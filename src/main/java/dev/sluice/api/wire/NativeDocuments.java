package dev.sluice.api.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.quota.AdmissionCheck;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Cohort;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.DeviceClass;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.ResourceFlavor;
import dev.sluice.quota.Resources;
import dev.sluice.quota.Team;
import dev.sluice.quota.Violation;
import dev.sluice.quota.WorkloadPriorityClass;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.ConfigurationKind;
import org.jspecify.annotations.Nullable;

/** Sluice's own shapes of the configuration: which record a kind has, and its way to and from the model. */
public final class NativeDocuments {
    private NativeDocuments() {}

    /**
     * @param key from the path; a name in the body must say the same
     * @throws Rejection naming every mistake
     */
    public static ConfigurationChange read(ConfigurationKind kind, String key, JsonNode tree) {
        Mistakes mistakes = new Mistakes();
        ConfigurationChange change = read(kind, key, tree, mistakes);
        mistakes.orThrow();
        return change;
    }

    /** What was answered may be sent back as it is. */
    private static JsonNode withoutStatus(JsonNode tree) {
        JsonNode spec = tree.deepCopy();
        if (spec instanceof ObjectNode object) {
            object.remove("status");
        }
        return spec;
    }

    private static ConfigurationChange read(ConfigurationKind kind, String key, JsonNode tree, Mistakes mistakes) {
        return switch (kind) {
            case COHORT -> {
                CohortBody body = JsonBody.bind(withoutStatus(tree), CohortBody.class);
                same("name", key, body.name(), mistakes);
                yield new ConfigurationChange.PutCohort(body.cohort(key, mistakes));
            }
            case CLUSTER_QUEUE -> {
                ClusterQueueBody body = JsonBody.bind(withoutStatus(tree), ClusterQueueBody.class);
                same("name", key, body.name(), mistakes);
                yield new ConfigurationChange.PutClusterQueue(body.clusterQueue(key, mistakes));
            }
            case LOCAL_QUEUE -> {
                LocalQueueBody body = JsonBody.bind(tree, LocalQueueBody.class);
                String namespace = key.substring(0, Math.max(0, key.indexOf('/')));
                String name = key.substring(key.indexOf('/') + 1);
                same("namespace", namespace, body.namespace(), mistakes);
                same("name", name, body.name(), mistakes);
                yield new ConfigurationChange.PutLocalQueue(body.localQueue(namespace, name, mistakes));
            }
            case RESOURCE_FLAVOR -> {
                ResourceFlavorBody body = JsonBody.bind(tree, ResourceFlavorBody.class);
                same("name", key, body.name(), mistakes);
                yield new ConfigurationChange.PutResourceFlavor(body.resourceFlavor(key, mistakes));
            }
            case WORKLOAD_PRIORITY_CLASS -> {
                PriorityClassBody body = JsonBody.bind(tree, PriorityClassBody.class);
                same("name", key, body.name(), mistakes);
                yield new ConfigurationChange.PutWorkloadPriorityClass(body.priorityClass(key, mistakes));
            }
            case TEAM -> {
                TeamBody body = JsonBody.bind(tree, TeamBody.class);
                same("name", key, body.name(), mistakes);
                yield new ConfigurationChange.PutTeam(body.team(key, mistakes));
            }
            case DEVICE_CLASS -> {
                DeviceClassBody body = JsonBody.bind(tree, DeviceClassBody.class);
                same("name", key, body.name(), mistakes);
                yield new ConfigurationChange.PutDeviceClass(body.deviceClass(key));
            }
            case ADMISSION_CHECK -> {
                AdmissionCheckBody body = JsonBody.bind(tree, AdmissionCheckBody.class);
                same("name", key, body.name(), mistakes);
                yield new ConfigurationChange.PutAdmissionCheck(body.admissionCheck(key, "", mistakes));
            }
        };
    }

    private static void same(String field, String key, @Nullable String name, Mistakes mistakes) {
        if (name != null && !name.equals(key)) {
            mistakes.add(field, name, "must be left out or be that of the path, which is " + key);
        }
    }

    /** The specification of an object; null = it is not configured. */
    public static @Nullable Object write(ConfigurationKind kind, String key, Configuration configuration) {
        return switch (kind) {
            case COHORT -> {
                Cohort found = configuration.cohorts().get(key);
                yield found == null ? null : CohortBody.of(found, null);
            }
            case CLUSTER_QUEUE -> {
                ClusterQueue found = configuration.clusterQueues().get(key);
                yield found == null ? null : ClusterQueueBody.of(found, null);
            }
            case LOCAL_QUEUE -> {
                LocalQueue found = configuration.localQueues().get(key);
                yield found == null ? null : LocalQueueBody.of(found);
            }
            case RESOURCE_FLAVOR -> {
                ResourceFlavor found = configuration.resourceFlavors().get(key);
                yield found == null ? null : ResourceFlavorBody.of(found);
            }
            case WORKLOAD_PRIORITY_CLASS -> {
                WorkloadPriorityClass found = configuration.priorityClasses().get(key);
                yield found == null ? null : PriorityClassBody.of(found);
            }
            case TEAM -> {
                Team found = configuration.teams().get(key);
                yield found == null ? null : TeamBody.of(found);
            }
            case DEVICE_CLASS -> {
                DeviceClass found = configuration.deviceClasses().get(key);
                yield found == null ? null : DeviceClassBody.of(found);
            }
            case ADMISSION_CHECK -> {
                AdmissionCheck found = configuration.admissionChecks().get(key);
                yield found == null ? null : AdmissionCheckBody.of(found);
            }
        };
    }

    /** Where in the body, as its author wrote it, a broken rule of the model lies. */
    public static FieldViolation located(Violation violation, JsonNode body) {
        String field = violation.line() == null ? violation.field() : line(violation.line(), body) + violation.field();
        return new FieldViolation(field, violation.value(), violation.rule(), violation.nearest());
    }

    private static String line(Violation.Line line, JsonNode body) {
        JsonNode quotas = body.path("quotas");
        for (int index = 0; index < quotas.size(); index++) {
            JsonNode quota = quotas.get(index);
            if (quota.path("flavor").asText(QuotaLines.DEFAULT_FLAVOR).equals(line.flavor())
                    && key(quota).equals(line.resource())) {
                return "quotas[" + index + "].";
            }
        }
        return "quotas.";
    }

    private static String key(JsonNode quota) {
        if (quota.hasNonNull("resource")) {
            return quota.path("resource").asText();
        }
        String key = Resources.ofDeviceClass(quota.path("deviceClass").asText());
        String dimension = quota.path("counter").asText(quota.path("capacity").asText(""));
        return dimension.isEmpty() ? key : key + "/" + dimension;
    }
}
