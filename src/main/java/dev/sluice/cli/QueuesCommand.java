package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "queues",
        description = "List the ClusterQueues; with a name, the workloads that wait in it, in the order of their turn.")
final class QueuesCommand implements Callable<Integer> {
    private static final int SHOWN_MAX = 10_000;

    @Mixin
    ClientOptions service = new ClientOptions();

    @Parameters(arity = "0..1", paramLabel = "QUEUE", description = "Show who waits in this one.")
    @Nullable String queue;

    @Override
    public Integer call() {
        Terminal terminal = service.terminal();
        String path = queue == null ? "/cluster-queues" : "/cluster-queues/" + ServiceClient.encode(queue) + "/pending";
        JsonNode list = service.client().getAll(path, Map.of(), SHOWN_MAX);
        if (terminal.wrote(list)) {
            return SluiceCommand.DONE;
        }
        JsonNode items = list.path("items");
        if (items.isEmpty()) {
            terminal.print(
                    queue == null
                            ? "No ClusterQueue is configured. To make one: ./sluice apply -f FILE"
                            : "Nothing waits in " + queue + ".");
            return SluiceCommand.DONE;
        }
        terminal.print((queue == null ? queues(items) : waiting(items, Instant.now())).toString());
        return SluiceCommand.DONE;
    }

    private static TextTable queues(JsonNode queues) {
        TextTable table = new TextTable("QUEUE", "COHORT", "TEAM", ">WAITING", ">ADMITTED", "USED OF NOMINAL", "STATE");
        for (JsonNode queue : queues) {
            JsonNode status = queue.path("status");
            table.row(
                    Words.text(queue, "name"),
                    Words.text(queue, "cohort"),
                    Words.text(queue, "team"),
                    Words.text(status, "pending"),
                    Words.text(status, "admitted"),
                    usage(queue),
                    state(queue));
        }
        return table;
    }

    private static String usage(JsonNode queue) {
        List<String> parts = new ArrayList<>();
        for (QuotaLine line : QuotaLine.of(queue)) {
            parts.add(Words.lineName(line.key()) + " " + line.used() + "/" + line.nominal()
                    + (line.borrowed().isZero() ? "" : " (" + line.borrowed() + " borrowed)"));
        }
        return parts.isEmpty() ? Words.NOTHING : String.join(", ", parts);
    }

    private static String state(JsonNode queue) {
        String stopPolicy = queue.path("stopPolicy").asText("None");
        if (!stopPolicy.equals("None")) {
            return "stopped (" + stopPolicy + ")";
        }
        return queue.path("status").path("active").asBoolean(true) ? "active" : "inactive";
    }

    private static TextTable waiting(JsonNode workloads, Instant now) {
        TextTable table = new TextTable(">TURN", "WORKLOAD", ">PRIORITY", ">WAITS", "NEEDS", "WHY");
        int turn = 0;
        for (JsonNode workload : workloads) {
            turn++;
            table.row(
                    Integer.toString(turn),
                    workload.path("namespace").asText() + "/"
                            + workload.path("name").asText(),
                    Words.text(workload, "priority"),
                    Words.age(workload.path("queuedAt").asText(), now),
                    Words.amounts(workload.path("charge")),
                    workload.path("waiting").path("message").asText(""));
        }
        return table;
    }
}
