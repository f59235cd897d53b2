package dev.sluice.api.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.api.wire.FieldViolation;
import dev.sluice.api.wire.Mistakes;
import dev.sluice.api.wire.NativeDocuments;
import dev.sluice.api.wire.NativeWorkload;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.Rejection;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.NearestNames;
import dev.sluice.quota.Violation;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.ConfigurationKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Documents of the configuration, in Sluice's shapes ({@code apiVersion: sluice.dev/v1} or none) or Kueue's. */
public final class ConfigurationDocuments {
    public static final String NATIVE_VERSION = "sluice.dev/v1";

    private static final int DOCUMENTS_MAX = 10_000;
    private static final Map<String, ConfigurationKind> KINDS = new TreeMap<>(Map.of(
            "Cohort", ConfigurationKind.COHORT,
            "ClusterQueue", ConfigurationKind.CLUSTER_QUEUE,
            "LocalQueue", ConfigurationKind.LOCAL_QUEUE,
            "ResourceFlavor", ConfigurationKind.RESOURCE_FLAVOR,
            "WorkloadPriorityClass", ConfigurationKind.WORKLOAD_PRIORITY_CLASS,
            "Team", ConfigurationKind.TEAM,
            "DeviceClass", ConfigurationKind.DEVICE_CLASS,
            "AdmissionCheck", ConfigurationKind.ADMISSION_CHECK));
    private static final Set<String> KUEUE_KINDS =
            Set.of("Cohort", "ClusterQueue", "LocalQueue", "ResourceFlavor", "WorkloadPriorityClass", "AdmissionCheck");

    private ConfigurationDocuments() {}

    /** One document that was understood. */
    public record Document(int index, String kind, boolean ofKueue, JsonNode tree, ConfigurationChange change) {
        String object() {
            return change.kind().path() + "/" + change.key();
        }
    }

    /** @throws Rejection naming every document's mistakes */
    public static List<Document> read(List<JsonNode> trees) {
        if (trees.size() > DOCUMENTS_MAX) {
            throw new Rejection(
                    ProblemKind.BODY_TOO_LARGE,
                    "The body has " + trees.size() + " documents; at most " + DOCUMENTS_MAX + " are taken.");
        }
        List<Document> documents = new ArrayList<>();
        List<Rejection> rejections = new ArrayList<>();
        List<FieldViolation> violations = new ArrayList<>();
        for (int index = 0; index < trees.size(); index++) {
            try {
                documents.add(read(index, trees.get(index)));
            } catch (Rejection rejection) {
                rejections.add(rejection);
                String place = place(index);
                rejection.violations().forEach(violation -> violations.add(violation.within(place)));
            }
        }
        if (!rejections.isEmpty()) {
            Rejection first = rejections.getFirst();
            throw new Rejection(first.kind(), first.detail(), violations);
        }
        refuseTwins(documents);
        return documents;
    }

    private static String place(int index) {
        return "documents[" + index + "].";
    }

    private static Document read(int index, JsonNode tree) {
        String apiVersion = tree.path("apiVersion").asText("");
        String kind = tree.path("kind").asText("");
        ConfigurationKind known = KINDS.get(kind);
        if (apiVersion.startsWith(KueueVersion.GROUP)) {
            KueueVersion version = KueueVersion.of(apiVersion);
            if (version == null) {
                throw unsupported("apiVersion", apiVersion, "must be kueue.x-k8s.io/v1beta1 or v1beta2", List.of());
            }
            if (!KUEUE_KINDS.contains(kind)) {
                throw unsupportedKind(kind, KUEUE_KINDS);
            }
            Mistakes mistakes = new Mistakes();
            ConfigurationChange change = KueueDocument.read(version, kind, tree, mistakes);
            mistakes.orThrow();
            return new Document(index, kind, true, tree, change);
        }
        if (!apiVersion.isEmpty() && !apiVersion.equals(NATIVE_VERSION)) {
            throw unsupported(
                    "apiVersion",
                    apiVersion,
                    "must be " + NATIVE_VERSION + ", kueue.x-k8s.io/v1beta1 or kueue.x-k8s.io/v1beta2",
                    List.of());
        }
        if (known == null) {
            throw unsupportedKind(kind, KINDS.keySet());
        }
        return new Document(index, kind, false, tree, nativeChange(known, tree));
    }

    private static Rejection unsupportedKind(String kind, Set<String> kinds) {
        List<String> valid = kinds.stream().sorted().toList();
        return kind.equals("Topology")
                ? unsupported("kind", kind, "is not supported yet", List.of())
                : unsupported("kind", kind, "must be one of " + String.join(", ", valid), NearestNames.of(kind, valid));
    }

    private static Rejection unsupported(String field, String value, String rule, List<String> nearest) {
        return new Rejection(
                ProblemKind.UNSUPPORTED_KIND,
                field + " " + (value.isEmpty() ? "" : value + " ") + rule + ".",
                List.of(new FieldViolation(field, value.isEmpty() ? null : value, rule, nearest)));
    }

    private static ConfigurationChange nativeChange(ConfigurationKind kind, JsonNode tree) {
        ObjectNode body = tree.deepCopy();
        body.remove(List.of("apiVersion", "kind"));
        String name = body.path("name").asText("");
        if (name.isEmpty()) {
            throw new Rejection(
                    ProblemKind.INVALID_FIELD,
                    "name is required.",
                    List.of(new FieldViolation("name", null, "is required", List.of())));
        }
        String key = kind == ConfigurationKind.LOCAL_QUEUE
                ? LocalQueue.key(body.path("namespace").asText(NativeWorkload.NAMESPACE_DEFAULT), name)
                : name;
        return NativeDocuments.read(kind, key, body);
    }

    /** Two documents of one object would make the result depend on their order. */
    private static void refuseTwins(List<Document> documents) {
        Map<String, Integer> seen = new HashMap<>();
        for (Document document : documents) {
            Integer first = seen.putIfAbsent(document.object(), document.index());
            if (first != null) {
                throw new Rejection(
                        ProblemKind.NAME_TAKEN,
                        "Documents " + first + " and " + document.index() + " both describe " + document.object() + ".",
                        List.of(new FieldViolation(
                                place(document.index()) + "name",
                                document.change().key(),
                                "must stand in one document only",
                                List.of())));
            }
        }
    }

    /** Where in the documents a broken rule lies; a rule may be broken by an object that was not sent. */
    public static FieldViolation located(Violation violation, List<Document> documents) {
        for (Document document : documents) {
            if (document.object().equals(violation.object())) {
                FieldViolation located = document.ofKueue()
                        ? KueueDocument.located(violation, document.tree())
                        : NativeDocuments.located(violation, document.tree());
                return located.within(place(document.index()));
            }
        }
        return new FieldViolation(
                violation.object() + ": " + violation.field(),
                violation.value(),
                violation.rule(),
                violation.nearest());
    }

    /** Null = the object is of no namespace. */
    public static @Nullable String namespace(ConfigurationChange change) {
        return change instanceof ConfigurationChange.PutLocalQueue put
                ? put.localQueue().namespace()
                : null;
    }

    public static String name(ConfigurationChange change) {
        return change instanceof ConfigurationChange.PutLocalQueue put
                ? put.localQueue().name()
                : change.key();
    }
}
