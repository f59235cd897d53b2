package dev.sluice.kubernetes.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.kubernetes.JobBody;
import dev.sluice.kubernetes.JobLabels;
import dev.sluice.scheduling.ClusterUnavailable;
import dev.sluice.scheduling.ManifestIntake;
import dev.sluice.workload.WorkloadId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What is refused of Jobs that Sluice manages: a new one that could never be queued as it is; a change of the queue that its quota came
 * from; a start by anybody else; and any change of what a late release is recognized by. Deletion is never held up.
 */
final class JobRules {
    private static final String CALLER = "kubernetes";
    private static final int NAME_LENGTH_MAX = 63;
    private static final String GENERATED = "00000";

    private final ManifestIntake manifests;
    private final Predicate<WorkloadId> holdsQuota;

    /** @param holdsQuota whether a workload has quota, or capacity that is kept for it */
    JobRules(ManifestIntake manifests, Predicate<WorkloadId> holdsQuota) {
        this.manifests = manifests;
        this.holdsQuota = holdsQuota;
    }

    JobAnswer of(JobReview review) {
        JsonNode before = review.before();
        if (before == null) {
            return JobReview.queue(review.job()) == null ? JobAnswer.allowed() : ofNew(review.job());
        }
        return review.isDeleting() || !isManaged(before) ? JobAnswer.allowed() : ofChange(review.job(), before);
    }

    private JobAnswer ofNew(JsonNode job) {
        // It has no uid yet: what is read is thrown away, only whether it could be read counts.
        try {
            return switch (manifests.read(JobBody.manifest(named(job).toString()), new WorkloadId("unborn"), CALLER)) {
                case ManifestIntake.Reading.Understood understood -> JobAnswer.allowed();
                case ManifestIntake.Reading.Refused refused -> JobAnswer.refused(List.of(refused.reason()));
            };
        } catch (ClusterUnavailable notYet) {
            // It is held in any case, and read again when it is taken in.
            return JobAnswer.allowed();
        }
    }

    /** A generated name is made after all webhooks were asked; some name of its length stands for it. */
    private static JsonNode named(JsonNode job) {
        ObjectNode copy = job.deepCopy();
        ObjectNode metadata = copy.withObjectProperty("metadata");
        String prefix = metadata.path("generateName").asText();
        if (!metadata.hasNonNull("name") && !prefix.isEmpty()) {
            int room = Math.min(prefix.length(), NAME_LENGTH_MAX - GENERATED.length());
            metadata.put("name", prefix.substring(0, room) + GENERATED);
        }
        return copy;
    }

    private JobAnswer ofChange(JsonNode job, JsonNode before) {
        List<String> refusals = new ArrayList<>();
        for (String kept : JobLabels.ANNOTATIONS) {
            String was = JobReview.annotation(before, kept);
            if (was != null && !was.equals(JobReview.annotation(job, kept))) {
                refusals.add("metadata.annotations[" + kept + "] (" + was
                        + ") is kept by Sluice while it manages the Job; leave it as it is, or delete the Job");
            }
        }
        String queue = JobReview.queue(before);
        if (!Objects.equals(queue, JobReview.queue(job)) && holdsQuota(before)) {
            refusals.add(
                    "metadata.labels[" + label(before) + "] (" + queue
                            + ") cannot change while the Job holds quota of that queue; cancel it, or wait until it waits again");
        }
        if (JobReview.isSuspended(before) && !JobReview.isSuspended(job)) {
            refusals.add(
                    "spec.suspend (false) is set by Sluice, when there is quota for the Job; take the queue's label away"
                            + " to run it without");
        }
        return JobAnswer.refused(refusals);
    }

    private boolean holdsQuota(JsonNode before) {
        if (!JobReview.isSuspended(before)) {
            return true;
        }
        String created = JobReview.annotation(before, JobLabels.WORKLOAD);
        String uid = before.path("metadata").path("uid").asText();
        return holdsQuota.test(new WorkloadId(created == null ? uid : created));
    }

    private static boolean isManaged(JsonNode job) {
        return JobReview.queue(job) != null
                || JobLabels.ANNOTATIONS.stream().anyMatch(name -> JobReview.annotation(job, name) != null);
    }

    private static @Nullable String label(JsonNode job) {
        return JobLabels.QUEUES.stream()
                .filter(job.path("metadata").path("labels")::has)
                .findFirst()
                .orElse(JobLabels.QUEUES.getFirst());
    }
}
