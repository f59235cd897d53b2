package dev.sluice.api.manifest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.sluice.api.wire.AdmissionCheckBody;
import dev.sluice.api.wire.ClusterQueueBody;
import dev.sluice.api.wire.CohortBody;
import dev.sluice.api.wire.DeviceClassBody;
import dev.sluice.api.wire.JsonBody;
import dev.sluice.api.wire.LocalQueueBody;
import dev.sluice.api.wire.PriorityClassBody;
import dev.sluice.api.wire.ResourceFlavorBody;
import dev.sluice.api.wire.TeamBody;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.WorkloadPriorityClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Writes a configuration as YAML that gives an equal configuration when it is applied. What Kueue has no kind for (teams, device
 * classes) is written in Sluice's shape either way.
 */
public final class ConfigurationExport {
    private static final YAMLMapper YAML = new YAMLMapper(new YAMLFactory());

    private final List<ObjectNode> documents = new ArrayList<>();
    private final Configuration configuration;

    private ConfigurationExport(Configuration configuration) {
        this.configuration = configuration;
    }

    public static String asSluice(Configuration configuration) {
        ConfigurationExport export = new ConfigurationExport(configuration);
        export.sluiceOnly();
        configuration
                .resourceFlavors()
                .values()
                .forEach(one -> export.add("ResourceFlavor", ResourceFlavorBody.of(one)));
        configuration
                .priorityClasses()
                .values()
                .forEach(one -> export.add("WorkloadPriorityClass", PriorityClassBody.of(one)));
        configuration
                .admissionChecks()
                .values()
                .forEach(one -> export.add("AdmissionCheck", AdmissionCheckBody.of(one)));
        configuration.cohorts().values().forEach(one -> export.add("Cohort", CohortBody.of(one, null)));
        configuration
                .clusterQueues()
                .values()
                .forEach(one -> export.add("ClusterQueue", ClusterQueueBody.of(one, null)));
        configuration.localQueues().values().forEach(one -> export.add("LocalQueue", LocalQueueBody.of(one)));
        return export.yaml();
    }

    public static String asKueue(Configuration configuration) {
        ConfigurationExport export = new ConfigurationExport(configuration);
        export.sluiceOnly();
        configuration
                .resourceFlavors()
                .values()
                .forEach(flavor -> export.documents.add(KueueDocument.write(
                        "ResourceFlavor", null, flavor.name(), Map.of(), KueueResourceFlavor.of(flavor))));
        configuration.priorityClasses().values().forEach(one -> export.documents.add(priorityClass(one)));
        configuration
                .admissionChecks()
                .values()
                .forEach(check -> export.documents.add(KueueDocument.write(
                        "AdmissionCheck", null, check.name(), Map.of(), AdmissionCheckBody.specification(check))));
        configuration
                .cohorts()
                .values()
                .forEach(cohort -> export.documents.add(
                        KueueDocument.write("Cohort", null, cohort.name(), Map.of(), KueueCohort.of(cohort))));
        configuration
                .clusterQueues()
                .values()
                .forEach(queue -> export.documents.add(KueueDocument.write(
                        "ClusterQueue", null, queue.name(), labels(queue), KueueClusterQueue.of(queue))));
        configuration
                .localQueues()
                .values()
                .forEach(queue -> export.documents.add(KueueDocument.write(
                        "LocalQueue", queue.namespace(), queue.name(), Map.of(), KueueLocalQueue.of(queue))));
        return export.yaml();
    }

    private static Map<String, String> labels(ClusterQueue queue) {
        return queue.team() == null ? Map.of() : Map.of(KueueDocument.TEAM_LABEL, queue.team());
    }

    private static ObjectNode priorityClass(WorkloadPriorityClass priorityClass) {
        ObjectNode document = KueueDocument.write("WorkloadPriorityClass", null, priorityClass.name(), Map.of(), null);
        document.put("value", priorityClass.value());
        if (!priorityClass.description().isEmpty()) {
            document.put("description", priorityClass.description());
        }
        return document;
    }

    private void sluiceOnly() {
        configuration.teams().values().forEach(team -> add("Team", TeamBody.of(team)));
        configuration.deviceClasses().values().forEach(one -> add("DeviceClass", DeviceClassBody.of(one)));
    }

    private void add(String kind, Object body) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("apiVersion", ConfigurationDocuments.NATIVE_VERSION);
        document.put("kind", kind);
        document.setAll((ObjectNode) JsonBody.tree(body));
        documents.add(document);
    }

    private String yaml() {
        StringBuilder yaml = new StringBuilder();
        for (ObjectNode document : documents) {
            try {
                yaml.append(YAML.writeValueAsString(document));
            } catch (JsonProcessingException impossible) {
                throw new IllegalStateException("a tree can always be written", impossible);
            }
        }
        return yaml.toString();
    }
}
