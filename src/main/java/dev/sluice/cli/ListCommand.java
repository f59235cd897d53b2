package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "list", description = "List workloads, with where each stands and why it waits.")
final class ListCommand implements Callable<Integer> {
    private static final int LIMIT_DEFAULT = 100;

    @Mixin
    ClientOptions service = new ClientOptions();

    @Option(names = "--team", paramLabel = "TEAM", description = "Only this team's.")
    @Nullable String team;

    @Option(
            names = {"-q", "--cluster-queue"},
            paramLabel = "QUEUE",
            description = "Only those of this ClusterQueue.")
    @Nullable String clusterQueue;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Only those of this namespace.")
    @Nullable String namespace;

    @Option(
            names = "--state",
            paramLabel = "STATE",
            description = "Only those in this state: pending, reserved, admitted, running, evicting, succeeded, failed,"
                    + " inactive or cancelled.")
    @Nullable String state;

    @Option(names = "--priority-class", paramLabel = "CLASS", description = "Only those of this priority class.")
    @Nullable String priorityClass;

    @Option(names = "--device-class", paramLabel = "CLASS", description = "Only those that ask for this device class.")
    @Nullable String deviceClass;

    @Option(names = "--sort", paramLabel = "FIELD", description = "Order, as the API has it; -FIELD for descending.")
    @Nullable String sort;

    @Option(
            names = "--limit",
            paramLabel = "COUNT",
            defaultValue = "" + LIMIT_DEFAULT,
            description = "At most so many; default " + LIMIT_DEFAULT + ".")
    int limit = LIMIT_DEFAULT;

    @Override
    public Integer call() {
        if (limit < 1) {
            throw CommandFailed.wrongUse("--limit must be at least 1, not " + limit + ".");
        }
        JsonNode list = service.client().getAll("/workloads", filters(), limit);
        Terminal terminal = service.terminal();
        if (terminal.wrote(list)) {
            return SluiceCommand.DONE;
        }
        if (list.path("items").isEmpty()) {
            terminal.print("No workload" + (filters().size() > 1 ? " matches." : " yet."));
            return SluiceCommand.DONE;
        }
        terminal.print(table(list.path("items"), Instant.now()).toString());
        String counts = Words.counts(list.path("counts"));
        if (!counts.isEmpty()) {
            terminal.print("\n" + counts);
        }
        return SluiceCommand.DONE;
    }

    private Map<String, String> filters() {
        Map<String, String> filters = new LinkedHashMap<>();
        put(filters, "team", team);
        put(filters, "clusterQueue", clusterQueue);
        put(filters, "namespace", namespace);
        put(filters, "state", state == null ? null : state.toUpperCase(Locale.ROOT));
        put(filters, "priorityClass", priorityClass);
        put(filters, "deviceClass", deviceClass);
        put(filters, "sort", sort);
        filters.put("limit", Integer.toString(Math.min(limit, LIMIT_DEFAULT)));
        return filters;
    }

    private static void put(Map<String, String> filters, String name, @Nullable String value) {
        if (value != null) {
            filters.put(name, value);
        }
    }

    private static TextTable table(JsonNode workloads, Instant now) {
        TextTable table = new TextTable("WORKLOAD", "QUEUE", ">PRIORITY", "STATE", ">AGE", "NEEDS", "WHY IT WAITS");
        for (JsonNode workload : workloads) {
            table.row(
                    workload.path("namespace").asText() + "/"
                            + workload.path("name").asText(),
                    Words.text(workload, "clusterQueue"),
                    Words.text(workload, "priority"),
                    Words.text(workload, "state"),
                    Words.age(workload.path("createdAt").asText(), now),
                    Words.amounts(workload.path("charge")),
                    whyItWaits(workload));
        }
        return table;
    }

    private static String whyItWaits(JsonNode workload) {
        JsonNode waiting = workload.path("waiting");
        if (!waiting.isObject()) {
            return "";
        }
        String message = waiting.path("message").asText("");
        return message.isEmpty() ? waiting.path("reason").asText("") : message;
    }
}
