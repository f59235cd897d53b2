package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "explain", description = "Say why a workload waits or runs, with the numbers, and what would help.")
final class ExplainCommand implements Callable<Integer> {
    @Mixin
    ClientOptions service = new ClientOptions();

    @Parameters(paramLabel = "WORKLOAD", description = "Its id, or NAMESPACE/NAME.")
    String workload = "";

    @Override
    public Integer call() {
        ServiceClient client = service.client();
        String id = WorkloadLookup.id(client, workload);
        JsonNode explanation = client.get(WorkloadLookup.path(id) + "/explanation");
        Terminal terminal = service.terminal();
        if (terminal.wrote(explanation)) {
            return SluiceCommand.DONE;
        }
        terminal.print(verdict(explanation));
        TextTable table = requirements(explanation);
        if (!table.isEmpty()) {
            terminal.print("\n" + table);
        }
        notes(explanation).forEach(note -> terminal.print("\n" + note));
        return SluiceCommand.DONE;
    }

    private static String verdict(JsonNode explanation) {
        String verdict = explanation.path("verdict").asText("");
        String summary = explanation.path("summary").asText("");
        return verdict.isEmpty() || verdict.equals("null") ? summary : verdict + ": " + summary;
    }

    private static TextTable requirements(JsonNode explanation) {
        TextTable table = new TextTable(
                "LINE", ">NEEDED", "FLAVOR", "FITS", ">NOMINAL", ">USED", ">AVAILABLE", ">BORROWABLE", ">SHORT");
        for (JsonNode requirement : explanation.path("requirements")) {
            String line = Words.lineName(requirement.path("key").asText());
            String needed = Words.text(requirement, "needed");
            for (JsonNode flavor : requirement.path("flavors")) {
                table.row(
                        line,
                        needed,
                        Words.text(flavor, "flavor"),
                        Words.text(flavor, "fit"),
                        Words.text(flavor, "nominal"),
                        Words.text(flavor, "used"),
                        Words.text(flavor, "available"),
                        Words.text(flavor, "borrowable"),
                        Words.text(flavor, "short"));
            }
        }
        return table;
    }

    private static List<String> notes(JsonNode explanation) {
        List<String> notes = new ArrayList<>();
        if (explanation.hasNonNull("position")) {
            notes.add("Position in its queue: " + explanation.get("position").asText());
        }
        if (!explanation.path("ahead").isEmpty()) {
            notes.add("Ahead of it: " + Words.list(explanation.path("ahead")));
        }
        explanation
                .path("victims")
                .forEach(victim -> notes.add(
                        "Preempts " + Words.text(victim, "workload") + " (" + Words.text(victim, "reason") + ")"));
        for (JsonNode requirement : explanation.path("requirements")) {
            for (JsonNode flavor : requirement.path("flavors")) {
                flavor.path("blockedBy").forEach(holder -> notes.add(holder(requirement, holder)));
                JsonNode preemption = flavor.path("preemption");
                if (preemption.path("possible").isBoolean()
                        && !preemption.path("possible").asBoolean()) {
                    notes.add("Preemption in flavor " + Words.text(flavor, "flavor") + " is not possible: "
                            + Words.text(preemption, "why") + until(preemption));
                }
            }
        }
        if (explanation.path("expectedStart").hasNonNull("p50")) {
            notes.add("Expected start: "
                    + explanation.path("expectedStart").path("p50").asText() + " (half of the time), "
                    + Words.text(explanation.path("expectedStart"), "p90") + " (nine times of ten)");
        }
        explanation.path("wouldRunIf").forEach(change -> notes.add(change(change)));
        return notes;
    }

    private static String change(JsonNode change) {
        String text = "Would run if " + Words.text(change, "change");
        JsonNode victims = change.path("wouldPreempt");
        return victims.isEmpty() ? text : text + ", by preempting " + Words.list(victims);
    }

    private static String holder(JsonNode requirement, JsonNode holder) {
        return "Held by " + Words.text(holder, "workload") + " of " + Words.text(holder, "queue") + ": "
                + Words.text(holder, "amount") + " "
                + Words.lineName(requirement.path("key").asText()) + until(holder);
    }

    private static String until(JsonNode node) {
        return node.hasNonNull("until") ? " until " + node.get("until").asText() : "";
    }
}
