package dev.sluice.kubernetes.webhook;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/**
 * What the API server is told.
 *
 * @param refusals each one thing that is wrong, fit for the Job's author to read; empty = allowed
 * @param patch JSON Patch operations; empty = as it is
 * @param warnings shown by kubectl, whether or not it is allowed
 */
record JobAnswer(List<String> refusals, ArrayNode patch, List<String> warnings) {
    private static final int UNPROCESSABLE = 422;

    JobAnswer {
        refusals = List.copyOf(refusals);
        warnings = List.copyOf(warnings);
    }

    static JobAnswer allowed() {
        return new JobAnswer(List.of(), JsonNodeFactory.instance.arrayNode(), List.of());
    }

    static JobAnswer refused(List<String> refusals) {
        return new JobAnswer(refusals, JsonNodeFactory.instance.arrayNode(), List.of());
    }

    /** As an {@code AdmissionReview}. */
    ObjectNode toReview(String uid) {
        ObjectNode review = JsonNodeFactory.instance.objectNode();
        review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
        ObjectNode response = review.putObject("response");
        response.put("uid", uid).put("allowed", refusals.isEmpty());
        if (!refusals.isEmpty()) {
            response.putObject("status")
                    .put("code", UNPROCESSABLE)
                    .put("reason", "Invalid")
                    .put("message", String.join("; ", refusals));
        } else if (!patch.isEmpty()) {
            response.put("patchType", "JSONPatch");
            response.put(
                    "patch", Base64.getEncoder().encodeToString(patch.toString().getBytes(StandardCharsets.UTF_8)));
        }
        if (!warnings.isEmpty()) {
            ArrayNode told = response.putArray("warnings");
            warnings.forEach(told::add);
        }
        return review;
    }
}
