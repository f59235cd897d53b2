package dev.sluice.kubernetes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The annotation that a release leaves on its Job: under which fence its pods were let go, and how the fields that it changed read
 * before, so that a stop can put them back whoever leads by then.
 *
 * @param fence 0 = its pods were not let go by Sluice
 * @param succeeded pods that had succeeded before, in earlier runs
 * @param before the changed fields alone, by name; null where there was nothing
 */
record ReleaseMark(long fence, int succeeded, ObjectNode before) {
    static final String NODE_SELECTOR = "nodeSelector";
    static final String TOLERATIONS = "tolerations";
    static final String LABELS = "labels";
    static final String ANNOTATIONS = "annotations";
    static final String PARALLELISM = "parallelism";

    private static final String UID = "uid";
    private static final String SUCCEEDED = "succeeded";

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Of pods that ran without being released. */
    static ReleaseMark none() {
        return new ReleaseMark(0, 0, JsonNodeFactory.instance.objectNode());
    }

    /**
     * Null = no such annotation, or one that came along when another Job was copied. One that somebody garbled still marks, and restores
     * nothing.
     *
     * @param uid of the Job that has it
     */
    static @Nullable ReleaseMark parse(@Nullable String annotation, String uid) {
        if (annotation == null) {
            return null;
        }
        try {
            JsonNode read = JSON.readTree(annotation);
            if (!read.path(UID).asText(uid).equals(uid)) {
                return null;
            }
            JsonNode before = read.path("before");
            return new ReleaseMark(
                    read.path("fence").asLong(0),
                    read.path(SUCCEEDED).asInt(0),
                    before instanceof ObjectNode fields ? fields : JsonNodeFactory.instance.objectNode());
        } catch (JsonProcessingException garbled) {
            return none();
        }
    }

    /** With its run released under another fence, or with other fields remembered. */
    ReleaseMark with(long newFence, ObjectNode newBefore) {
        return new ReleaseMark(newFence, succeeded, newBefore);
    }

    /** @param uid of the Job that gets it */
    String text(String uid) {
        ObjectNode text = JsonNodeFactory.instance.objectNode();
        text.put("fence", fence);
        text.put(UID, uid);
        text.put(SUCCEEDED, succeeded);
        text.set("before", before);
        return text.toString();
    }
}
