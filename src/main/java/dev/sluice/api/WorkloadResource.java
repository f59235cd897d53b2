package dev.sluice.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.admission.Explanation;
import dev.sluice.api.wire.CheckUpdate;
import dev.sluice.api.wire.EventResponse;
import dev.sluice.api.wire.ExplanationResponse;
import dev.sluice.api.wire.FieldViolation;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.Rejection;
import dev.sluice.api.wire.WorkloadChanges;
import dev.sluice.api.wire.WorkloadIntake;
import dev.sluice.api.wire.WorkloadPage;
import dev.sluice.api.wire.WorkloadResponse;
import dev.sluice.overview.EngineReader;
import dev.sluice.overview.WorkloadReader;
import dev.sluice.overview.WorkloadReader.Filter;
import dev.sluice.overview.WorkloadReader.Page;
import dev.sluice.overview.WorkloadRow;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.LocalQueue;
import dev.sluice.scheduling.Command;
import dev.sluice.scheduling.CommandAnswer;
import dev.sluice.scheduling.WorkloadCommands;
import dev.sluice.workload.WorkloadId;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.inject.Singleton;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
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

/** Workloads that were submitted: lists, one with its reason, explanation and history; cancel and change. */
@Path("/api/v1")
@Singleton
@Produces(Bodies.JSON)
@RunOnVirtualThread
@Tag(name = "workloads")
public class WorkloadResource {
    private final WorkloadReader workloads;
    private final WorkloadCommands commands;
    private final CurrentConfiguration current;
    private final EngineReader engines;
    private final Reasons reasons;

    WorkloadResource(
            WorkloadReader workloads,
            WorkloadCommands commands,
            CurrentConfiguration current,
            EngineReader engines,
            Reasons reasons) {
        this.workloads = workloads;
        this.commands = commands;
        this.current = current;
        this.engines = engines;
        this.reasons = reasons;
    }

    @GET
    @Path("/workloads")
    @Operation(summary = "List workloads, with counts by state of all that the filters match")
    public WorkloadPage list(@BeanParam WorkloadListParameters parameters) {
        Filter filter = parameters.filter();
        Page<WorkloadRow> page = workloads.page(filter, parameters.sort(), parameters.limit(), parameters.after());
        return new WorkloadPage(reasons.shown(page.items()), page.next(), workloads.counts(filter));
    }

    @GET
    @Path("/workloads/{id}")
    @Operation(summary = "Read one workload")
    public WorkloadResponse get(@PathParam("id") String id) {
        return reasons.shown(found(id));
    }

    @GET
    @Path("/workloads/{id}/explanation")
    @Operation(summary = "Why it waits, who holds what it needs, and what would make it start")
    public ExplanationResponse explanation(@PathParam("id") String id) {
        WorkloadRow row = found(id);
        WorkloadId workload = row.workload().id();
        return engines.ask((engine, now) -> {
            Explanation explanation = engine.explain(workload, now).orElse(null);
            if (explanation == null) {
                throw new Rejection(
                        ProblemKind.REFUSED,
                        "Workload " + id + " is " + row.status().state()
                                + "; only one that waits or holds quota can be explained.");
            }
            return ExplanationResponse.of(
                    explanation,
                    reason -> Reasons.sentence(engine, reason, row.status().clusterQueue()));
        });
    }

    @GET
    @Path("/workloads/{id}/history")
    @Operation(summary = "What happened to it, oldest first, from the committed log")
    public List<EventResponse> history(@PathParam("id") String id) {
        return workloads.history(found(id).workload().id()).stream()
                .map(EventResponse::of)
                .toList();
    }

