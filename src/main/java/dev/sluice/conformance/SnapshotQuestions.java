package dev.sluice.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.admission.Decision;
import dev.sluice.admission.EngineProbe;
import dev.sluice.quota.Amounts;
import dev.sluice.quota.QuotaLine;
import dev.sluice.quota.Resources;
import dev.sluice.workload.Assignment.PodSetAssignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Vectors about one waiting job in a world that stands still: its flavors, or its victims. */
final class SnapshotQuestions {
    private final VectorWorld world;

    SnapshotQuestions(VectorWorld world) {
        this.world = world;
    }

    Verdict assign(JsonNode expect) {
        EngineProbe probe = world.engine(true);
        List<Integer> counts = new ArrayList<>();
        world.input().path("counts").forEach(count -> counts.add(count.asInt()));
        EngineProbe.Nominated nominated =
                probe.nominate(new WorkloadId(world.input().path("workload").asText()), counts);
        Comparison comparison = new Comparison();
        comparison.same("mode", expect.path("mode").asText(), nominated.mode());
        if (expect.has("noFitReason")) {
            comparison.same("noFitReason", expect.path("noFitReason").asText(), nominated.noFitReason());
        }
        if (expect.has("borrowing") && !nominated.mode().equals("NoFit")) {
            comparison.same("borrowing", expect.path("borrowing").asInt(), nominated.borrowing());
        }
        if (expect.has("podSets")) {
            comparison.same("podSets", expectedPodSets(expect.path("podSets")), podSets(nominated));
        }
        if (expect.has("usage")) {
            comparison.same(
                    "usage",
                    VectorAmounts.withoutZeros(VectorAmounts.byLine(expect.path("usage"))),
                    VectorAmounts.withoutZeros(nominated.usage()));
        }
        if (expect.has("targets")) {
            comparison.same("targets", targets(expect.path("targets")), victims(nominated.targets()));
        }
        return comparison.verdict();
    }

    private static List<String> expectedPodSets(JsonNode podSets) {
        List<String> described = new ArrayList<>();
        for (JsonNode podSet : podSets) {
            SortedMap<String, String> flavors = new TreeMap<>();
            VectorWorld.fields(podSet.path("flavors"))
                    .forEach((resource, given) -> flavors.put(
                            resource,
                            given.path("flavor").asText() + " "
                                    + given.path("mode").asText()));
            described.add(
                    podSet.path("name").asText() + " x " + podSet.path("count").asInt() + " " + flavors);
        }
        return described;
    }

    private static List<String> podSets(EngineProbe.Nominated nominated) {
        List<String> described = new ArrayList<>();
        if (nominated.assignment() == null) {
            return described;
        }
        List<PodSetAssignment> podSets = nominated.assignment().podSets();
        for (int index = 0; index < podSets.size(); index++) {
            SortedMap<String, String> modes = nominated.modes().get(index);
            SortedMap<String, String> flavors = new TreeMap<>();
            podSets.get(index)
                    .flavors()
                    .forEach((resource, flavor) -> flavors.put(resource, flavor + " " + modes.get(resource)));
            described.add(podSets.get(index).name() + " x " + podSets.get(index).count() + " " + flavors);
        }
        return described;
    }

    Verdict preempt(JsonNode expect) {
        EngineProbe probe = world.engine(true);
        WorkloadId id = new WorkloadId(world.input().path("workload").asText());
        Workload workload = world.all().stream()
                .map(world.workloads()::workload)
                .filter(candidate -> candidate.id().equals(id))
                .findFirst()
                .orElseThrow();
        SortedMap<QuotaLine, Long> needed = new TreeMap<>();
        List<QuotaLine> contested = new ArrayList<>();
        for (JsonNode given : world.input().path("assignment")) {
            PodSet podSet = workload.podSets().stream()
                    .filter(candidate ->
                            candidate.name().equals(given.path("podSet").asText()))
                    .findFirst()
                    .orElseThrow();
            VectorWorld.fields(given.path("flavors")).forEach((resource, choice) -> {
                QuotaLine line = new QuotaLine(choice.path("flavor").asText(), resource);
                long perPod =
                        resource.equals(Resources.PODS) ? 1 : podSet.requests().getOrDefault(resource, 0L);
                needed.merge(line, Amounts.multiply(perPod, podSet.count()), Amounts::add);
                if (choice.path("mode").asText().equals("Preempt")) {
                    contested.add(line);
                }
            });
        }
        Comparison comparison = new Comparison();
        comparison.same("targets", targets(expect.path("targets")), victims(probe.victims(id, needed, contested)));
        return comparison.verdict();
    }

    private static SortedSet<String> targets(JsonNode targets) {
        SortedSet<String> described = new TreeSet<>();
        targets.forEach(target -> described.add(
                target.path("id").asText() + " " + target.path("reason").asText()));
        return described;
    }

    private static SortedSet<String> victims(List<Decision.Victim> victims) {
        SortedSet<String> described = new TreeSet<>();
        victims.forEach(victim ->
                described.add(victim.workload() + " " + victim.reason().code()));
        return described;
    }
}
