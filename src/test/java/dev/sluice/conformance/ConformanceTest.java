package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("core")
class ConformanceTest {
    private static final Path VECTORS = Path.of("src/test/resources/conformance");
    private static final Path OWN = Path.of("src/test/resources/conformance-own");

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

    @Test
    void every_vector_that_the_engine_can_serve_agrees_and_the_rest_is_counted() {
        SortedMap<String, String> counts = new TreeMap<>();
        new ConformanceRunner()
                .tally(VECTORS, out)
                .forEach((operation, tally) -> counts.put(operation, tally.toString()));

        assertThat(printed.toString(StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("quirk ")))
                .isEmpty();
        counts.remove("quirks");
        assertThat(counts)
                .containsExactly(
                        entry("assign", "60 passed, 0 failed, 0 skipped"),
                        entry("available", "36 passed, 0 failed, 0 skipped"),
                        entry("cycle", "154 passed, 0 failed, 0 skipped"),
                        entry("drs", "42 passed, 0 failed, 0 skipped"),
                        entry("preempt", "124 passed, 0 failed, 0 skipped"),
                        entry("story", "203 passed, 0 failed, 29 skipped"),
                        entry("tas", "0 passed, 0 failed, 84 skipped"),
                        entry("usage", "24 passed, 0 failed, 0 skipped"));
    }

    @Test
    void every_vector_that_was_observed_for_this_suite_agrees() throws Exception {
        int vectors = Files.readAllLines(OWN.resolve("generated.jsonl")).size();

        int exitCode = new ConformanceRunner().run(OWN, out);

        assertThat(printed.toString(StandardCharsets.UTF_8).lines().toList())
                .contains("total: " + vectors + " passed, 0 failed, 0 skipped");
        assertThat(exitCode).isZero();
        assertThat(vectors).isGreaterThan(240);
    }

    @Test
    void every_world_in_which_kueue_never_settles_comes_to_rest_by_the_default_settings(@TempDir Path directory)
            throws Exception {
        Files.copy(VECTORS.resolve("quirks.jsonl"), directory.resolve("quirks.jsonl"));
        new ConformanceRunner().tally(directory, out);

        assertThat(printed.toString(StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> line.startsWith("quirk livelock-"))
                        .toList())
                .hasSize(8)
                .allSatisfy(line -> assertThat(line)
                        .contains("comes to rest by the default settings")
                        .hasSizeLessThan(120));
    }

    @Test
    void a_vector_with_another_answer_is_named_with_what_differed_and_fails_the_run(@TempDir Path directory)
            throws Exception {
        String vector = Files.readAllLines(VECTORS.resolve("available.jsonl")).getFirst();
        Files.writeString(
                directory.resolve("wrong.jsonl"),
                vector.replace("\"available\":\"15\"", "\"available\":\"16\"").replace("\"id\":\"", "\"id\":\"wrong-")
                        + "\n");

        int exitCode = new ConformanceRunner().run(directory, out);

        assertThat(exitCode).isEqualTo(1);
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("wrong-", "(available)", "expected 16, got 15")
                .endsWith("total: 0 passed, 1 failed, 0 skipped\n");
    }

    private static java.util.Map.Entry<String, String> entry(String key, String value) {
        return java.util.Map.entry(key, value);
    }
}
