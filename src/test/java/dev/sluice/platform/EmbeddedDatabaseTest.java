package dev.sluice.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedDatabaseTest {
    @TempDir
    private Path directory;

    @Test
    void it_keeps_its_data_and_its_url_when_it_is_stopped_and_started() throws SQLException {
        try (EmbeddedDatabase database = EmbeddedDatabase.in(directory)) {
            String url = database.jdbcUrl();
            execute(database, "create table kept (value int)");

            database.stop();
            assertThatThrownBy(() -> execute(database, "select 1")).isInstanceOf(SQLException.class);
            database.start();

            assertThat(database.jdbcUrl()).isEqualTo(url);
            execute(database, "insert into kept values (1)");
        }
        try (EmbeddedDatabase again = EmbeddedDatabase.in(directory)) {
            execute(again, "insert into kept values (2)");
        }
    }

    @Test
    void it_is_durable_and_asks_for_its_password() throws SQLException {
        try (EmbeddedDatabase database = EmbeddedDatabase.temporary()) {
            assertThat(setting(database, "fsync")).isEqualTo("on");
            assertThat(setting(database, "synchronous_commit")).isEqualTo("on");
            assertThat(setting(database, "full_page_writes")).isEqualTo("on");
            assertThatThrownBy(() -> DriverManager.getConnection(database.jdbcUrl(), database.user(), "guess"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("password");
        }
    }

    @Test
    void a_directory_in_use_is_refused() {
        try (EmbeddedDatabase database = EmbeddedDatabase.in(directory)) {
            assertThat(database.password()).isNotEmpty();
            assertThatThrownBy(() -> EmbeddedDatabase.in(directory))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("another process uses the database");
        }
    }

    @Test
    void what_a_killed_process_committed_is_there_for_the_next() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Victim.class.getName(),
                        directory.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Path committed = directory.resolve("committed");
        while (process.isAlive() && !Files.exists(committed)) {
            process.waitFor(50, TimeUnit.MILLISECONDS);
        }
        long leftBehind = Long.parseLong(
                Files.readAllLines(directory.resolve("data/postmaster.pid")).getFirst());

        process.destroyForcibly().waitFor();
        assertThat(ProcessHandle.of(leftBehind)).as("its server lives on").isPresent();

        try (EmbeddedDatabase database = EmbeddedDatabase.in(directory)) {
            assertThat(ProcessHandle.of(leftBehind).filter(ProcessHandle::isAlive))
                    .isEmpty();
            execute(database, "insert into kept values (2)");
        }
    }

    /** Looking whether a directory was left behind must not give up the lock on it. */
    @Test
    void a_second_database_of_a_process_leaves_the_first_locked_against_others() throws Exception {
        try (EmbeddedDatabase first = EmbeddedDatabase.temporary();
                EmbeddedDatabase second = EmbeddedDatabase.temporary()) {
            Process other = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Passerby.class.getName())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();

            assertThat(other.waitFor()).isZero();

            execute(first, "select 1");
            execute(second, "select 1");
        }
    }

    /** Takes a database of its own, and clears away what others left behind. */
    static final class Passerby {
        private Passerby() {}

        public static void main(String[] arguments) {
            EmbeddedDatabase.temporary().close();
        }
    }

    /** Commits, says so, and waits to be killed. */
    static final class Victim {
        private Victim() {}

        public static void main(String[] arguments) throws SQLException, IOException, InterruptedException {
            Path directory = Path.of(arguments[0]);
            EmbeddedDatabase database = EmbeddedDatabase.in(directory);
            execute(database, "create table kept (value int)");
            Files.createFile(directory.resolve("committed"));
            Thread.currentThread().join();
        }
    }

    private static void execute(EmbeddedDatabase database, String sql) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection(database.jdbcUrl(), database.user(), database.password());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String setting(EmbeddedDatabase database, String name) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection(database.jdbcUrl(), database.user(), database.password());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("show " + name)) {
            row.next();
            return row.getString(1);
        }
    }
}
