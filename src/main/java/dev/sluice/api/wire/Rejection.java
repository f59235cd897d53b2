package dev.sluice.api.wire;

import java.util.List;

/** A request that its caller must change. Carries no stack trace: it is an answer, not a fault. */
public final class Rejection extends RuntimeException {
    private final ProblemKind kind;
    private final List<FieldViolation> violations;

    public Rejection(ProblemKind kind, String detail, List<FieldViolation> violations) {
        super(detail, null, false, false);
        this.kind = kind;
        this.violations = List.copyOf(violations);
    }

    public Rejection(ProblemKind kind, String detail) {
        this(kind, detail, List.of());
    }

    public ProblemKind kind() {
        return kind;
    }

    public String detail() {
        return String.valueOf(getMessage());
    }

    public List<FieldViolation> violations() {
        return violations;
    }
}
