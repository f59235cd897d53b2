package dev.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An error (RFC 9457).
 *
 * @param type stable URI of the kind of problem
 * @param correlationId by which the log tells what happened inside; null = the problem is the caller's to solve
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ProblemResponse(
        String type,
        String title,
        int status,
        String detail,
        @Nullable String instance,
        @Nullable String correlationId,
        List<FieldViolation> violations) {
    public static final String MEDIA_TYPE = "application/problem+json";

    public static ProblemResponse of(
            ProblemKind kind, String detail, @Nullable String instance, List<FieldViolation> violations) {
        return new ProblemResponse(kind.type(), kind.title(), kind.status(), detail, instance, null, violations);
    }
}
