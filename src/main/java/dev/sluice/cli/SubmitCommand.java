package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "submit",
        description = "Submit a workload: Sluice's JSON, or an unmodified Kubernetes manifest in YAML or JSON.",
        footer = {
            "",
            "A JSON array or a file named .ndjson or .jsonl is taken as many workloads, each with its own result.",
            "With --wait the command ends with the workload: 0 if it succeeded, 1 if not."
        })
final class SubmitCommand implements Callable<Integer> {
    private static final long POLL_MILLIS = 500;

    @Mixin
    ClientOptions service = new ClientOptions();

    @Parameters(paramLabel = "FILE", description = "The file, or - for standard input.")
    Path file = Path.of("-");

    @Option(names = "--wait", description = "Stay until the workload has ended, and tell each change of its state.")
    boolean wait;

    @Option(names = "--dry-run", description = "Store nothing; say what would happen to it now.")
    boolean dryRun;

    @Option(
            names = "--idempotency-key",
            paramLabel = "KEY",
            description = "A repeat under the same key answers with the first workload instead of a second one.")
    @Nullable String idempotencyKey;

    @Override
    public Integer call() throws InterruptedException {
        String body = InputFiles.read(file);
        String contentType = contentType(body);
        boolean many =
                contentType.equals(ServiceClient.NDJSON) || body.stripLeading().startsWith("[");
        ServiceClient client = service.client();
        Terminal terminal = service.terminal();
        JsonNode answer = client.post(
                (many ? "/workloads:batch" : "/workloads") + (dryRun ? "?dryRun=true" : ""),
                contentType,
                body,
                headers());
        if (many) {
            return tellMany(answer, terminal);
        }
        if (dryRun) {
            if (!terminal.wrote(answer)) {
                terminal.print(
                        "Nothing was stored. " + Words.text(answer, "verdict") + ": " + Words.text(answer, "summary"));
            }
            return SluiceCommand.DONE;
        }
        if (!terminal.wrote(answer)) {
            terminal.print(sentence(answer));
        }
        return wait ? untilEnded(client, terminal, answer) : SluiceCommand.DONE;
    }

    private String contentType(String body) {
        String name = file.getFileName() == null ? "" : file.getFileName().toString();
        if (name.endsWith(".ndjson") || name.endsWith(".jsonl")) {
            return ServiceClient.NDJSON;
        }
        String start = body.stripLeading();
        return start.startsWith("{") || start.startsWith("[") ? ServiceClient.JSON : ServiceClient.YAML;
    }

    private Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        if (idempotencyKey != null) {
            headers.put("Idempotency-Key", idempotencyKey);
        }
        return headers;
    }

    private int untilEnded(ServiceClient client, Terminal terminal, JsonNode submitted) throws InterruptedException {
        String id = submitted.path("id").asText();
        JsonNode workload = submitted;
        String told = workload.path("state").asText();
        while (!WorkloadLookup.hasEnded(workload)) {
            Thread.sleep(POLL_MILLIS);
            workload = client.get(WorkloadLookup.path(id));
            String state = workload.path("state").asText();
            if (!state.equals(told)) {
                terminal.remark(sentence(workload));
                told = state;
            }
        }
        return told.equals("SUCCEEDED") ? SluiceCommand.DONE : SluiceCommand.FAILED;
    }

    private int tellMany(JsonNode answer, Terminal terminal) {
        JsonNode results = answer.isArray() ? answer : answer.path("items");
        int refused = 0;
        for (JsonNode result : results) {
            refused += result.path("status").asInt(201) / 100 == 2 ? 0 : 1;
        }
        if (!terminal.wrote(answer)) {
            terminal.print(
                    dryRun
                            ? "Nothing was stored. " + (results.size() - refused) + " would be taken, " + refused
                                    + " refused"
                            : results.size() - refused + " submitted, " + refused + " refused");
            for (int index = 0; index < results.size(); index++) {
                tellRefused(index, results.get(index), terminal);
            }
        }
        return refused == 0 ? SluiceCommand.DONE : SluiceCommand.FAILED;
    }

    private static void tellRefused(int index, JsonNode result, Terminal terminal) {
        if (result.path("status").asInt(201) / 100 == 2) {
            return;
        }
        terminal.remark("item " + index + ": " + Words.text(result, "detail"));
        result.path("violations").forEach(violation -> terminal.remark("  " + Problems.inWords(violation)));
    }

    private static String sentence(JsonNode workload) {
        String waiting = workload.path("waiting").path("message").asText("");
        return workload.path("namespace").asText() + "/" + workload.path("name").asText() + " is "
                + workload.path("state").asText() + (waiting.isEmpty() ? "" : ": " + waiting) + "  (id "
                + workload.path("id").asText() + ")";
    }
}
