package dev.sluice.api;

import dev.sluice.api.ConfigurationDesk.Wish;
import dev.sluice.api.wire.AdmissionCheckBody;
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

/** AdmissionChecks: what must agree between quota and start. */
@Path("/api/v1/admission-checks")
@Singleton
@Produces(Bodies.JSON)
@RunOnVirtualThread
@Tag(name = "queues and quotas")
public class AdmissionCheckResource {
    private static final ConfigurationKind KIND = ConfigurationKind.ADMISSION_CHECK;

    private final ConfigurationDesk desk;

    AdmissionCheckResource(ConfigurationDesk desk) {
        this.desk = desk;
    }

    @GET
    @Operation(summary = "List AdmissionChecks by name")
    public Response list(
            @QueryParam("limit") @DefaultValue(Limits.DEFAULT) int limit, @QueryParam("after") @Nullable String after) {
        return desk.list(KIND, null, Limits.checked(limit), after);
    }

    @GET
    @Path("/{name}")
    @Operation(summary = "Read an AdmissionCheck; its ETag changes with its specification")
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = AdmissionCheckBody.class)))
    public Response get(@PathParam("name") String name) {
        return desk.get(KIND, name);
    }

    @PUT
    @Path("/{name}")
    @Consumes({Bodies.JSON, Bodies.YAML, Bodies.X_YAML, Bodies.TEXT_YAML})
    @Operation(summary = "Create or replace an AdmissionCheck; with dryRun, say what it would do")
    @RequestBody(content = @Content(schema = @Schema(implementation = AdmissionCheckBody.class)))
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = AdmissionCheckBody.class)))
    public Response put(
            @PathParam("name") String name,
            byte @Nullable [] body,
            @QueryParam("dryRun") boolean dryRun,
            @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String ifMatch,
            @HeaderParam(HttpHeaders.IF_NONE_MATCH) @Nullable String ifNoneMatch,
            @HeaderParam(HttpHeaders.CONTENT_TYPE) @Nullable String contentType,
            @Context SecurityContext security) {
        return desk.put(KIND, name, body, new Wish(ifMatch, ifNoneMatch, dryRun, contentType, Callers.of(security)));
    }

    @DELETE
    @Path("/{name}")
    @Operation(summary = "Delete an AdmissionCheck")
    public Response delete(
            @PathParam("name") String name,
            @QueryParam("dryRun") boolean dryRun,
            @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String ifMatch,
            @Context SecurityContext security) {
        return desk.delete(KIND, name, new Wish(ifMatch, null, dryRun, null, Callers.of(security)));
    }
}
