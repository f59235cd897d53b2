package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.cli.QuotaLine.Amount;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
        List<String> notes = notes(explanation);
        if (!notes.isEmpty()) {
            terminal.print("\n" + String.join("\n", notes));
        }
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
            notes.add("Position " + explanation.get("position").asText() + " in its queue.");
        }
        explanation
                .path("victims")
                .forEach(victim -> notes.add(
                        "Preempts " + Words.text(victim, "workload") + " (" + Words.text(victim, "reason") + ")."));
        for (JsonNode requirement : explanation.path("requirements")) {
            notes.addAll(holders(requirement));
            requirement.path("flavors").forEach(flavor -> {
                JsonNode preemption = flavor.path("preemption");
                String why = Words.text(preemption, "why");
                if (preemption.path("possible").isBoolean()
                        && !preemption.path("possible").asBoolean()
                        && !why.equals("NOT_NEEDED")) {
                    notes.add("No preemption for " + Words.lineName(Words.text(requirement, "key")) + " in flavor "
                            + Words.text(flavor, "flavor") + ": " + whyNoPreemption(why) + until(preemption) + ".");
                }
            });
        }
        JsonNode expected = explanation.path("expectedStart");
        if (expected.hasNonNull("p50")) {
            notes.add("Expected to start by " + expected.get("p50").asText() + " (even odds), by "
                    + Words.text(expected, "p90") + " (nine times of ten).");
        }
        explanation.path("wouldRunIf").forEach(change -> notes.add(change(change)));
        return notes;
    }

    /** A code that a later service may send is shown as it is. */
    private static String whyNoPreemption(String code) {
        return switch (code) {
            case "FLAVOR_MISMATCH" -> "the flavor is not one that it can run on";
            case "EXCEEDS_MAXIMUM" -> "it asks for more than its queue could ever reach";
            case "POLICY_NEVER" -> "the policies of its queue let it preempt nobody";
            case "WOULD_BORROW" -> "it would borrow, and its queue may not preempt others for that";
            case "NO_CANDIDATES" -> "there is nobody whom it may preempt";
            default -> code;
        };
    }

    /** Who holds what this requirement lacks: a line for each queue, since single workloads may be very many. */
    private static List<String> holders(JsonNode requirement) {
        String line = requirement.path("key").asText();
        Map<String, Amount> held = new LinkedHashMap<>();
        Map<String, Integer> workloads = new LinkedHashMap<>();
        for (JsonNode flavor : requirement.path("flavors")) {
            for (JsonNode holder : flavor.path("blockedBy")) {
                String queue = Words.text(holder, "queue");
                held.merge(queue, Amount.of(line, holder.path("amount")), Amount::plus);
                workloads.merge(queue, 1, Integer::sum);
            }
        }
        List<String> notes = new ArrayList<>();
        held.forEach((queue, amount) -> {
            int count = workloads.getOrDefault(queue, 0);
            notes.add("Queue " + queue + " holds " + amount + " " + Words.lineName(line) + " in " + count
                    + (count == 1 ? " workload." : " workloads."));
        });
        return notes;
    }

    private static String change(JsonNode change) {
        String text = "Would run if " + Words.text(change, "change");
        JsonNode victims = change.path("wouldPreempt");
        return victims.isEmpty() ? text + "." : text + ", by preempting " + Words.list(victims) + ".";
    }

    private static String until(JsonNode node) {
        return node.hasNonNull("until") ? " until " + node.get("until").asText() : "";
    }
}
