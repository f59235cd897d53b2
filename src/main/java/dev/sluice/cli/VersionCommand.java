package dev.sluice.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(name = "version", description = "Print the version of Sluice and of the Java that runs it.")
final class VersionCommand implements Callable<Integer> {
    @Spec
    @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        if (spec != null) {
            spec.commandLine().getOut().println("sluice " + Version.text() + " (Java " + Runtime.version() + ")");
        }
        return SluiceCommand.DONE;
    }
}
