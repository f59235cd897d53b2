package dev.sluice.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.Rejection;
import dev.sluice.api.wire.WorkloadDraft;
import dev.sluice.api.wire.WorkloadIntake.Sender;
import dev.sluice.api.wire.WorkloadRequest;
import dev.sluice.scheduling.ManifestTrial;
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
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.SecurityContext;
import java.util.ArrayList;
import java.util.Iterator;
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
    private final ManifestTrial trial;

    BatchResource(WorkloadCommands commands, Submissions submissions, ManifestTrial trial) {
        this.commands = commands;
        this.submissions = submissions;
        this.trial = trial;
    }

    /** What one item of a request comes to. */
    sealed interface Prepared {
        record Asked(WorkloadDraft draft, Submission submission) implements Prepared {}

        record Refused(Rejection rejection) implements Prepared {}
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
                            + " answer, with its status. An item may be a native workload or a batch/v1 Job. With dryRun nothing"
                            + " is stored, and each item that would be taken is answered with its verdict.")
    @RequestBody(content = @Content(schema = @Schema(implementation = WorkloadRequest[].class)))
    public Response submitMany(
            byte @Nullable [] body,
            @QueryParam("dryRun") boolean dryRun,
            @HeaderParam("Idempotency-Key") @Nullable String key,
            @HeaderParam(HttpHeaders.CONTENT_TYPE) @Nullable String contentType,
            @Context SecurityContext security) {
        byte[] given = Bodies.checked(body, Bodies.MANY_BYTES_MAX);
        String caller = Callers.of(security);
        String checked = Submissions.checkedKey(key);
        List<Prepared> prepared = tried(BatchItems.of(given, contentType).stream()
                .map(item -> prepare(item, caller, checked))
                .toList());
        Iterator<ObjectNode> answered =
                dryRun ? verdicts(asked(prepared)) : answers(commands.submit(submissions(asked(prepared))));
        BatchItems.Answers answers = new BatchItems.Answers();
        for (Prepared one : prepared) {
            answers.add(
                    switch (one) {
                        case Prepared.Asked asked -> answered.next();
                        case Prepared.Refused refused -> Submissions.problem(refused.rejection());
                    });
        }
        return Response.ok(answers.array()).build();
    }

    private static List<Prepared.Asked> asked(List<Prepared> prepared) {
        return prepared.stream()
                .filter(Prepared.Asked.class::isInstance)
                .map(Prepared.Asked.class::cast)
                .toList();
    }

    private static List<Submission> submissions(List<Prepared.Asked> asked) {
        return asked.stream().map(Prepared.Asked::submission).toList();
    }

    private Iterator<ObjectNode> answers(List<SubmissionResult> results) {
        return results.stream().map(submissions::answerInBatch).iterator();
    }

    private Iterator<ObjectNode> verdicts(List<Prepared.Asked> asked) {
        return asked.stream()
                .map(one -> BatchItems.withStatus(200, submissions.verdict(one.draft())))
                .iterator();
    }

    /** What the cluster would not take is refused now, not when it is created. */
    private List<Prepared> tried(List<Prepared> prepared) {
        Iterator<Optional<String>> refusals =
                trial.refusals(submissions(asked(prepared))).iterator();
        List<Prepared> tried = new ArrayList<>(prepared.size());
        for (Prepared one : prepared) {
            String refusal = one instanceof Prepared.Asked ? refusals.next().orElse(null) : null;
            tried.add(
                    refusal == null
                            ? one
                            : new Prepared.Refused(new Rejection(ProblemKind.REFUSED_BY_CLUSTER, refusal)));
        }
        return tried;
    }

    private Prepared prepare(BatchItems.Item item, String caller, @Nullable String key) {
        try {
            Sender sender = new Sender(caller, key == null ? null : key + "/" + item.index(), item.hash());
            WorkloadDraft draft = submissions.draft(List.of(item.parsed()));
            return new Prepared.Asked(draft, submissions.submission(draft, sender));
        } catch (Rejection rejection) {
            return new Prepared.Refused(rejection);
        }
    }
}
