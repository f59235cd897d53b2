package dev.sluice.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** What one run of the command line told. */
record Told(int exitCode, String out, String err) {
    static Told by(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine commandLine =
                SluiceCommand.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        int exitCode = commandLine.execute(arguments);
        return new Told(exitCode, out.toString(), err.toString());
    }
}
