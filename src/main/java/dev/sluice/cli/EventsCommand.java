package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "events",
        description = "Show what happens, as it is committed; Ctrl-C ends it.",
        footer = {"", "With -o json each event is one line of JSON."})
final class EventsCommand implements Callable<Integer> {
    @Mixin
    ClientOptions service = new ClientOptions();

    @Option(
            names = "--follow",
            description = "Stay and show events as they come; this is what the command does anyway.")
    boolean follow;

    @Option(names = "--after", paramLabel = "POSITION", description = "Begin after this position of the event log.")
    @Nullable Long after;

    @Override
    public Integer call() {
        Terminal terminal = service.terminal();
        Map<String, String> headers = new LinkedHashMap<>();
        if (after != null) {
            headers.put("Last-Event-ID", after.toString());
        }
        ServiceClient client = service.client();
        ServerSentEvents events = new ServerSentEvents((id, name, text) -> tell(client, terminal, id, name, text));
        try (Stream<String> lines = client.stream("/events", headers)) {
            lines.forEach(events::line);
        }
        terminal.remark("The service has ended the stream.");
        return SluiceCommand.FAILED;
    }

    private void tell(ServiceClient client, Terminal terminal, String id, String name, String text) {
        switch (service.format) {
            case JSON -> terminal.print(text);
            case YAML -> {
                terminal.print("---");
                terminal.wrote(client.parse(text));
            }
            case TABLE -> terminal.print(sentence(id, name, client.parse(text)));
        }
    }

    private static String sentence(String id, String name, JsonNode event) {
        StringBuilder line = new StringBuilder(Words.text(event, "at"));
        line.append("  ").append(id).append("  ").append(name);
        if (event.hasNonNull("workload")) {
            line.append("  ").append(event.get("workload").asText());
        }
        event.path("body").properties().forEach(field -> {
            if (field.getValue().isValueNode() && !field.getValue().isNull()) {
                line.append("  ")
                        .append(field.getKey())
                        .append('=')
                        .append(field.getValue().asText());
            }
        });
        return line.toString();
    }
}
