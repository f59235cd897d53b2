package dev.sluice.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.api.manifest.JobManifest;
import dev.sluice.api.wire.ExplanationResponse;
import dev.sluice.api.wire.FieldViolation;
import dev.sluice.api.wire.JsonBody;
import dev.sluice.api.wire.NativeWorkload;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.ProblemResponse;
import dev.sluice.api.wire.Rejection;
import dev.sluice.api.wire.WorkloadDraft;
import dev.sluice.api.wire.WorkloadIntake;
import dev.sluice.api.wire.WorkloadIntake.Sender;
import dev.sluice.api.wire.WorkloadRequest;
import dev.sluice.api.wire.WorkloadResponse;
import dev.sluice.api.wire.WorkloadShape;
import dev.sluice.overview.EngineReader;
import dev.sluice.overview.WorkloadReader;
import dev.sluice.quota.LocalQueue;
import dev.sluice.scheduling.PodRules;
import dev.sluice.scheduling.Submission;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.workload.QuotaCharge;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What single submissions and batches have in common: from a body to a submission, from its result to an answer. */
@Singleton
class Submissions {
    private final CurrentConfiguration configuration;
    private final QuotaCharge charge;
    private final PodRules rules;
    private final WorkloadReader workloads;
    private final EngineReader engines;
    private final Reasons reasons;

    Submissions(
            CurrentConfiguration configuration,
            QuotaCharge charge,
            PodRules rules,
            WorkloadReader workloads,
            EngineReader engines,
            Reasons reasons) {
        this.configuration = configuration;
        this.charge = charge;
        this.rules = rules;
        this.workloads = workloads;
        this.engines = engines;
        this.reasons = reasons;
    }

    static @Nullable String checkedKey(@Nullable String key) {
        if (key != null && (key.isBlank() || key.length() > 200)) {
            throw new Rejection(
                    ProblemKind.INVALID_PARAMETER,
                    "Idempotency-Key must have 1 to 200 characters.",
                    List.of(new FieldViolation("Idempotency-Key", key, "must have 1 to 200 characters", List.of())));
        }
        return key;
    }

    WorkloadDraft draft(List<JsonNode> documents) {
        JsonNode document = documents.getFirst();
        boolean manifest = document.has("apiVersion") || document.has("kind");
        if (!manifest && documents.size() == 1) {
            return NativeWorkload.draft(JsonBody.bind(document, WorkloadRequest.class));
        }
        for (JsonNode one : documents) {
            String apiVersion = one.path("apiVersion").asText("");
            String kind = one.path("kind").asText("");
            if (!apiVersion.equals(JobManifest.API_VERSION) || !kind.equals(JobManifest.KIND)) {
                throw JobManifest.unsupported(apiVersion, kind);
            }
        }
        if (documents.size() > 1) {
            throw new Rejection(
                    ProblemKind.UNSUPPORTED_KIND,
                    "The body holds " + documents.size() + " Jobs; submit them one by one, or as a batch.");
        }
        return JobManifest.draft(document, WorkloadIds.nameSuffix(), rules);
    }

    /** A name that is missing in what this process last saw may have been made elsewhere a moment ago. */
    Submission submission(WorkloadDraft draft, Sender sender) {
        WorkloadId id = WorkloadIds.next();
        try {
            return WorkloadIntake.on(configuration.recent(), charge).submission(draft, id, sender);
        } catch (Rejection unknown) {
            return WorkloadIntake.on(configuration.fresh().configuration(), charge)
                    .submission(draft, id, sender);
        }
    }

    ExplanationResponse verdict(WorkloadDraft draft) {
        WorkloadId id = WorkloadIds.next();
        WorkloadIntake intake = WorkloadIntake.on(configuration.fresh().configuration(), charge);
        return engines.ask((engine, now) -> {
            Workload hypothetical = intake.hypothetical(draft, id, now);
            LocalQueue queue = intake.configuration()
                    .localQueues()
                    .get(LocalQueue.key(hypothetical.namespace(), hypothetical.localQueue()));
            String clusterQueue = queue == null ? null : queue.clusterQueue();
            return ExplanationResponse.of(
                    engine.explain(hypothetical, now), reason -> Reasons.sentence(engine, reason, clusterQueue));
        });
    }

    Response answer(SubmissionResult result) {
        return switch (result) {
            case SubmissionResult.Accepted accepted -> {
                WorkloadResponse workload = WorkloadShape.accepted(accepted.workload(), configuration.recent());
                yield Response.created(URI.create("/api/v1/workloads/" + workload.id()))
                        .entity(workload)
                        .build();
            }
            case SubmissionResult.AlreadySubmitted already ->
                Response.ok(existing(already.existing())).build();
            case SubmissionResult.KeyReused reused -> throw keyReused(reused);
            case SubmissionResult.NameTaken taken -> throw nameTaken(taken);
        };
    }

    ObjectNode answerInBatch(SubmissionResult result) {
        return switch (result) {
            case SubmissionResult.Accepted accepted ->
                BatchItems.withStatus(201, WorkloadShape.accepted(accepted.workload(), configuration.recent()));
            case SubmissionResult.AlreadySubmitted already -> BatchItems.withStatus(200, existing(already.existing()));
            case SubmissionResult.KeyReused reused -> problem(keyReused(reused));
            case SubmissionResult.NameTaken taken -> problem(nameTaken(taken));
        };
    }

    static ObjectNode problem(Rejection rejection) {
        return BatchItems.withStatus(
                rejection.kind().status(),
                ProblemResponse.of(rejection.kind(), rejection.detail(), null, rejection.violations()));
    }

    private WorkloadResponse existing(WorkloadId id) {
        return workloads
                .find(id)
                .map(reasons::shown)
                .orElseThrow(
                        () -> new IllegalStateException("the store names workload " + id + " and has no such row"));
    }

    private static Rejection keyReused(SubmissionResult.KeyReused reused) {
        return new Rejection(
                ProblemKind.KEY_REUSED,
                "Idempotency key " + reused.idempotencyKey() + " was used before with another body.",
                List.of(new FieldViolation(
                        "Idempotency-Key",
                        reused.idempotencyKey(),
                        "must be new, or come with the same body",
                        List.of())));
    }

    private static Rejection nameTaken(SubmissionResult.NameTaken taken) {
        return new Rejection(
                ProblemKind.NAME_TAKEN,
                "A workload of this name has not ended in the namespace; its id is " + taken.holder() + ".",
                List.of(new FieldViolation(
                        "name",
                        null,
                        "must be unique among the namespace's workloads that have not ended",
                        List.of())));
    }
}
