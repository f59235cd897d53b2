package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

/** The two calls by which a notice reaches its Job. One request each, never repeated here. */
final class NoticeWriter {
    /** The API server takes no more than 1024 bytes. */
    private static final int MESSAGE_MAX = 1_000;

    /** Conditions are merged by their types, so that those of the Job controller stay as they are. */
    private static final PatchContext MERGE = PatchContext.of(PatchType.STRATEGIC_MERGE);

    private final KubernetesClient client;

    NoticeWriter(KubernetesClient client) {
        this.client = client;
    }

    /** @throws KubernetesClientException if the API server does not take it, or does not answer */
    void event(JobSnapshot job, NoticeText text) {
        String now = now();
        client.v1()
                .events()
                .inNamespace(job.namespace())
                .resource(new EventBuilder()
                        .withNewMetadata()
                        .withName(
                                job.name() + "." + UUID.randomUUID().toString().substring(0, 18))
                        .withNamespace(job.namespace())
                        .endMetadata()
                        .withNewInvolvedObject()
                        .withApiVersion("batch/v1")
                        .withKind("Job")
                        .withNamespace(job.namespace())
                        .withName(job.name())
                        .withUid(job.uid())
                        .endInvolvedObject()
                        .withType(text.warning() ? "Warning" : "Normal")
                        .withReason(text.reason())
                        .withMessage(shortened(text.message()))
                        .withNewSource()
                        .withComponent("sluice")
                        .endSource()
                        .withFirstTimestamp(now)
                        .withLastTimestamp(now)
                        .withCount(1)
                        .build())
                .create();
    }

    /**
     * Names the uid, so that another Job of the same name is refused.
     *
     * @throws KubernetesClientException if the API server does not take it, or does not answer
     */
    void condition(JobSnapshot job, NoticeText text) {
        String now = now();
        String patch = client.getKubernetesSerialization()
                .asJson(new JobBuilder()
                        .withNewMetadata()
                        .withUid(job.uid())
                        .endMetadata()
                        .withNewStatus()
                        .addNewCondition()
                        .withType(JobLabels.ADMITTED)
                        .withStatus(text.admitted() ? "True" : "False")
                        .withReason(text.reason())
                        .withMessage(shortened(text.message()))
                        .withLastProbeTime(now)
                        .withLastTransitionTime(now)
                        .endCondition()
                        .endStatus()
                        .build());
        JobWriter.byObject(client, job).subresource("status").patch(MERGE, patch);
    }

    private static String shortened(String message) {
        return message.length() <= MESSAGE_MAX ? message : message.substring(0, MESSAGE_MAX - 1) + "…";
    }

    private static String now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
