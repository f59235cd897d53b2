package dev.sluice.api;

import dev.sluice.api.ConfigurationDesk.Wish;
import dev.sluice.api.wire.LocalQueueBody;
import dev.sluice.api.wire.PageResponse;
import dev.sluice.api.wire.WorkloadResponse;
import dev.sluice.quota.LocalQueue;
import dev.sluice.scheduling.ConfigurationKind;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.SecurityContext;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** LocalQueues: the doors of namespaces to ClusterQueues. */
@Path("/api/v1/local-queues")
@Singleton
@Produces(Bodies.JSON)
@RunOnVirtualThread
@Tag(name = "queues and quotas")
public class LocalQueueResource {
    private static final ConfigurationKind KIND = ConfigurationKind.LOCAL_QUEUE;

    private final ConfigurationDesk desk;
    private final PendingQueues pending;

    LocalQueueResource(ConfigurationDesk desk, PendingQueues pending) {
        this.desk = desk;
        this.pending = pending;
    }

    @GET
    @Operation(summary = "List LocalQueues by name")
    public Response list(
            @QueryParam("namespace") @Nullable String namespace,
            @QueryParam("limit") @DefaultValue(Limits.DEFAULT) int limit,
            @QueryParam("after") @Nullable String after) {
        return desk.list(KIND, namespace, Limits.checked(limit), after);
    }

    @GET
    @Path("/{namespace}/{name}")
    @Operation(summary = "Read a LocalQueue; its ETag changes with its specification")
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = LocalQueueBody.class)))
    public Response get(@PathParam("namespace") String namespace, @PathParam("name") String name) {
        return desk.get(KIND, LocalQueue.key(namespace, name));
    }

    @GET
    @Path("/{namespace}/{name}/pending")
    @Operation(summary = "The waiting workloads in the order in which they will be considered")
    public PageResponse<WorkloadResponse> pending(
            @PathParam("namespace") String namespace,
            @PathParam("name") String name,
            @QueryParam("limit") @DefaultValue(Limits.DEFAULT) int limit,
            @QueryParam("after") @Nullable String after) {
        return pending.ofLocalQueue(namespace, name, Limits.checked(limit), after);
    }

    @PUT
    @Path("/{namespace}/{name}")
    @Consumes({Bodies.JSON, Bodies.YAML, Bodies.X_YAML, Bodies.TEXT_YAML})
    @Operation(summary = "Create or replace a LocalQueue; with dryRun, say what it would do")
    @RequestBody(content = @Content(schema = @Schema(implementation = LocalQueueBody.class)))
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = LocalQueueBody.class)))
    public Response put(
            @PathParam("namespace") String namespace,
            @PathParam("name") String name,
            byte @Nullable [] body,
            @QueryParam("dryRun") boolean dryRun,
            @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String ifMatch,
            @HeaderParam(HttpHeaders.IF_NONE_MATCH) @Nullable String ifNoneMatch,
            @HeaderParam(HttpHeaders.CONTENT_TYPE) @Nullable String contentType,
            @Context SecurityContext security) {
        return desk.put(
                KIND,
                LocalQueue.key(namespace, name),
                body,
                new Wish(ifMatch, ifNoneMatch, dryRun, contentType, Callers.of(security)));
    }

    @DELETE
    @Path("/{namespace}/{name}")
    @Operation(summary = "Delete a LocalQueue")
    public Response delete(
            @PathParam("namespace") String namespace,
            @PathParam("name") String name,
            @QueryParam("dryRun") boolean dryRun,
            @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String ifMatch,
            @Context SecurityContext security) {
        return desk.delete(
                KIND, LocalQueue.key(namespace, name), new Wish(ifMatch, null, dryRun, null, Callers.of(security)));
    }
}
