package dev.sluice.testkit;

import dev.sluice.platform.EmbeddedDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.flywaydb.core.Flyway;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * The PostgreSQL server that tests use, one per JVM: the one named by {@code SLUICE_TEST_JDBC_URL} (with
 * {@code SLUICE_TEST_JDBC_USER} and {@code SLUICE_TEST_JDBC_PASSWORD}; it must be allowed to create databases); else a container,
 * if a Docker engine answers; else embedded binaries. Each test class takes a database of its own.
 */
public final class PostgresForTests {
    /** Class loaders of one JVM share the server by this; Quarkus runs tests in one of its own. */
    private static final String SHARED = "sluice.test.postgres";

    private static final String TEMPLATE = "sluice_template_" + suffix();

    private static boolean templateMade;

    private PostgresForTests() {}

    /** @param jdbcUrl of its maintenance database */
    record Server(String jdbcUrl, String user, String password) {
        String jdbcUrl(String database) {
            int query = jdbcUrl.indexOf('?');
            String options = query < 0 ? "" : jdbcUrl.substring(query);
            String plain = query < 0 ? jdbcUrl : jdbcUrl.substring(0, query);
            return plain.substring(0, plain.lastIndexOf('/') + 1) + database + options;
        }

        void execute(String sql) {
            try (Connection connection = DriverManager.getConnection(jdbcUrl, user, password);
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            } catch (SQLException failed) {
                throw new IllegalStateException("the test server refused: " + sql, failed);
            }
        }
    }

    /** A new database with the schema in it. */
    public static synchronized TestDatabase freshDatabase() {
        Server server = server();
        if (!templateMade) {
            server.execute("create database " + TEMPLATE);
            Flyway.configure()
                    .dataSource(server.jdbcUrl(TEMPLATE), server.user(), server.password())
                    .locations("classpath:db/migrations")
                    .load()
                    .migrate();
            dropAtExit(server, TEMPLATE);
            templateMade = true;
        }
        return create(server, " template " + TEMPLATE);
    }

    /** A new database with nothing in it. */
    public static synchronized TestDatabase emptyDatabase() {
        return create(server(), "");
    }

    private static TestDatabase create(Server server, String options) {
        String name = "sluice_test_" + suffix();
        server.execute("create database " + name + options);
        dropAtExit(server, name);
        return new TestDatabase(server.jdbcUrl(name), server.user(), server.password());
    }

    /** A server that outlives this process is left as it was found. */
    private static void dropAtExit(Server server, String database) {
        if (System.getenv("SLUICE_TEST_JDBC_URL") != null) {
            Runtime.getRuntime()
                    .addShutdownHook(
                            new Thread(() -> server.execute("drop database if exists " + database + " with (force)")));
        }
    }

    private static String suffix() {
        return UUID.randomUUID().toString().substring(0, 8);
    }

    private static Server server() {
        synchronized (System.getProperties()) {
            String shared = System.getProperty(SHARED);
            if (shared == null) {
                Server started = start();
                System.setProperty(SHARED, String.join("\n", started.jdbcUrl(), started.user(), started.password()));
                return started;
            }
            String[] parts = shared.split("\n", -1);
            return new Server(parts[0], parts[1], parts[2]);
        }
    }

    private static Server start() {
        String given = System.getenv("SLUICE_TEST_JDBC_URL");
        if (given != null) {
            return new Server(
                    given,
                    System.getenv().getOrDefault("SLUICE_TEST_JDBC_USER", "postgres"),
                    System.getenv().getOrDefault("SLUICE_TEST_JDBC_PASSWORD", ""));
        }
        if (DockerClientFactory.instance().isDockerAvailable()) {
            return startContainer();
        }
        EmbeddedDatabase embedded = EmbeddedDatabase.temporary();
        return new Server(embedded.jdbcUrl(), embedded.user(), embedded.password());
    }

    /** Testcontainers ends it with the process. */
    @SuppressWarnings("resource")
    private static Server startContainer() {
        PostgreSQLContainer container = new PostgreSQLContainer("postgres:17-alpine");
        container.start();
        return new Server(container.getJdbcUrl(), container.getUsername(), container.getPassword());
    }
}
