package dev.sluice.api;

import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.Rejection;
import dev.sluice.api.wire.WorkloadDraft;
import dev.sluice.api.wire.WorkloadIntake.Sender;
import dev.sluice.api.wire.WorkloadRequest;
import dev.sluice.api.wire.WorkloadResponse;
import dev.sluice.scheduling.ManifestTrial;
import dev.sluice.scheduling.Submission;
import dev.sluice.scheduling.WorkloadCommands;
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
import java.util.List;
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
    private final Submissions submissions;
    private final ManifestTrial trial;

    SubmissionResource(WorkloadCommands commands, Submissions submissions, ManifestTrial trial) {
        this.commands = commands;
        this.submissions = submissions;
        this.trial = trial;
    }

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
        WorkloadDraft draft = submissions.draft(Bodies.documents(given, contentType));
        Sender sender = new Sender(Callers.of(security), Submissions.checkedKey(key), Bodies.hash(given));
        Submission submission = submissions.submission(draft, sender);
        trial.refusal(submission).ifPresent(reason -> {
            throw new Rejection(ProblemKind.REFUSED_BY_CLUSTER, reason);
        });
        if (dryRun) {
            return Response.ok(submissions.verdict(draft)).build();
        }
        return submissions.answer(commands.submit(List.of(submission)).getFirst());
    }
}
