package dev.sluice.kubernetes.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.kubernetes.JobLabels;
import org.jspecify.annotations.Nullable;

/**
 * One question of the API server about a Job ({@code AdmissionReview} of {@code admission.k8s.io/v1}).
 *
 * @param uid of the question
 * @param user who asks for the change
 * @param job as it would be stored
 * @param before as it is stored; null = it is being created
 */
record JobReview(
        String uid, String user, JsonNode job, @Nullable JsonNode before) {
    /** @throws MalformedReview if it is not a review of a Job's creation or update */
    static JobReview of(JsonNode review) {
        JsonNode request = review.path("request");
        String uid = request.path("uid").asText();
        if (uid.isEmpty()) {
            throw new MalformedReview("request.uid is missing; send an AdmissionReview of admission.k8s.io/v1");
        }
        String kind = request.path("kind").path("group").asText() + "/"
                + request.path("kind").path("kind").asText();
        if (!kind.equals("batch/Job")) {
            throw new MalformedReview("request.kind is " + kind + "; only batch/Job is answered here");
        }
        JsonNode job = request.path("object");
        if (!job.isObject()) {
            throw new MalformedReview("request.object is missing; only creations and updates are answered here");
        }
        JsonNode before = request.path("oldObject");
        return new JobReview(
                uid, request.path("userInfo").path("username").asText(), job, before.isObject() ? before : null);
    }

    boolean isCreation() {
        return before == null;
    }

    /** Its owner is gone or going: whatever takes finalizers away must not be held up. */
    boolean isDeleting() {
        return job.path("metadata").hasNonNull("deletionTimestamp");
    }

    String namespace() {
        return job.path("metadata").path("namespace").asText();
    }

    /** Null = it names none. */
    static @Nullable String queue(JsonNode job) {
        for (String label : JobLabels.QUEUES) {
            JsonNode named = job.path("metadata").path("labels").path(label);
            if (named.isTextual()) {
                return named.textValue();
            }
        }
        return null;
    }

    static @Nullable String annotation(JsonNode job, String name) {
        return job.path("metadata").path("annotations").path(name).textValue();
    }

    static boolean isSuspended(JsonNode job) {
        return job.path("spec").path("suspend").asBoolean();
    }
}
