package dev.sluice.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Runs every {@code *.jsonl} file of a directory. Prints a line per failing vector (id, operation, what differed), then per
 * operation and in total {@code N passed, N failed, N skipped}. Vectors of {@code quirks.jsonl} record behaviour that is
 * better not copied: they are reported apart and never fail a run.
 */
public final class ConformanceRunner {
    private static final String QUIRKS = "quirks.jsonl";
    /** Capabilities beyond the core that vectors may require. */
    private static final Set<String> SERVED = Set.of("partial", "reclaimable");

    private final ObjectMapper json = new ObjectMapper();

    /** What became of the vectors of one operation. */
    public static final class Tally {
        private int passed;
        private int failed;
        private int skipped;

        public int passed() {
            return passed;
        }

        public int failed() {
            return failed;
        }

        public int skipped() {
            return skipped;
        }

        private void add(Tally other) {
            passed += other.passed;
            failed += other.failed;
            skipped += other.skipped;
        }

        @Override
        public String toString() {
            return passed + " passed, " + failed + " failed, " + skipped + " skipped";
        }
    }

    /** @return 0 if nothing failed, else 1 */
    public int run(Path directory, PrintStream out) {
        SortedMap<String, Tally> tallies = tally(directory, out);
        Tally total = new Tally();
        tallies.forEach((operation, tally) -> {
            out.println(operation + ": " + tally);
            if (!operation.equals("quirks")) {
                total.add(tally);
            }
        });
        out.println("total: " + total);
        return total.failed() == 0 ? 0 : 1;
    }

    /** Per operation, and {@code quirks} for all that are not to be copied. */
    public SortedMap<String, Tally> tally(Path directory, PrintStream out) {
        SortedMap<String, Tally> tallies = new TreeMap<>();
        for (Path file : vectorFiles(directory)) {
            boolean quirks = String.valueOf(file.getFileName()).equals(QUIRKS);
            for (String line : lines(file)) {
                JsonNode vector = read(line);
                String operation = vector.path("op").asText();
                Verdict verdict = judge(vector);
                Tally tally = tallies.computeIfAbsent(quirks ? "quirks" : operation, key -> new Tally());
                switch (verdict) {
                    case Verdict.Passed passed -> tally.passed++;
                    case Verdict.Skipped skipped -> tally.skipped++;
                    case Verdict.Failed failed -> {
                        tally.failed++;
                        out.println((quirks ? "quirk " : "") + vector.path("id").asText() + " (" + operation + ") "
                                + (quirks ? inShort(vector, operation) : failed.difference()));
                    }
                }
            }
        }
        return tallies;
    }

    /** What Kueue does in such a world and this engine does not, never as a whole trace. */
    private static String inShort(JsonNode vector, String operation) {
        if (!operation.equals("story")) {
            return "is decided otherwise";
        }
        int instants = new RestQuestion(new VectorWorld(vector)).instantsToRest();
        return instants < 0
                ? "does not come to rest by the default settings"
                : "comes to rest by the default settings, in " + instants + " instants";
    }

    private static List<Path> vectorFiles(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".jsonl"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + directory, e);
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream()
                    .filter(line -> !line.isBlank())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    private JsonNode read(String line) {
        try {
            return json.readTree(line);
        } catch (IOException e) {
            throw new UncheckedIOException("not a vector: " + line.substring(0, Math.min(80, line.length())), e);
        }
    }

    private static Verdict judge(JsonNode vector) {
        for (JsonNode capability : vector.path("requires")) {
            if (!SERVED.contains(capability.asText())) {
                return new Verdict.Skipped(capability.asText());
            }
        }
        String operation = vector.path("op").asText();
        JsonNode alternatives = vector.path("expectOneOf");
        if (!alternatives.isArray()) {
            return judge(vector, operation, vector.path("expect"));
        }
        Verdict verdict = new Verdict.Skipped("an expected answer");
        for (JsonNode alternative : alternatives) {
            verdict = judge(vector, operation, alternative);
            if (verdict instanceof Verdict.Passed) {
                return verdict;
            }
        }
        return verdict;
    }

    private static Verdict judge(JsonNode vector, String operation, JsonNode expect) {
        VectorWorld world = new VectorWorld(vector);
        try {
            return switch (operation) {
                case "available" -> new LedgerQuestions(world).available(expect);
                case "drs" -> new ShareQuestion(world).judge(expect);
                case "usage" -> new LedgerQuestions(world).usage(expect);
                case "assign" -> new SnapshotQuestions(world).assign(expect);
                case "preempt" -> new SnapshotQuestions(world).preempt(expect);
                case "cycle" -> new CycleQuestion(world).judge(expect);
                case "story" -> new StoryQuestion(world).judge(expect);
                default -> new Verdict.Skipped(operation);
            };
        } catch (IllegalStateException | IllegalArgumentException e) {
            return new Verdict.Failed("the engine broke: " + e);
        }
    }
}
