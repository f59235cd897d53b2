package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "quota",
        description = "Show teams and their quota lines: what is guaranteed, used, borrowed, lent and waited for.",
        footer = {"", "Queues without a team stand under their own name."})
final class QuotaCommand implements Callable<Integer> {
    private static final int QUEUES_MAX = 100_000;

    @Mixin
    ClientOptions service = new ClientOptions();

    @Option(names = "--team", paramLabel = "TEAM", description = "Only this team's.")
    @Nullable String team;

    @Override
    public Integer call() {
        JsonNode queues = service.client().getAll("/cluster-queues", Map.of(), QUEUES_MAX);
        Terminal terminal = service.terminal();
        if (terminal.wrote(queues)) {
            return SluiceCommand.DONE;
        }
        TextTable table = table(queues.path("items"));
        terminal.print(
                table.isEmpty() ? "No quota is configured. To give some: ./sluice apply -f FILE" : table.toString());
        return SluiceCommand.DONE;
    }

    private TextTable table(JsonNode queues) {
        Map<String, Map<String, QuotaLine>> byTeam = new LinkedHashMap<>();
        for (JsonNode queue : queues) {
            String owner = queue.path("team").asText(queue.path("name").asText());
            if (team == null || team.equals(owner)) {
                Map<String, QuotaLine> lines = byTeam.computeIfAbsent(owner, name -> new LinkedHashMap<>());
                QuotaLine.of(queue).forEach(line -> lines.merge(line.key(), line, QuotaLine::plus));
            }
        }
        TextTable table = new TextTable("TEAM", "LINE", ">NOMINAL", ">USED", ">BORROWED", ">LENT", ">WAITING");
        byTeam.forEach((owner, lines) -> lines.values()
                .forEach(line -> table.row(
                        owner,
                        Words.lineName(line.key()),
                        line.nominal().toString(),
                        line.used().toString(),
                        line.borrowed().toString(),
                        line.lent().toString(),
                        line.waiting().toString())));
        return table;
    }
}
