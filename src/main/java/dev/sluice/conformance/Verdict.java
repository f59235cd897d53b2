package dev.sluice.conformance;

/** What became of one vector. */
sealed interface Verdict {
    record Passed() implements Verdict {}

    /** @param difference what was expected and what came instead, on one line */
    record Failed(String difference) implements Verdict {}

    /** @param needs the capability that the engine lacks */
    record Skipped(String needs) implements Verdict {}
}
