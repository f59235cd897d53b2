package dev.sluice.api.manifest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.api.wire.AdmissionCheckBody;
import dev.sluice.api.wire.ClusterQueueBody;
import dev.sluice.api.wire.FieldViolation;
import dev.sluice.api.wire.JsonBody;
import dev.sluice.api.wire.Mistakes;
import dev.sluice.api.wire.NativeWorkload;
import dev.sluice.api.wire.Rejection;
import dev.sluice.quota.Violation;
import dev.sluice.quota.WorkloadPriorityClass;
import dev.sluice.scheduling.ConfigurationChange;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One document of Kueue's kinds. Metadata other than names passes by; every field of the specification counts. */
final class KueueDocument {
    static final String TEAM_LABEL = "sluice.dev/team";

    private KueueDocument() {}

    /** What stands around a specification; {@code value} and {@code description} are a WorkloadPriorityClass's own. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Envelope(
            @Nullable String apiVersion,
            @Nullable String kind,
            @Nullable JsonNode metadata,
            @Nullable JsonNode spec,
            @Nullable JsonNode status,
            @Nullable Integer value,
            @Nullable String description) {}

    static ConfigurationChange read(KueueVersion version, String kind, JsonNode tree, Mistakes mistakes) {
        Envelope envelope = JsonBody.bind(tree, Envelope.class);
        Field metadata = Field.root(tree, mistakes).get("metadata");
        String given = mistakes.required("metadata.name", metadata.get("name").text());
        String name = given == null ? "" : given;
        JsonNode spec = envelope.spec() == null ? JsonNodeFactory.instance.objectNode() : envelope.spec();
        if (!kind.equals("WorkloadPriorityClass") && (envelope.value() != null || envelope.description() != null)) {
            mistakes.add("value", null, "belongs to a WorkloadPriorityClass only");
        }
        return switch (kind) {
            case "ClusterQueue" ->
                new ConfigurationChange.PutClusterQueue(
                        bind(spec, KueueClusterQueue.class).clusterQueue(name, version, team(metadata), mistakes));
            case "Cohort" ->
                new ConfigurationChange.PutCohort(bind(spec, KueueCohort.class).cohort(name, mistakes));
            case "LocalQueue" -> {
                String namespace = metadata.get("namespace").text(NativeWorkload.NAMESPACE_DEFAULT);
                yield new ConfigurationChange.PutLocalQueue(
                        bind(spec, KueueLocalQueue.class).localQueue(namespace, name, mistakes));
            }
            case "ResourceFlavor" ->
                new ConfigurationChange.PutResourceFlavor(
                        bind(spec, KueueResourceFlavor.class).resourceFlavor(name, mistakes));
            case "AdmissionCheck" ->
                new ConfigurationChange.PutAdmissionCheck(
                        bind(spec, AdmissionCheckBody.class).admissionCheck(name, "spec.", mistakes));
            case "WorkloadPriorityClass" -> {
                if (envelope.value() == null) {
                    mistakes.add("value", null, "is required");
                }
                yield new ConfigurationChange.PutWorkloadPriorityClass(new WorkloadPriorityClass(
                        name,
                        envelope.value() == null ? 0 : envelope.value(),
                        envelope.description() == null ? "" : envelope.description()));
            }
            default -> throw new IllegalArgumentException("not a kind of Kueue's that is taken: " + kind);
        };
    }

    private static <T> T bind(JsonNode spec, Class<T> shape) {
        try {
            return JsonBody.bind(spec, shape);
        } catch (Rejection rejection) {
            throw new Rejection(
                    rejection.kind(),
                    rejection.detail(),
                    rejection.violations().stream()
                            .map(violation -> violation.within("spec."))
                            .toList());
        }
    }

    private static @Nullable String team(Field metadata) {
        return ClusterQueueBody.emptyIsNull(
                metadata.get("labels").get(TEAM_LABEL).text());
    }

    static ObjectNode write(
            String kind, @Nullable String namespace, String name, Map<String, String> labels, @Nullable Object spec) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("apiVersion", KueueVersion.V1BETA2.apiVersion());
        document.put("kind", kind);
        ObjectNode metadata = document.putObject("metadata");
        metadata.put("name", name);
        if (namespace != null) {
            metadata.put("namespace", namespace);
        }
        if (!labels.isEmpty()) {
            metadata.set("labels", JsonBody.tree(new TreeMap<>(labels)));
        }
        if (spec != null) {
            document.set("spec", JsonBody.tree(spec));
        }
        return document;
    }

    /** Where in the document, as its author wrote it, a broken rule of the model lies. */
    static FieldViolation located(Violation violation, JsonNode tree) {
        String field = violation.line() == null
                ? field(violation.field(), tree)
                : line(violation.line(), tree) + amountField(violation.field());
        return new FieldViolation(field, violation.value(), violation.rule(), violation.nearest());
    }

    private static String field(String field, JsonNode tree) {
        return switch (field) {
            case "name", "namespace" -> "metadata." + field;
            case "team" -> "metadata.labels." + TEAM_LABEL;
            case "value", "description" -> field;
            case "parent" -> "spec.parentName";
            case "cohort" -> tree.path("spec").has("cohort") ? "spec.cohort" : "spec.cohortName";
            default -> "spec." + field;
        };
    }

    private static String amountField(String field) {
        return switch (field) {
            case "nominal" -> "nominalQuota";
            case "resource" -> "name";
            default -> field;
        };
    }

    private static String line(Violation.Line line, JsonNode tree) {
        JsonNode groups = tree.path("spec").path("resourceGroups");
        for (int group = 0; group < groups.size(); group++) {
            JsonNode flavors = groups.get(group).path("flavors");
            for (int flavor = 0; flavor < flavors.size(); flavor++) {
                if (flavors.get(flavor).path("name").asText().equals(line.flavor())) {
                    String place = "spec.resourceGroups[" + group + "].flavors[" + flavor + "].resources";
                    return place + index(flavors.get(flavor).path("resources"), line.resource()) + ".";
                }
            }
        }
        return "spec.resourceGroups.";
    }

    private static String index(JsonNode resources, String name) {
        for (int index = 0; index < resources.size(); index++) {
            if (resources.get(index).path("name").asText().equals(name)) {
                return "[" + index + "]";
            }
        }
        return "";
    }
}
