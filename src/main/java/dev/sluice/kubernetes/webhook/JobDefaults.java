package dev.sluice.kubernetes.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.kubernetes.JobLabels;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.LocalQueue;
import dev.sluice.scheduling.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a new Job gets before it is stored: it is held, and carries the fence that a release must name. A Job that comes without a
 * queue, from a namespace in which every Job is managed, goes to the LocalQueue {@code default} if there is one (as with Kueue's
 * LocalQueueDefaulting), and is held until it names one otherwise.
 */
final class JobDefaults {
    static final String DEFAULT_QUEUE = "default";

    private final Supplier<Configuration> configuration;

    JobDefaults(Supplier<Configuration> configuration) {
        this.configuration = configuration;
    }

    JobAnswer of(JobReview review) {
        if (!review.isCreation()) {
            return JobAnswer.allowed();
        }
        JsonNode job = review.job();
        ArrayNode patch = JsonNodeFactory.instance.arrayNode();
        List<String> warnings = new ArrayList<>();
        if (JobReview.queue(job) == null) {
            queue(review, patch, warnings);
        }
        if (!JobReview.isSuspended(job)) {
            add(patch, "/spec/suspend").put("value", true);
        }
        annotate(job, patch);
        return new JobAnswer(List.of(), patch, warnings);
    }

    private void queue(JobReview review, ArrayNode patch, List<String> warnings) {
        if (!configuration.get().localQueues().containsKey(LocalQueue.key(review.namespace(), DEFAULT_QUEUE))) {
            warnings.add("this Job is held: it names no queue, and namespace " + review.namespace()
                    + " has no LocalQueue " + DEFAULT_QUEUE + "; set the label " + JobLabels.QUEUES.getFirst());
            return;
        }
        if (!review.job().path("metadata").path("labels").isObject()) {
            add(patch, "/metadata/labels").putObject("value");
        }
        add(patch, "/metadata/labels/" + pointer(JobLabels.QUEUES.getFirst())).put("value", DEFAULT_QUEUE);
    }

    /** A copy of another Job brings that one's annotations along; they say nothing about this one. */
    private static void annotate(JsonNode job, ArrayNode patch) {
        if (!job.path("metadata").path("annotations").isObject()) {
            add(patch, "/metadata/annotations").putObject("value");
        }
        for (String copied : List.of(JobLabels.WORKLOAD, JobLabels.RELEASED, JobLabels.CANCELLED)) {
            if (JobReview.annotation(job, copied) != null) {
                patch.addObject().put("op", "remove").put("path", "/metadata/annotations/" + pointer(copied));
            }
        }
        add(patch, "/metadata/annotations/" + pointer(JobLabels.FENCE))
                .put("value", Long.toString(Cluster.FIRST_FENCE));
    }

    private static ObjectNode add(ArrayNode patch, String path) {
        return patch.addObject().put("op", "add").put("path", path);
    }

    private static String pointer(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }
}