    @DELETE
    @Path("/workloads/{id}")
    @Operation(summary = "Cancel it; answers when the decision is committed, or 202 after two seconds")
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = WorkloadResponse.class)))
    @APIResponse(responseCode = "202", content = @Content(schema = @Schema(implementation = WorkloadResponse.class)))
    public Response cancel(@PathParam("id") String id, @Context SecurityContext security) {
        WorkloadId workload = found(id).workload().id();
        return answer(id, commands.cancel(workload, Callers.of(security)));
    }

    @PATCH
    @Path("/workloads/{id}")
    @Consumes({Bodies.JSON, "application/merge-patch+json"})
    @Operation(summary = "Change its priorityClass, queue or active; answers as DELETE does")
    @RequestBody(content = @Content(schema = @Schema(implementation = WorkloadChanges.class)))
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = WorkloadResponse.class)))
    @APIResponse(responseCode = "202", content = @Content(schema = @Schema(implementation = WorkloadResponse.class)))
    public Response change(@PathParam("id") String id, byte @Nullable [] body, @Context SecurityContext security) {
        JsonNode tree = Bodies.document(Bodies.checked(body, Bodies.SINGLE_BYTES_MAX), Bodies.JSON);
        WorkloadChanges changes = WorkloadChanges.of(tree);
        WorkloadRow row = found(id);
        check(changes, tree, row);
        CommandAnswer answer = new CommandAnswer.Done();
        for (WorkloadChanges.Change change : changes.inOrder(tree)) {
            answer = worse(answer, send(change, row.workload().id(), Callers.of(security)));
        }
        return answer(id, answer);
    }

    @PUT
    @Path("/workloads/{id}/admission-checks/{check}")
    @Consumes(Bodies.JSON)
    @Operation(summary = "Say how one of its admission checks stands; answers as DELETE does")
    @RequestBody(content = @Content(schema = @Schema(implementation = CheckUpdate.class)))
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = WorkloadResponse.class)))
    @APIResponse(responseCode = "202", content = @Content(schema = @Schema(implementation = WorkloadResponse.class)))
    public Response changeCheck(
            @PathParam("id") String id,
            @PathParam("check") String check,
            byte @Nullable [] body,
            @Context SecurityContext security) {
        JsonNode document = Bodies.document(Bodies.checked(body, Bodies.SINGLE_BYTES_MAX), Bodies.JSON);
        Command.ChangeCheck change = CheckUpdate.of(document, found(id).workload(), check);
        return answer(id, commands.changeCheck(change, Callers.of(security)));
    }

    private void check(WorkloadChanges changes, JsonNode tree, WorkloadRow row) {
        Configuration configuration = current.fresh().configuration();
        if (changes.priorityClass() != null) {
            WorkloadIntake.priorityClass(configuration, changes.priorityClass(), "priorityClass");
        }
        String namespace = row.workload().namespace();
        if (changes.queue() != null
                && !configuration.localQueues().containsKey(LocalQueue.key(namespace, changes.queue()))) {
            throw WorkloadIntake.unknownQueue(configuration, namespace, changes.queue(), "queue");
        }
        if (changes.inOrder(tree).isEmpty()) {
            throw new Rejection(
                    ProblemKind.INVALID_FIELD,
                    "The body must change priorityClass, queue or active.",
                    List.of(new FieldViolation("", null, "must have priorityClass, queue or active", List.of())));
        }
    }

    private CommandAnswer send(WorkloadChanges.Change change, WorkloadId workload, String caller) {
        return switch (change) {
            case WorkloadChanges.PriorityClass(String name) -> commands.changePriorityClass(workload, name, caller);
            case WorkloadChanges.Queue(String name) -> commands.changeQueue(workload, name, caller);
            case WorkloadChanges.Active(boolean active) -> commands.changeActivation(workload, active, caller);
        };
    }

    private static CommandAnswer worse(CommandAnswer left, CommandAnswer right) {
        return left instanceof CommandAnswer.Refused || right instanceof CommandAnswer.Done ? left : right;
    }

    private Response answer(String id, CommandAnswer answer) {
        return switch (answer) {
            case CommandAnswer.Done() -> Response.ok(get(id)).build();
            case CommandAnswer.Pending(long commandId) ->
                Response.accepted(get(id)).header("Sluice-Command", commandId).build();
            case CommandAnswer.Refused(String why) -> throw new Rejection(ProblemKind.REFUSED, why);
        };
    }

    private WorkloadRow found(String id) {
        if (id.isEmpty() || id.length() > 64) {
            throw missing(id);
        }
        return workloads.find(new WorkloadId(id)).orElseThrow(() -> missing(id));
    }

    private static Rejection missing(String id) {
        return new Rejection(ProblemKind.NOT_FOUND, "There is no workload " + id + ".");
    }
}
