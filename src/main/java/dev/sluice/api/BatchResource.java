package dev.sluice.api;

import dev.sluice.api.wire.Rejection;
import dev.sluice.api.wire.WorkloadIntake.Sender;
import dev.sluice.api.wire.WorkloadRequest;
import dev.sluice.scheduling.Submission;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.scheduling.WorkloadCommands;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.SecurityContext;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Takes many workloads at once. One that is refused does not hinder the others. */
@Path("/api/v1")
@Singleton
@Tag(name = "workloads")
public class BatchResource {
    private final WorkloadCommands commands;
    private final Submissions submissions;

    BatchResource(WorkloadCommands commands, Submissions submissions) {
        this.commands = commands;
        this.submissions = submissions;
    }

    /** What one item of a request asks for, or why it cannot be asked. */
    record Prepared(
            @Nullable Submission submission, @Nullable Rejection rejection) {}

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
        String checked = Submissions.checkedKey(key);
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
                answers.add(Submissions.problem(one.rejection()));
            } else {
                answers.add(submissions.answerInBatch(results.get(next++)));
            }
        }
        return Response.ok(answers.array()).build();
    }

    private Prepared prepare(BatchItems.Item item, String caller, @Nullable String key) {
        try {
            Sender sender = new Sender(caller, key == null ? null : key + "/" + item.index(), item.hash());
            return new Prepared(submissions.submission(submissions.draft(List.of(item.parsed())), sender), null);
        } catch (Rejection rejection) {
            return new Prepared(null, rejection);
        }
    }
}
