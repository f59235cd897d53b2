package dev.sluice.platform;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server of this process's own, for {@code dev} and for tests. It is durable (fsync on), listens on loopback only,
 * asks for a password, and ends with the process. If the process was killed, the next one that uses the same directory ends the
 * server left behind and recovers what it had committed.
 *
 * <p>Safe for use by one thread at a time.
 */
public final class EmbeddedDatabase implements AutoCloseable {
    private static final String USER = "postgres";
    private static final String DATABASE = "postgres";
    private static final Duration START_PATIENCE = Duration.ofSeconds(60);

    private final DatabaseDirectory directory;
    private final int port;
    private final Thread closer = new Thread(this::close, "sluice-database-closer");
    private String password = "";
    private @Nullable EmbeddedPostgres server;

    private EmbeddedDatabase(DatabaseDirectory directory) {
        this.directory = directory;
        this.port = freePort();
    }

    /** A new database that is deleted when it is closed. */
    public static EmbeddedDatabase temporary() {
        return started(DatabaseDirectory.temporary());
    }

    /**
     * The database kept in {@code directory}, made if it is not there.
     *
     * @throws IllegalStateException if another live process uses the directory
     */
    public static EmbeddedDatabase in(Path directory) {
        return started(DatabaseDirectory.kept(directory));
    }

    private static EmbeddedDatabase started(DatabaseDirectory directory) {
        EmbeddedDatabase database = new EmbeddedDatabase(directory);
        boolean started = false;
        try {
            database.start();
            started = true;
        } finally {
            if (!started) {
                directory.close();
            }
        }
        Runtime.getRuntime().addShutdownHook(database.closer);
        return database;
    }

    /**
     * Leaves its end to the caller: it does not end with the process any more. For who has to end something else first, since the
     * hooks of a process run all at once.
     */
    public EmbeddedDatabase endedByCaller() {
        Runtime.getRuntime().removeShutdownHook(closer);
        return this;
    }

    public String jdbcUrl() {
        return jdbcUrl(DATABASE);
    }

    /** URL of another database of this server, whether or not it exists. */
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    public String user() {
        return USER;
    }

    public String password() {
        return password;
    }

    /** Starts the server again after {@link #stop}, with the same data under the same URL. */
    public void start() {
        if (server != null) {
            throw new IllegalStateException("the database runs already");
        }
        directory.endServerLeftBehind();
        password = directory.password().orElse("");
        boolean fresh = password.isEmpty();
        if (fresh) {
            directory.clear();
        }
        try {
            EmbeddedPostgres started = configured().start();
            server = started;
            if (fresh) {
                requirePassword(started);
            }
        } catch (IOException | IllegalStateException failed) {
            throw new IllegalStateException(
                    "the embedded PostgreSQL did not start in " + directory.root() + "; give the service a PostgreSQL"
                            + " by quarkus.datasource.jdbc.url instead, or remove the directory to begin anew",
                    failed);
        }
    }

    private EmbeddedPostgres.Builder configured() {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setDataDirectory(directory.data())
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false)
                .setPort(port)
                .setPGStartupWait(START_PATIENCE)
                .setLocaleConfig("locale", "C")
                // The library is made for throw-away data: it starts the server with -F and asynchronous commits.
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("listen_addresses", "127.0.0.1")
                .setServerConfig("unix_socket_directories", "")
                .setServerConfig("max_connections", "100")
                .setServerConfig("shared_buffers", "256MB")
                .setServerConfig("wal_buffers", "16MB")
                .setServerConfig("max_wal_size", "2GB")
                .setServerConfig("checkpoint_timeout", "15min")
                .setServerConfig("random_page_cost", "1.1")
                .setServerConfig("log_min_messages", "fatal");
        if (!password.isEmpty()) {
            builder.setConnectConfig("password", password);
        }
        return builder;
    }

    /** The server is made without a password; from the first start on it asks for one, kept in a file that only its owner reads. */
    private void requirePassword(EmbeddedPostgres started) throws IOException {
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        String chosen = HexFormat.of().formatHex(random);
        try (Connection connection = started.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("alter role " + USER + " password '" + chosen + "'");
            directory.requirePassword(chosen);
            statement.execute("select pg_reload_conf()");
        } catch (SQLException failed) {
            throw new IOException("the new database does not answer", failed);
        }
        password = chosen;
    }

    /** Ends the server and keeps its data; sessions are cut off. */
    public void stop() {
        EmbeddedPostgres running = server;
        if (running == null) {
            return;
        }
        server = null;
        try {
            running.close();
        } catch (IOException failed) {
            throw new UncheckedIOException("the embedded PostgreSQL did not stop", failed);
        }
        // The library asks for five seconds and then leaves a busy server to itself.
        directory.endServerLeftBehind();
    }

    @Override
    public synchronized void close() {
        if (directory.isTemporary()) {
            // Nobody will read what a clean end would write.
            directory.endServerLeftBehind();
            server = null;
        } else {
            stop();
        }
        directory.close();
        if (Thread.currentThread() != closer) {
            try {
                Runtime.getRuntime().removeShutdownHook(closer);
            } catch (IllegalStateException alreadyShuttingDown) {
                // then the hook finds nothing left to do
            }
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException failed) {
            throw new UncheckedIOException("no free port on loopback", failed);
        }
    }
}
