package dev.sluice.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What every command that asks the service has: where it is, who asks, how the answer is written. */
final class ClientOptions {
    enum Format {
        TABLE,
        JSON,
        YAML
    }

    @Spec(Spec.Target.MIXEE)
    @Nullable CommandSpec mixee;

    @Option(
            names = "--server",
            paramLabel = "URL",
            defaultValue = "${env:SLUICE_SERVER:-http://127.0.0.1:8080}",
            description = "Where the service is. SLUICE_SERVER, default http://127.0.0.1:8080.")
    String server = "http://127.0.0.1:8080";

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            defaultValue = "${env:SLUICE_TOKEN}",
            description = "Token of the service; better by SLUICE_TOKEN, since arguments can be seen.")
    @Nullable String token;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "table (default), json or yaml.")
    Format format = Format.TABLE;

    ServiceClient client() {
        return new ServiceClient(server, token);
    }

    Terminal terminal() {
        if (mixee == null) {
            throw new IllegalStateException("the options stand outside of a command");
        }
        return new Terminal(mixee.commandLine().getOut(), mixee.commandLine().getErr(), format);
    }
}
