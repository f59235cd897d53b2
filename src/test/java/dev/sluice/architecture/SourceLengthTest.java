package dev.sluice.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceLengthTest {
    /** By path below src/main/java, with the reason for which it stays in one piece. */
    private static final Map<String, String> JUSTIFIED = new TreeMap<>();

    @Test
    void no_source_file_hides_a_missing_concept() throws IOException {
        assertThat(SourceLengths.tooLong(Path.of("src/main/java")).keySet())
                .as("files of more than %d lines without a reason in JUSTIFIED", SourceLengths.LINES_MAX)
                .isSubsetOf(JUSTIFIED.keySet());
    }

    @Test
    void no_reason_outlives_its_file() throws IOException {
        assertThat(JUSTIFIED.keySet())
                .isSubsetOf(SourceLengths.tooLong(Path.of("src/main/java")).keySet());
    }

    @Test
    void a_planted_long_file_is_found(@TempDir Path folder) throws IOException {
        Files.write(folder.resolve("Long.java"), Collections.nCopies(SourceLengths.LINES_MAX + 1, ""));
        Files.write(folder.resolve("Short.java"), Collections.nCopies(SourceLengths.LINES_MAX, ""));

        assertThat(SourceLengths.tooLong(folder)).containsExactly(Map.entry("Long.java", SourceLengths.LINES_MAX + 1));
    }
}
