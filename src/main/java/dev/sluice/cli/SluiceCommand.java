package dev.sluice.cli;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The root of the command line.
 *
 * <p>Exit codes: 0 done; 1 asked and refused, failed, or the service could not be reached; 2 the command itself was wrong.
 */
@Command(
        name = "sluice",
        description = "Quotas, borrowing, priority queues and preemption for a shared GPU fleet.",
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        subcommands = {
            DevCommand.class,
            ServeCommand.class,
            SubmitCommand.class,
            ListCommand.class,
            ExplainCommand.class,
            CancelCommand.class,
            QueuesCommand.class,
            QuotaCommand.class,
            ApplyCommand.class,
            ExportCommand.class,
            EventsCommand.class,
            BenchCommand.class,
            FleetCommand.class,
            ConformanceCommand.class,
            VersionCommand.class,
            CompletionCommand.class,
            TrainCommand.class,
            HelpCommand.class,
        },
        footer = {
            "",
            "The launcher adds: ./sluice build, ./sluice test [--fast], ./sluice mutation [PACKAGE|CLASS],",
            "./sluice jdk (which one it uses).",
            "Exit codes: 0 done; 1 refused, failed or out of reach; 2 wrong use of the command.",
        })
final class SluiceCommand implements Runnable {
    static final int DONE = 0;
    static final int FAILED = 1;
    static final int WRONG_USE = 2;

    @Spec
    @Nullable CommandSpec spec;

    static CommandLine commandLine() {
        CommandLine commandLine = new CommandLine(new SluiceCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setUsageHelpLongOptionsMaxWidth(40)
                .setParameterExceptionHandler(SluiceCommand::explainWrongUse)
                .setExecutionExceptionHandler(SluiceCommand::explainFailure);
        addHelp(commandLine);
        return commandLine;
    }

    /** {@code --help} everywhere; picocli's own {@code help} command has it already. */
    private static void addHelp(CommandLine commandLine) {
        CommandSpec spec = commandLine.getCommandSpec();
        if (!spec.optionsMap().containsKey("--help")) {
            spec.addOption(OptionSpec.builder("-h", "--help")
                    .usageHelp(true)
                    .description("Show this help.")
                    .build());
        }
        commandLine.getSubcommands().values().forEach(SluiceCommand::addHelp);
    }

    @Override
    public void run() {
        if (spec != null) {
            spec.commandLine().usage(spec.commandLine().getOut());
        }
    }

    private static int explainWrongUse(ParameterException wrongUse, String[] arguments) {
        CommandLine command = wrongUse.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("sluice: " + wrongUse.getMessage());
        if (!UnmatchedArgumentException.printSuggestions(wrongUse, err)) {
            err.println("See: sluice help "
                    + command.getCommandSpec().qualifiedName().replaceFirst("^sluice ?", ""));
        }
        return WRONG_USE;
    }

    /** A failure that a command foresaw is told in its own words; anything else is a bug and keeps its trace. */
    private static int explainFailure(Exception failure, CommandLine command, ParseResult parsed) throws Exception {
        if (failure instanceof CommandFailed foreseen) {
            command.getErr().println("sluice: " + foreseen.getMessage());
            return foreseen.exitCode();
        }
        throw failure;
    }
}
