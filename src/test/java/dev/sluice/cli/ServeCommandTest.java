package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ServeCommandTest {
    private static ServeCommand serve(String... options) {
        ServeCommand command = new ServeCommand();
        new CommandLine(command).parseArgs(options);
        return command;
    }

    @Test
    void options_become_configuration() {
        assertThat(serve("--port", "9000", "--jdbc-url", "jdbc:postgresql://db/sluice", "--jdbc-user", "u")
                        .configuration())
                .containsEntry("quarkus.http.host", "127.0.0.1")
                .containsEntry("quarkus.http.port", "9000")
                .containsEntry("quarkus.datasource.jdbc.url", "jdbc:postgresql://db/sluice")
                .containsEntry("quarkus.datasource.username", "u")
                .doesNotContainKey("quarkus.datasource.password");
    }

    @Test
    void a_database_is_required() {
        assertThatThrownBy(() -> serve().configuration()).hasMessageContaining("--jdbc-url");
    }

    @Test
    void off_loopback_a_token_is_required() {
        String[] open = {"--host", "0.0.0.0", "--jdbc-url", "jdbc:postgresql://db/sluice"};
        assertThatThrownBy(() -> serve(open).configuration()).hasMessageContaining("a token is required");
        assertThat(serve("--host", "0.0.0.0", "--jdbc-url", "jdbc:postgresql://db/sluice", "--token", "t")
                        .configuration())
                .containsEntry("sluice.security.token", "t");
    }
}
