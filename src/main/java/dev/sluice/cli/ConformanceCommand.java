package dev.sluice.cli;

import dev.sluice.conformance.ConformanceRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "conformance",
        description = "Run recorded vectors of Kueue's decisions against the engine, in parity.",
        footer = {"", "Exit code 1: a vector failed. The product's own: src/test/resources/conformance"})
final class ConformanceCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", description = "A folder of *.jsonl files.")
    Path folder = Path.of("");

    @Override
    public Integer call() {
        if (!Files.isDirectory(folder)) {
            throw CommandFailed.wrongUse("there is no folder " + folder + ".");
        }
        return new ConformanceRunner().run(folder, System.out);
    }
}
