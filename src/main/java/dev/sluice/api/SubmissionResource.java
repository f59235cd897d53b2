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
import dev.sluice.scheduling.Submission;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.scheduling.WorkloadCommands;
import dev.sluice.workload.QuotaCharge;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.SecurityContext;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Takes workloads in, native or as Kubernetes manifests. Answers when they are durable, before anything is decided. */
@Path("/api/v1")
@Singleton
@Tag(name = "workloads")
public class SubmissionResource {
    private final WorkloadCommands commands;
    private final CurrentConfiguration configuration;
    private final QuotaCharge charge;
    private final WorkloadReader workloads;
    private final EngineReader engines;
    private final Reasons reasons;

    SubmissionResource(
            WorkloadCommands commands,
            CurrentConfiguration configuration,
            QuotaCharge charge,
            WorkloadReader workloads,
            EngineReader engines,
            Reasons reasons) {
        this.commands = commands;
        this.configuration = configuration;
        this.charge = charge;
        this.workloads = workloads;
        this.engines = engines;
        this.reasons = reasons;
    }

    /** What one item of a request asks for, or why it cannot be asked. */
    record Prepared(
            @Nullable Submission submission, @Nullable Rejection rejection) {}

    @POST
    @Path("/workloads")
    @Consumes({Bodies.JSON, Bodies.YAML, Bodies.X_YAML, Bodies.TEXT_YAML})
    @Produces(Bodies.JSON)
    @RunOnVirtualThread
    @Operation(summary = "Submit one workload, as native JSON or as an unmodified batch/v1 Job (YAML or JSON)")
    @RequestBody(content = @Content(schema = @Schema(implementation = WorkloadRequest.class)))
    @APIResponse(responseCode = "201", content = @Content(schema = @Schema(implementation = WorkloadResponse.class)))
    public Response submit(
            byte @Nullable [] body,
            @QueryParam("dryRun") boolean dryRun,
            @HeaderParam("Idempotency-Key") @Nullable String key,
            @HeaderParam(HttpHeaders.CONTENT_TYPE) @Nullable String contentType,
            @Context SecurityContext security) {
        byte[] given = Bodies.checked(body, Bodies.SINGLE_BYTES_MAX);
        WorkloadDraft draft = draft(Bodies.documents(given, contentType));
        if (dryRun) {
            return Response.ok(verdict(draft)).build();
        }
        Sender sender = new Sender(Callers.of(security), checkedKey(key), Bodies.hash(given));
        SubmissionResult result =
                commands.submit(List.of(submission(draft, sender))).getFirst();
        return answer(result);
    }

    @POST
    @Path("/workloads:batch")
    @Consumes({Bodies.JSON, Bodies.NDJSON})
    @Produces(Bodies.JSON)
    @RunOnVirtualThread
    @Operation(
            summary = "Submit many workloads, as a JSON array or one JSON document a line",
            description =
                    "Answers one result per item, in order: the workload or the problem as a single submission would"
                            + " answer, with its status. An item may be a native workload or a batch/v1 Job.")
    @RequestBody(content = @Content(schema = @Schema(implementation = WorkloadRequest[].class)))
    public Response submitMany(
            byte @Nullable [] body,
            @HeaderParam("Idempotency-Key") @Nullable String key,
            @HeaderParam(HttpHeaders.CONTENT_TYPE) @Nullable String contentType,
            @Context SecurityContext security) {
        byte[] given = Bodies.checked(body, Bodies.MANY_BYTES_MAX);
        String caller = Callers.of(security);
        String checked = checkedKey(key);
        List<Prepared> prepared = BatchItems.of(given, contentType).stream()
                .map(item -> prepare(item, caller, checked))
                .toList();
        List<SubmissionResult> results = commands.submit(prepared.stream()
                .map(Prepared::submission)
                .flatMap(submission -> Optional.ofNullable(submission).stream())
                .toList());
        BatchItems.Answers answers = new BatchItems.Answers();
        int next = 0;
        for (Prepared one : prepared) {
            if (one.rejection() != null) {
                answers.add(problem(one.rejection()));
            } else {
                answers.add(answerInBatch(results.get(next++)));
            }
        }
        return Response.ok(answers.array()).build();
    }

    private Prepared prepare(BatchItems.Item item, String caller, @Nullable String key) {
        try {
            Sender sender = new Sender(caller, key == null ? null : key + "/" + item.index(), item.hash());
            return new Prepared(submission(draft(List.of(item.parsed())), sender), null);
        } catch (Rejection rejection) {
            return new Prepared(null, rejection);
        }
    }

    private static @Nullable String checkedKey(@Nullable String key) {
        if (key != null && (key.isBlank() || key.length() > 200)) {
            throw new Rejection(
                    ProblemKind.INVALID_PARAMETER,
                    "Idempotency-Key must have 1 to 200 characters.",
                    List.of(new FieldViolation("Idempotency-Key", key, "must have 1 to 200 characters", List.of())));
        }
        return key;
    }

    private static WorkloadDraft draft(List<JsonNode> documents) {
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
        return JobManifest.draft(document, WorkloadIds.nameSuffix());
    }

    /** A name that is missing in what this process last saw may have been made elsewhere a moment ago. */
    private Submission submission(WorkloadDraft draft, Sender sender) {
        WorkloadId id = WorkloadIds.next();
        try {
            return WorkloadIntake.on(configuration.recent(), charge).submission(draft, id, sender);
        } catch (Rejection unknown) {
            return WorkloadIntake.on(configuration.fresh().configuration(), charge)
                    .submission(draft, id, sender);
        }
    }

    private ExplanationResponse verdict(WorkloadDraft draft) {
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

    private Response answer(SubmissionResult result) {
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

    private ObjectNode answerInBatch(SubmissionResult result) {
        return switch (result) {
            case SubmissionResult.Accepted accepted ->
                BatchItems.withStatus(201, WorkloadShape.accepted(accepted.workload(), configuration.recent()));
            case SubmissionResult.AlreadySubmitted already -> BatchItems.withStatus(200, existing(already.existing()));
            case SubmissionResult.KeyReused reused -> problem(keyReused(reused));
            case SubmissionResult.NameTaken taken -> problem(nameTaken(taken));
        };
    }

    private static ObjectNode problem(Rejection rejection) {
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
