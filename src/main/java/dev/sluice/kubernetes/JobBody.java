package dev.sluice.kubernetes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.workload.WorkloadId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Manifests as bodies of Jobs to create, and Jobs as manifests. */
public final class JobBody {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** What the API server gives an object; a manifest that was exported from a cluster has it. */
    private static final List<String> SERVER_METADATA = List.of(
            "uid",
            "resourceVersion",
            "generation",
            "creationTimestamp",
            "deletionTimestamp",
            "selfLink",
            "managedFields",
            "generateName",
            "ownerReferences");

    private static final List<String> SERVER_LABELS =
            List.of("controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name");

    private JobBody() {}

    /** The uid of the Job that a manifest was read from; null = it is of none that exists. */
    static @Nullable String uid(@Nullable String manifest) {
        if (manifest == null) {
            return null;
        }
        JsonNode uid = parse(manifest).at("/metadata/uid");
        return uid.isTextual() ? uid.textValue() : null;
    }

    /** The manifest's Job, suspended, under the workload's name, saying whose it is. Everything else is its author's. */
    static String create(WorkloadId id, String namespace, String name, String manifest, long fence) {
        ObjectNode job = parse(manifest);
        ObjectNode metadata = object(job, "metadata");
        metadata.remove(SERVER_METADATA);
        metadata.put("name", name);
        metadata.put("namespace", namespace);
        ObjectNode annotations = object(metadata, "annotations");
        annotations.remove(JobLabels.RELEASED);
        annotations.put(JobLabels.WORKLOAD, id.value());
        annotations.put(JobLabels.FENCE, Long.toString(fence));
        job.remove("status");
        ObjectNode spec = object(job, "spec");
        spec.put("suspend", true);
        if (!spec.path("manualSelector").asBoolean(false)) {
            spec.remove("selector");
            object(metadata, "labels").remove(SERVER_LABELS);
            if (spec.at("/template/metadata/labels") instanceof ObjectNode labels) {
                labels.remove(SERVER_LABELS);
            }
        }
        return job.toString();
    }

    /** A Job that exists, as its author's manifest with its uid: what others keep about it is left out. */
    public static String manifest(String job) {
        ObjectNode manifest = parse(job);
        manifest.remove("status");
        manifest.put("apiVersion", "batch/v1");
        manifest.put("kind", "Job");
        object(manifest, "metadata").remove("managedFields");
        return manifest.toString();
    }

    /** The same manifest, in this queue; for one that names none. */
    static String queued(String manifest, String queue) {
        ObjectNode job = parse(manifest);
        object(object(job, "metadata"), "labels").put(JobLabels.QUEUES.getFirst(), queue);
        return job.toString();
    }

    /** By which label a manifest names its queue; null = it names none. */
    static @Nullable String queueLabel(@Nullable String manifest) {
        if (manifest == null) {
            return null;
        }
        JsonNode labels = parse(manifest).at("/metadata/labels");
        return JobLabels.QUEUES.stream().filter(labels::has).findFirst().orElse(null);
    }

    private static ObjectNode object(ObjectNode parent, String name) {
        return parent.path(name) instanceof ObjectNode there ? there : parent.putObject(name);
    }

    private static ObjectNode parse(String manifest) {
        try {
            if (JSON.readTree(manifest) instanceof ObjectNode object) {
                return object;
            }
        } catch (JsonProcessingException malformed) {
            throw new IllegalArgumentException("a manifest that was taken in is not JSON", malformed);
        }
        throw new IllegalArgumentException("a manifest that was taken in is not an object");
    }
}
