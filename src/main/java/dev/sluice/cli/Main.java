package dev.sluice.cli;

import io.quarkus.runtime.annotations.QuarkusMain;

/**
 * The entry of the jar. A plain {@code main}, so that a client command is done before a server would have loaded its first
 * class; only {@link ServeCommand} and {@link DevCommand} start Quarkus.
 */
@QuarkusMain
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        System.exit(SluiceCommand.commandLine().execute(arguments));
    }
}
