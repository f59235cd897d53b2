package dev.sluice.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "completion",
        description = "Print the completion script for bash and zsh.",
        footer = {"", "To use it now:  source <(./sluice completion)"})
final class CompletionCommand implements Callable<Integer> {
    @Spec
    @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        if (spec != null) {
            spec.commandLine()
                    .getOut()
                    .println(AutoComplete.bash("sluice", spec.root().commandLine()));
        }
        return SluiceCommand.DONE;
    }
}
