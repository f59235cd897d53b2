package dev.sluice.platform;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where an embedded server keeps its data, and which process may use it: whoever holds the lock on it. The lock ends with its
 * process however that ends, so a server that still runs in an unlocked directory was left behind and may be ended.
 */
final class DatabaseDirectory implements AutoCloseable {
    private static final long END_PATIENCE_SECONDS = 10;

    /**
     * The system property that lists the directories this process holds, one per line, whichever class loader asks. The lock file
     * of one of these must not even be opened: on POSIX, closing any descriptor of a file gives up every lock that the process has
     * on it. A text, since libraries read the system properties and expect nothing else there.
     */
    private static final String HELD = "sluice.database.held";

    private final Path root;
    private final boolean temporary;
    private final FileChannel lockChannel;

    private DatabaseDirectory(Path root, boolean temporary, FileChannel lockChannel) {
        this.root = root;
        this.temporary = temporary;
        this.lockChannel = lockChannel;
    }

    static DatabaseDirectory kept(Path root) {
        DatabaseDirectory directory = locked(root.toAbsolutePath(), false);
        if (directory == null) {
            throw new IllegalStateException(
                    "another process uses the database in " + root + "; stop it, or choose another" + " directory");
        }
        return directory;
    }

    /** Also removes temporary directories whose process was killed. */
    static DatabaseDirectory temporary() {
        Path all = Path.of(System.getProperty("java.io.tmpdir"), "sluice-postgres-" + System.getProperty("user.name"));
        removeLeftBehind(all);
        while (true) {
            DatabaseDirectory directory = locked(all.resolve(UUID.randomUUID().toString()), true);
            if (directory != null) {
                return directory;
            }
            // Another process took the new directory for one left behind, before it was locked.
        }
    }

    /** Null if this process or another holds it. */
    private static @Nullable DatabaseDirectory locked(Path root, boolean temporary) {
        synchronized (System.getProperties()) {
            if (held().contains(line(root))) {
                return null;
            }
            try {
                Files.createDirectories(root);
                FileChannel channel =
                        FileChannel.open(root.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                if (tryLock(channel) == null) {
                    channel.close();
                    return null;
                }
                hold(root);
                return new DatabaseDirectory(root, temporary, channel);
            } catch (IOException failed) {
                throw new UncheckedIOException("cannot use " + root + " for a database", failed);
            }
        }
    }

    private static Set<String> held() {
        return System.getProperty(HELD, "").lines().collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static void hold(Path root) {
        Set<String> held = held();
        held.add(line(root));
        System.setProperty(HELD, String.join("\n", held));
    }

    private static void letGo(Path root) {
        synchronized (System.getProperties()) {
            Set<String> held = held();
            held.remove(line(root));
            System.setProperty(HELD, String.join("\n", held));
        }
    }

    private static String line(Path root) {
        return root.toAbsolutePath().normalize().toString();
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException heldByThisProcess) {
            return null;
        }
    }

    private static void removeLeftBehind(Path all) {
        if (!Files.isDirectory(all)) {
            return;
        }
        List<Path> roots;
        try (Stream<Path> listed = Files.list(all)) {
            roots = listed.filter(Files::isDirectory).toList();
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot list " + all, failed);
        }
        for (Path root : roots) {
            DatabaseDirectory left = locked(root, true);
            if (left != null) {
                left.endServerLeftBehind();
                left.close();
            }
        }
    }

    Path root() {
        return root;
    }

    Path data() {
        return root.resolve("data");
    }

    private Path passwordFile() {
        return root.resolve("password");
    }

    /** Empty until the database was made in full and asks for it. */
    Optional<String> password() {
        try {
            return Files.exists(passwordFile()) ? Optional.of(Files.readString(passwordFile())) : Optional.empty();
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot read " + passwordFile(), failed);
        }
    }

    /** From the next reload on, nobody gets in without it. The file comes last: it marks the database as complete. */
    void requirePassword(String password) throws IOException {
        Files.writeString(data().resolve("pg_hba.conf"), "host all all 127.0.0.1/32 scram-sha-256\n");
        Path draft = root.resolve("password.draft");
        Files.deleteIfExists(draft);
        Files.createFile(draft, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(draft, password);
        Files.move(draft, passwordFile(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Removes what a start that did not finish left. */
    void clear() {
        deleteTree(data());
    }

    boolean isTemporary() {
        return temporary;
    }

    /**
     * Ends the server that still runs on this data, if one does: one whose data is kept may finish its writing first. Either way
     * the next server recovers what was committed.
     */
    void endServerLeftBehind() {
        Path pidFile = data().resolve("postmaster.pid");
        if (!Files.exists(pidFile)) {
            return;
        }
        try {
            List<String> lines = Files.readAllLines(pidFile);
            Optional<ProcessHandle> server = lines.isEmpty()
                    ? Optional.empty()
                    : ProcessHandle.of(Long.parseLong(lines.getFirst().strip()));
            server.filter(this::isServerOfThisData).ifPresent(process -> end(process, temporary ? "-QUIT" : "-INT"));
        } catch (IOException | NumberFormatException unreadable) {
            throw new IllegalStateException(
                    "cannot tell from " + pidFile + " whether its server still runs", unreadable);
        }
    }

    /** The number may belong to something else by now. */
    private boolean isServerOfThisData(ProcessHandle process) {
        ProcessHandle.Info told = process.info();
        return told.command().orElse("").endsWith("postgres")
                && told.arguments()
                        .map(arguments -> List.of(arguments).contains(data().toString()))
                        .orElse(true);
    }

    private static void end(ProcessHandle server, String signal) {
        try {
            new ProcessBuilder("kill", signal, Long.toString(server.pid()))
                    .start()
                    .waitFor(END_PATIENCE_SECONDS, TimeUnit.SECONDS);
            server.onExit().get(END_PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (IOException | TimeoutException | ExecutionException stubborn) {
            server.destroyForcibly();
            server.onExit().join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a database left behind was ended", interrupted);
        }
    }

    @Override
    public void close() {
        if (!lockChannel.isOpen()) {
            return;
        }
        if (temporary) {
            deleteTree(root);
        }
        try {
            lockChannel.close();
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot release " + root, failed);
        } finally {
            letGo(root);
        }
    }

    private static void deleteTree(Path top) {
        if (!Files.exists(top)) {
            return;
        }
        try (Stream<Path> walk = Files.walk(top)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (NoSuchFileException | DirectoryNotEmptyException raced) {
            // Another process clears the same folder away at this moment, or its last server still writes there.
        } catch (UncheckedIOException failed) {
            if (!(failed.getCause() instanceof NoSuchFileException)) {
                throw failed;
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot remove " + top, failed);
        }
    }
}
