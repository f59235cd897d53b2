package dev.sluice.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads what a person names as input: a file, or {@code -} for standard input. */
final class InputFiles {
    private InputFiles() {}

    static String read(Path file) {
        if (file.toString().equals("-")) {
            try {
                return new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        if (!Files.isRegularFile(file)) {
            throw CommandFailed.wrongUse("there is no file " + file + ". For standard input, give -.");
        }
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw CommandFailed.failed("cannot read " + file + " as UTF-8 text: " + e.getMessage());
        }
    }
}
