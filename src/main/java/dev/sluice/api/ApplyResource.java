package dev.sluice.api;

import dev.sluice.api.ConfigurationEdits.Outcome;
import dev.sluice.api.manifest.ConfigurationDocuments;
import dev.sluice.api.manifest.ConfigurationDocuments.Document;
import dev.sluice.api.manifest.ConfigurationExport;
import dev.sluice.api.wire.FieldViolation;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.Rejection;
import dev.sluice.scheduling.ConfigurationChange;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
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
import java.util.Locale;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The configuration as documents: many in at once, all or nothing; and out again. */
@Path("/api/v1")
@Singleton
@RunOnVirtualThread
@Tag(name = "queues and quotas")
public class ApplyResource {
    private final ConfigurationEdits edits;
    private final CurrentConfiguration current;

    ApplyResource(ConfigurationEdits edits, CurrentConfiguration current) {
        this.edits = edits;
        this.current = current;
    }

    /** @param version of the configuration after it */
    public record ApplyResponse(long version, List<DocumentReport> documents, List<FieldViolation> warnings) {}

    /** @param result {@code created}, {@code changed} or {@code unchanged} */
    public record DocumentReport(
            int index, String kind, @Nullable String namespace, String name, String result) {}

    @POST
    @Path("/apply")
    @Consumes({Bodies.YAML, Bodies.X_YAML, Bodies.TEXT_YAML, Bodies.JSON})
    @Produces(Bodies.JSON)
    @Operation(
            summary = "Create or replace many objects, all or nothing",
            description = "YAML documents in Sluice's shapes (apiVersion sluice.dev/v1, with kind and the fields of the"
                    + " object) or Kueue's (kueue.x-k8s.io/v1beta1 and v1beta2).")
    public ApplyResponse apply(
            byte @Nullable [] body,
            @QueryParam("dryRun") boolean dryRun,
            @HeaderParam(HttpHeaders.CONTENT_TYPE) @Nullable String contentType,
            @Context SecurityContext security) {
        byte[] given = Bodies.checked(body, Bodies.MANY_BYTES_MAX);
        List<Document> documents = ConfigurationDocuments.read(Bodies.documents(given, contentType));
        Outcome outcome = edits.apply(
                documents.stream().map(Document::change).toList(),
                Callers.of(security),
                dryRun,
                stored -> {},
                violation -> ConfigurationDocuments.located(violation, documents));
        return new ApplyResponse(
                outcome.after().configuration().version(),
                documents.stream().map(document -> report(document, outcome)).toList(),
                outcome.warnings().stream()
                        .map(warning -> ConfigurationDocuments.located(warning, documents))
                        .toList());
    }

    private static DocumentReport report(Document document, Outcome outcome) {
        ConfigurationChange change = document.change();
        return new DocumentReport(
                document.index(),
                document.kind(),
                ConfigurationDocuments.namespace(change),
                ConfigurationDocuments.name(change),
                outcome.effect(change).name().toLowerCase(Locale.ROOT));
    }

    @GET
    @Path("/export")
    @Produces({Bodies.YAML, Bodies.X_YAML, Bodies.TEXT_YAML})
    @Operation(summary = "The whole configuration as YAML that apply accepts")
    public Response export(@QueryParam("as") @DefaultValue("sluice") String shape) {
        String yaml = switch (shape) {
            case "sluice" -> ConfigurationExport.asSluice(current.fresh().configuration());
            case "kueue" -> ConfigurationExport.asKueue(current.fresh().configuration());
            default ->
                throw new Rejection(
                        ProblemKind.INVALID_PARAMETER,
                        "as must be sluice or kueue.",
                        List.of(new FieldViolation(
                                "as", shape, "must be sluice or kueue", List.of("sluice", "kueue"))));
        };
        return Response.ok(yaml).build();
    }
}
