package dev.sluice.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Collects what differs between the expected and the real answer of one vector. */
final class Comparison {
    private final List<String> differences = new ArrayList<>();

    void same(String what, @Nullable Object expected, @Nullable Object actual) {
        if (!Objects.equals(expected, actual)) {
            differences.add(what + ": expected " + expected + ", got " + actual);
        }
    }

    Verdict verdict() {
        return differences.isEmpty() ? new Verdict.Passed() : new Verdict.Failed(String.join("; ", differences));
    }
}
