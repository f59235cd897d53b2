package dev.sluice.kubernetes;

import dev.sluice.kubernetes.JobWriter.Outcome.Failed;
import dev.sluice.kubernetes.JobWriter.Outcome.Moved;
import dev.sluice.kubernetes.JobWriter.Outcome.Refused;
import dev.sluice.kubernetes.JobWriter.Outcome.Written;
import dev.sluice.scheduling.Cluster;
import dev.sluice.scheduling.Submission;
import dev.sluice.workload.Workload;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** The calls that change a Job, and the one that counts its pods. One request each, never repeated here. */
final class JobWriter {
    private static final PatchContext JSON_PATCH = PatchContext.of(PatchType.JSON);
    private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

    /** How the API server's authorizers refuse, in contrast to its admission plugins. */
    private static final Pattern UNAUTHORIZED = Pattern.compile("cannot \\w+ resource ");

    private final KubernetesClient client;

    JobWriter(KubernetesClient client) {
        this.client = client;
    }

    /** What came of a write. */
    sealed interface Outcome {
        record Written(Job job) implements Outcome {}

        /**
         * It met another Job than it was made for, or none: nothing was changed, and it has to be looked at again.
         *
         * @param missing whether there is no such Job, or of a creation, no such namespace
         */
        record Moved(String reason, boolean missing) implements Outcome {}

        /** The API server will not do this, however often it is asked. */
        record Refused(String reason) implements Outcome {}

        /** Whether it took hold is unknown. */
        record Failed(String reason) implements Outcome {}
    }

    Outcome create(Workload workload, String manifest, long fence) {
        String body = JobBody.create(workload.id(), workload.namespace(), workload.name(), manifest, fence);
        return create(workload.namespace(), body, "");
    }

    /** What would come of {@link #create}; nothing is stored. */
    Outcome tryOut(Submission submission, String manifest) {
        String body = JobBody.create(
                submission.id(), submission.namespace(), submission.name(), manifest, Cluster.FIRST_FENCE);
        return create(submission.namespace(), body, "&dryRun=All");
    }

    private Outcome create(String namespace, String body, String parameters) {
        return write(() -> {
            // Unknown fields are refused, as kubectl has them refused; what the author meant by them would not happen.
            String created = client.raw(
                    "/apis/batch/v1/namespaces/" + namespace + "/jobs?fieldValidation=Strict" + parameters,
                    "POST",
                    body);
            return client.getKubernetesSerialization().unmarshal(created, Job.class);
        });
    }

    Outcome patch(JobSnapshot job, String operations) {
        return write(() -> byObject(client, job).patch(JSON_PATCH, operations));
    }

    Outcome patchStatus(JobSnapshot job, String operations) {
        return write(() -> byObject(client, job).subresource("status").patch(JSON_PATCH, operations));
    }

    /** By an object and not by its name: of a name the client would first ask what object it is, with every patch. */
    static Resource<Job> byObject(KubernetesClient client, JobSnapshot job) {
        return client.resource(new JobBuilder()
                .withNewMetadata()
                .withNamespace(job.namespace())
                .withName(job.name())
                .endMetadata()
                .build());
    }

    /**
     * Pods of the Job that hold what they were given: not at their end, in deletion or not. Those that were orphaned are nobody's.
     *
     * @throws KubernetesClientException if the API server does not answer
     */
    long countLivePods(String namespace, String uid) {
        return pods(namespace, uid).stream().filter(JobWriter::isLive).count();
    }

    /**
     * Those that live, and those at their end that the Job controller has still to count, by which the Job may end.
     *
     * @throws KubernetesClientException if the API server does not answer
     */
    long countUnsettledPods(String namespace, String uid) {
        return pods(namespace, uid).stream()
                .filter(pod -> isLive(pod) || pod.getMetadata().getFinalizers().contains(JobLabels.TRACKED))
                .count();
    }

    private static boolean isLive(Pod pod) {
        return pod.getStatus() == null || !ENDED.contains(pod.getStatus().getPhase());
    }

    /**
     * Those that the Job has, at their end or not.
     *
     * @throws KubernetesClientException if the API server does not answer
     */
    List<Pod> pods(String namespace, String uid) {
        return client.pods().inNamespace(namespace).withLabel(JobLabels.CONTROLLER_UID, uid).list().getItems().stream()
                .filter(pod -> isOwnedBy(pod, uid))
                .toList();
    }

    private static boolean isOwnedBy(Pod pod, String uid) {
        return pod.getMetadata().getOwnerReferences().stream().anyMatch(owner -> uid.equals(owner.getUid()));
    }

    private static Outcome write(Supplier<Job> request) {
        try {
            return new Written(request.get());
        } catch (KubernetesClientException failed) {
            return outcome(failed);
        }
    }

    private static Outcome outcome(KubernetesClientException failed) {
        Status status = failed.getStatus();
        String reason = status == null || status.getMessage() == null
                ? Objects.requireNonNullElse(failed.getMessage(), "no answer")
                : status.getMessage();
        boolean namesFields = status != null
                && status.getDetails() != null
                && status.getDetails().getCauses() != null
                && !status.getDetails().getCauses().isEmpty();
        return switch (failed.getCode()) {
            case 404 -> new Moved(reason, true);
            case 409 -> new Moved(reason, false);
            // A test of a patch that does not hold answers 422 as well, but names no field.
            case 422 -> namesFields ? new Refused(reason) : new Moved(reason, false);
            // What this service may do says nothing of the Job, and an API server that starts does not know it yet.
            case 403 -> UNAUTHORIZED.matcher(reason).find() ? new Failed(reason) : new Refused(reason);
            case 400, 405, 413 -> new Refused(reason);
            default -> new Failed(reason);
        };
    }
}
