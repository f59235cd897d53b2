package dev.sluice.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.admission.EngineProbe;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadId;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Admissions and preemptions in a form that compares: one line of text each. */
final class CycleTrace {
    private CycleTrace() {}

    static SortedSet<String> admitted(EngineProbe probe, Iterable<WorkloadId> admitted) {
        SortedSet<String> described = new TreeSet<>();
        for (WorkloadId id : admitted) {
            probe.engine()
                    .status(id)
                    .map(status -> status.assignment())
                    .ifPresent(assignment -> described.add(id + " " + describe(assignment)));
        }
        return described;
    }

    private static String describe(Assignment assignment) {
        StringBuilder text = new StringBuilder(assignment.clusterQueue());
        assignment
                .podSets()
                .forEach(podSet -> text.append(' ')
                        .append(podSet.name())
                        .append(" x ")
                        .append(podSet.count())
                        .append(' ')
                        .append(podSet.flavors()));
        return text.toString();
    }

    static String expectedAdmission(JsonNode node) {
        StringBuilder text = new StringBuilder(
                node.path("id").asText() + " " + node.path("clusterQueue").asText());
        for (JsonNode podSet : node.path("podSets")) {
            SortedMap<String, String> flavors = new TreeMap<>();
            VectorWorld.fields(podSet.path("flavors"))
                    .forEach((resource, flavor) -> flavors.put(resource, flavor.asText()));
            text.append(' ')
                    .append(podSet.path("name").asText())
                    .append(" x ")
                    .append(podSet.path("count").asInt())
                    .append(' ')
                    .append(flavors);
        }
        return text.toString();
    }

    static SortedSet<String> expectedAdmissions(JsonNode nodes) {
        SortedSet<String> described = new TreeSet<>();
        nodes.forEach(node -> described.add(expectedAdmission(node)));
        return described;
    }

    static String preemption(EngineProbe.Preempted preempted) {
        return preempted.victim() + " by " + preempted.preemptor() + " "
                + preempted.reason().code();
    }

    static String expectedPreemption(JsonNode node) {
        return node.path("id").asText() + " by " + node.path("by").asText() + " "
                + node.path("reason").asText();
    }

    static SortedSet<String> preemptions(Iterable<EngineProbe.Preempted> preemptions) {
        SortedSet<String> described = new TreeSet<>();
        preemptions.forEach(preemption -> described.add(preemption(preemption)));
        return described;
    }

    static SortedSet<String> expectedPreemptions(JsonNode nodes) {
        SortedSet<String> described = new TreeSet<>();
        nodes.forEach(node -> described.add(expectedPreemption(node)));
        return described;
    }
}
