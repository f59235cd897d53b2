package dev.sluice.api;

import dev.sluice.api.wire.FieldViolation;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.Rejection;
import java.util.List;

/** How many items a page may have. */
final class Limits {
    static final String DEFAULT = "50";

    private static final int MAX = 500;

    private Limits() {}

    static int checked(int limit) {
        if (limit < 1 || limit > MAX) {
            throw new Rejection(
                    ProblemKind.INVALID_PARAMETER,
                    "limit must be between 1 and " + MAX + ".",
                    List.of(new FieldViolation(
                            "limit", Integer.toString(limit), "must be between 1 and " + MAX, List.of())));
        }
        return limit;
    }
}
