package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "cancel", description = "Cancel workloads; one that runs is stopped first.")
final class CancelCommand implements Callable<Integer> {
    @Mixin
    ClientOptions service = new ClientOptions();

    @Parameters(arity = "1..*", paramLabel = "WORKLOAD", description = "Ids, or NAMESPACE/NAME.")
    List<String> workloads = new ArrayList<>();

    @Override
    public Integer call() {
        ServiceClient client = service.client();
        Terminal terminal = service.terminal();
        for (String workload : workloads) {
            JsonNode answer = client.delete(WorkloadLookup.path(WorkloadLookup.id(client, workload)));
            if (!terminal.wrote(answer)) {
                String state = answer.path("state").asText("");
                terminal.print(workload + ": " + (state.isEmpty() ? "will be cancelled" : state));
            }
        }
        return SluiceCommand.DONE;
    }
}
