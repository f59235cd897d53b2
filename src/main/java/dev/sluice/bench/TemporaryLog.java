package dev.sluice.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file for a child's output, gone when closed. */
final class TemporaryLog implements AutoCloseable {
    private final Path path;

    TemporaryLog() {
        try {
            path = Files.createTempFile("sluice-bench-", ".log");
        } catch (IOException failed) {
            throw new UncheckedIOException("no temporary file can be made", failed);
        }
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot remove " + path, failed);
        }
    }
}
