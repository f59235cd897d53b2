package dev.sluice.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Source files that grew past the length at which a concept is missing. */
final class SourceLengths {
    static final int LINES_MAX = 400;

    private SourceLengths() {}

    /** Files by their path below the folder, with their number of lines, if that is more than {@value #LINES_MAX}. */
    static Map<String, Integer> tooLong(Path folder) throws IOException {
        Map<String, Integer> tooLong = new TreeMap<>();
        for (Path file : javaFiles(folder)) {
            int lines = Files.readAllLines(file).size();
            if (lines > LINES_MAX) {
                tooLong.put(folder.relativize(file).toString().replace('\\', '/'), lines);
            }
        }
        return tooLong;
    }

    private static List<Path> javaFiles(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }
}
