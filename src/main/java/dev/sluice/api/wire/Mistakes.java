package dev.sluice.api.wire;

import dev.sluice.quota.Quantity;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects what is wrong with a body, so that its author hears of all of it at once. */
public final class Mistakes {
    private static final int TOLD_MAX = 20;

    private final List<FieldViolation> violations = new ArrayList<>();
    private @Nullable ProblemKind kind;

    public void add(String field, @Nullable String value, String rule) {
        add(ProblemKind.INVALID_FIELD, field, value, rule, List.of());
    }

    /** The first mistake names the kind of the problem. */
    public void add(ProblemKind of, String field, @Nullable String value, String rule, List<String> nearest) {
        if (kind == null) {
            kind = of;
        }
        violations.add(new FieldViolation(field, value, rule, nearest));
    }

    public boolean none() {
        return violations.isEmpty();
    }

    public boolean has(ProblemKind wanted) {
        return kind == wanted;
    }

    /** Null = not given, or wrong and told so. */
    public @Nullable Quantity quantity(String field, @Nullable String text) {
        if (text == null) {
            return null;
        }
        try {
            return Quantity.parse(text);
        } catch (IllegalArgumentException wrong) {
            add(field, text, String.valueOf(wrong.getMessage()));
            return null;
        }
    }

    /** Null = not given, and told so. */
    public @Nullable String required(String field, @Nullable String value) {
        if (value == null || value.isEmpty()) {
            add(field, value, "is required");
            return null;
        }
        return value;
    }

    public void orThrow() {
        if (kind != null) {
            throw rejection(kind);
        }
    }

    private Rejection rejection(ProblemKind of) {
        FieldViolation first = violations.getFirst();
        String detail = first.field() + " " + first.rule()
                + (violations.size() == 1 ? "." : "; and " + (violations.size() - 1) + " more.");
        return new Rejection(of, detail, violations.subList(0, Math.min(TOLD_MAX, violations.size())));
    }
}
