package dev.sluice.api.wire;

/** Kinds of problem that REST answers with. The slug is the end of its stable type URI. */
public enum ProblemKind {
    MALFORMED_BODY(400, "malformed-body", "The body is not well-formed"),
    EMPTY_BODY(400, "empty-body", "The body is empty"),
    INVALID_PARAMETER(400, "invalid-parameter", "A parameter is not valid"),
    UNAUTHORIZED(401, "unauthorized", "A bearer token is needed"),
    NOT_FOUND(404, "not-found", "There is no such thing"),
    METHOD_NOT_ALLOWED(405, "method-not-allowed", "This path does not take the method"),
    NOT_ACCEPTABLE(406, "not-acceptable", "None of the accepted media types can be produced"),
    NAME_TAKEN(409, "name-taken", "The name is taken"),
    REFUSED(409, "refused", "The wish cannot be followed as things stand"),
    IN_USE(409, "in-use", "The object is still in use"),
    STALE(412, "stale", "The object is not the one that was expected"),
    BODY_TOO_LARGE(413, "body-too-large", "The body is too large"),
    UNSUPPORTED_MEDIA_TYPE(415, "unsupported-media-type", "The media type is not supported"),
    UNKNOWN_FIELD(422, "unknown-field", "The body has a field that is not known"),
    UNSUPPORTED_FIELD(422, "unsupported-field", "The body uses something that is not supported yet"),
    UNSUPPORTED_KIND(422, "unsupported-kind", "The kind of document is not supported"),
    INVALID_FIELD(422, "invalid-field", "The body breaks a rule"),
    UNKNOWN_QUEUE(422, "unknown-queue", "The queue does not exist"),
    UNKNOWN_PRIORITY_CLASS(422, "unknown-priority-class", "The priority class does not exist"),
    INVALID_CONFIGURATION(422, "invalid-configuration", "The configuration would break a rule"),
    REFUSED_BY_CLUSTER(422, "refused-by-cluster", "The cluster would not take the manifest"),
    KEY_REUSED(422, "idempotency-key-reused", "The idempotency key was used with another body"),
    INTERNAL(500, "internal", "Something went wrong inside the service"),
    UNAVAILABLE(503, "unavailable", "The store cannot be reached");

    private static final String BASE = "https://sluice.dev/problems/";

    private final int status;
    private final String slug;
    private final String title;

    ProblemKind(int status, String slug, String title) {
        this.status = status;
        this.slug = slug;
        this.title = title;
    }

    public int status() {
        return status;
    }

    public String type() {
        return BASE + slug;
    }

    public String title() {
        return title;
    }
}
