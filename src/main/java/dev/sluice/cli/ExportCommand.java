package dev.sluice.cli;

import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "export", description = "Print the configuration as YAML that apply accepts.")
final class ExportCommand implements Callable<Integer> {
    enum Shape {
        SLUICE,
        KUEUE
    }

    @Mixin
    ClientOptions service = new ClientOptions();

    @Option(
            names = "--as",
            paramLabel = "SHAPE",
            defaultValue = "sluice",
            description = "sluice (default), or kueue for Kueue's objects.")
    Shape shape = Shape.SLUICE;

    @Override
    public Integer call() {
        String yaml =
                service.client().getText("/export?as=" + shape.name().toLowerCase(Locale.ROOT), ServiceClient.YAML);
        service.terminal().print(yaml.stripTrailing());
        return SluiceCommand.DONE;
    }
}
