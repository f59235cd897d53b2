package dev.sluice.api;

import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.ProblemResponse;
import dev.sluice.api.wire.Rejection;
import dev.sluice.overview.UnreadableWorkload;
import dev.sluice.scheduling.ClusterUnavailable;
import dev.sluice.scheduling.StoreUnavailable;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.jspecify.annotations.Nullable;

/**
 * Turns whatever went wrong into a problem (RFC 9457). The caller's mistakes are told in full; a fault of the service only by a
 * correlation id, under which the log tells the rest.
 */
public final class ProblemMapper {
    private static final Logger LOG = Logger.getLogger(ProblemMapper.class.getName());
    private static final int RETRY_AFTER_SECONDS = 1;

    @ServerExceptionMapper
    public Response rejected(Rejection rejection, UriInfo uri) {
        return answer(ProblemResponse.of(rejection.kind(), rejection.detail(), instance(uri), rejection.violations()));
    }

    @ServerExceptionMapper
    public Response unavailable(StoreUnavailable unavailable, UriInfo uri) {
        LOG.log(Level.FINE, "the store cannot be reached", unavailable);
        ProblemResponse problem = ProblemResponse.of(
                ProblemKind.UNAVAILABLE,
                "The store cannot be reached, so nothing was acknowledged; try again.",
                instance(uri),
                List.of());
        return Response.fromResponse(answer(problem))
                .header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS)
                .build();
    }

    @ServerExceptionMapper
    public Response unavailable(ClusterUnavailable unavailable, UriInfo uri) {
        LOG.log(Level.FINE, "the cluster cannot be reached", unavailable);
        ProblemResponse problem = ProblemResponse.of(
                ProblemKind.UNAVAILABLE,
                "The cluster has not been reached yet, so what its namespaces add to pods is not known and nothing was"
                        + " acknowledged; try again.",
                instance(uri),
                List.of());
        return Response.fromResponse(answer(problem))
                .header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS)
                .build();
    }

    /** Not the caller's mistake; but who asks about one workload is told what is the matter with it. */
    @ServerExceptionMapper
    public Response unreadable(UnreadableWorkload unreadable, UriInfo uri) {
        LOG.log(Level.SEVERE, "a stored row cannot be read", unreadable);
        return answer(ProblemResponse.of(
                ProblemKind.INTERNAL, String.valueOf(unreadable.getMessage()), instance(uri), List.of()));
    }

    @ServerExceptionMapper
    public Response http(WebApplicationException failure, UriInfo uri) {
        int status = failure.getResponse().getStatus();
        ProblemKind kind = kind(status);
        if (kind == null) {
            return failure.getResponse();
        }
        if (kind == ProblemKind.INTERNAL) {
            return fault(failure, uri);
        }
        String instance = instance(uri);
        return answer(ProblemResponse.of(kind, detail(kind, instance), instance, List.of()));
    }

    @ServerExceptionMapper
    public Response fault(Throwable fault, UriInfo uri) {
        if (fault instanceof CompletionException wrapped && wrapped.getCause() != null) {
            return cause(wrapped.getCause(), uri);
        }
        String correlation = UUID.randomUUID().toString();
        LOG.log(Level.SEVERE, "fault " + correlation + " at " + instance(uri), fault);
        ProblemResponse problem = new ProblemResponse(
                ProblemKind.INTERNAL.type(),
                ProblemKind.INTERNAL.title(),
                ProblemKind.INTERNAL.status(),
                "The service failed; its log tells more under the correlation id.",
                instance(uri),
                correlation,
                List.of());
        return answer(problem);
    }

    private Response cause(Throwable cause, UriInfo uri) {
        return switch (cause) {
            case Rejection rejection -> rejected(rejection, uri);
            case StoreUnavailable unavailable -> unavailable(unavailable, uri);
            case ClusterUnavailable unavailable -> unavailable(unavailable, uri);
            case UnreadableWorkload unreadable -> unreadable(unreadable, uri);
            default -> fault(cause, uri);
        };
    }

    static Response answer(ProblemResponse problem) {
        return Response.status(problem.status())
                .type(ProblemResponse.MEDIA_TYPE)
                .entity(problem)
                .build();
    }

    private static String instance(UriInfo uri) {
        return uri.getRequestUri().getRawPath();
    }

    private static @Nullable ProblemKind kind(int status) {
        return switch (status) {
            case 400 -> ProblemKind.INVALID_PARAMETER;
            case 401 -> ProblemKind.UNAUTHORIZED;
            case 404 -> ProblemKind.NOT_FOUND;
            case 405 -> ProblemKind.METHOD_NOT_ALLOWED;
            case 406 -> ProblemKind.NOT_ACCEPTABLE;
            case 413 -> ProblemKind.BODY_TOO_LARGE;
            case 415 -> ProblemKind.UNSUPPORTED_MEDIA_TYPE;
            default -> status >= 500 ? ProblemKind.INTERNAL : null;
        };
    }

    private static String detail(ProblemKind kind, String path) {
        return switch (kind) {
            case NOT_FOUND -> "There is nothing at " + path + ".";
            case METHOD_NOT_ALLOWED -> path + " exists and does not take this method.";
            case UNSUPPORTED_MEDIA_TYPE ->
                "Send application/json or application/yaml (application/x-ndjson for a batch).";
            case NOT_ACCEPTABLE -> "The answer can only be had as the media types that the API document names.";
            case INVALID_PARAMETER -> "A parameter of the request cannot be read.";
            default -> kind.title() + ".";
        };
    }
}
