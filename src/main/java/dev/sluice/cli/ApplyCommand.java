package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "apply",
        description = "Create or replace queues, cohorts, flavors and the like from YAML documents: Sluice's shapes or"
                + " Kueue's. All or nothing.")
final class ApplyCommand implements Callable<Integer> {
    @Mixin
    ClientOptions service = new ClientOptions();

    @Option(
            names = {"-f", "--file"},
            required = true,
            paramLabel = "FILE",
            description = "A file of YAML documents, or - for standard input; may be given several times.")
    List<Path> files = new ArrayList<>();

    @Option(names = "--dry-run", description = "Say what it would change, and change nothing.")
    boolean dryRun;

    @Override
    public Integer call() {
        List<String> texts = new ArrayList<>();
        files.forEach(file -> texts.add(InputFiles.read(file)));
        JsonNode report = service.client()
                .post(
                        "/apply" + (dryRun ? "?dryRun=true" : ""),
                        ServiceClient.YAML,
                        String.join("\n---\n", texts),
                        Map.of());
        Terminal terminal = service.terminal();
        if (terminal.wrote(report)) {
            return SluiceCommand.DONE;
        }
        JsonNode documents = report.isArray() ? report : report.path("documents");
        for (JsonNode document : documents) {
            terminal.print(sentence(document));
        }
        if (documents.isEmpty()) {
            terminal.print("Nothing to apply: no document in the input.");
        } else if (dryRun) {
            terminal.print("Nothing was stored: this was a dry run.");
        }
        return SluiceCommand.DONE;
    }

    private static String sentence(JsonNode document) {
        String namespace = document.path("namespace").asText("");
        return document.path("kind").asText("?") + " "
                + (namespace.isEmpty() ? "" : namespace + "/")
                + document.path("name").asText("?")
                + ": "
                + document.path("result")
                        .asText(document.path("change").asText("applied"))
                        .toLowerCase(Locale.ROOT);
    }
}
