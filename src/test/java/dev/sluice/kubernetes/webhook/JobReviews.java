package dev.sluice.kubernetes.webhook;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.testkit.controlplane.TestJob;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Questions as the API server asks them. */
final class JobReviews {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final KubernetesSerialization KUBERNETES = new KubernetesSerialization();

    private JobReviews() {}

    static JobReview creationOf(TestJob job) {
        return new JobReview("q", "alice", json(job), null);
    }

    /** @param stored how the Job stands */
    static JobReview changeOf(ObjectNode stored, Consumer<ObjectNode> change) {
        ObjectNode changed = stored.deepCopy();
        change.accept(changed);
        return new JobReview("q", "alice", changed, stored);
    }

    static ObjectNode json(TestJob job) {
        try {
            return (ObjectNode) JSON.readTree(KUBERNETES.asJson(job.build()));
        } catch (java.io.IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** As it stands once it was taken in: held, fenced, with a uid. */
    static ObjectNode stored(TestJob job) {
        ObjectNode json = json(job.suspended());
        json.withObjectProperty("metadata").put("uid", "uid-1");
        annotate(json, "sluice.dev/fence", "1");
        return json;
    }

    static void annotate(ObjectNode job, String name, @Nullable String value) {
        ObjectNode annotations = job.withObjectProperty("metadata").withObjectProperty("annotations");
        if (value == null) {
            annotations.remove(name);
        } else {
            annotations.put(name, value);
        }
    }

    static void label(ObjectNode job, String name, @Nullable String value) {
        ObjectNode labels = job.withObjectProperty("metadata").withObjectProperty("labels");
        if (value == null) {
            labels.remove(name);
        } else {
            labels.put(name, value);
        }
    }

    /** One operation a line: {@code add /spec/suspend true}. */
    static List<String> operations(JobAnswer answer) {
        ArrayNode patch = answer.patch();
        return patch.valueStream()
                .map(each -> each.path("op").asText() + " " + each.path("path").asText()
                        + (each.has("value") ? " " + text(each.path("value")) : ""))
                .toList();
    }

    private static String text(com.fasterxml.jackson.databind.JsonNode value) {
        return value.isTextual() ? value.textValue() : value.toString();
    }

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }
}
