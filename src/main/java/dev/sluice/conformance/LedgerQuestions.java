package dev.sluice.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.EngineProbe;
import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaLine;
import dev.sluice.quota.QuotaTree;
import dev.sluice.workload.WorkloadId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Vectors about the quota tree alone: what is available, and what is charged where. */
final class LedgerQuestions {
    private final VectorWorld world;

    LedgerQuestions(VectorWorld world) {
        this.world = world;
    }

    Verdict available(JsonNode expect) {
        QuotaTree tree = QuotaTree.of(world.configuration());
        Ledger ledger = new Ledger(tree);
        charge(ledger, world.input().path("usage"));
        Comparison comparison = new Comparison();
        VectorWorld.fields(expect.path("available")).forEach((queue, amounts) -> {
            for (Map.Entry<QuotaLine, Long> amount :
                    VectorAmounts.byLine(amounts).entrySet()) {
                comparison.same(
                        queue + " available " + amount.getKey(),
                        amount.getValue(),
                        ledger.availableToQueue(tree.queue(queue), line(tree, amount.getKey())));
            }
        });
        VectorWorld.fields(expect.path("potential")).forEach((queue, amounts) -> {
            for (Map.Entry<QuotaLine, Long> amount :
                    VectorAmounts.byLine(amounts).entrySet()) {
                comparison.same(
                        queue + " potential " + amount.getKey(),
                        amount.getValue(),
                        tree.potential(tree.queue(queue), line(tree, amount.getKey())));
            }
        });
        VectorWorld.fields(expect.path("cohorts"))
                .forEach((cohort, pairs) -> VectorWorld.fields(pairs)
                        .forEach((pair, amounts) ->
                                compareCohort(comparison, ledger, cohort, VectorAmounts.line(pair), amounts)));
        return comparison.verdict();
    }

    private static void compareCohort(
            Comparison comparison, Ledger ledger, String cohort, QuotaLine pair, JsonNode amounts) {
        QuotaTree tree = ledger.tree();
        int node = tree.cohort(cohort);
        int line = line(tree, pair);
        VectorWorld.fields(amounts).forEach((what, expected) -> {
            long actual = switch (what) {
                case "subtreeQuota" -> tree.subtreeQuota(node, line);
                case "usage" -> ledger.used(node, line);
                default -> ledger.available(node, line);
            };
            comparison.same(
                    cohort + " " + what + " " + pair, VectorAmounts.amount(expected.asText(), pair.resource()), actual);
        });
    }

    private static int line(QuotaTree tree, QuotaLine line) {
        return tree.line(line.flavor(), line.resource());
    }

    static void charge(Ledger ledger, JsonNode usage) {
        VectorWorld.fields(usage)
                .forEach((queue, amounts) -> VectorAmounts.byLine(amounts)
                        .forEach((line, amount) ->
                                ledger.charge(ledger.tree().queue(queue), line(ledger.tree(), line), amount)));
    }

    Verdict usage(JsonNode expect) {
        EngineProbe probe = world.engine(false);
        Comparison comparison = new Comparison();
        List<JsonNode> afterEachStep = new ArrayList<>();
        expect.path("afterEachStep").forEach(afterEachStep::add);
        int step = 0;
        for (JsonNode change : world.input().path("steps")) {
            apply(probe, change);
            if (step < afterEachStep.size()) {
                comparison.same(
                        "usage after step " + (step + 1), expectedUsage(afterEachStep.get(step)), probe.usage());
            }
            step++;
        }
        comparison.same("usage", expectedUsage(expect.path("usage")), probe.usage());
        return comparison.verdict();
    }

    private void apply(EngineProbe probe, JsonNode change) {
        if (change.has("remove")) {
            probe.engine()
                    .apply(
                            new EngineEvent.WorkloadFinished(
                                    new WorkloadId(change.path("remove").asText()), true),
                            world.start());
            return;
        }
        for (JsonNode workload : world.all()) {
            if (workload.path("id").equals(change.path("add"))) {
                world.workloads()
                        .admitted(workload)
                        .forEach(event -> probe.engine().apply(event, world.start()));
            }
        }
    }

    private static SortedMap<String, SortedMap<QuotaLine, Long>> expectedUsage(JsonNode nodes) {
        SortedMap<String, SortedMap<QuotaLine, Long>> usage = new TreeMap<>();
        VectorWorld.fields(nodes)
                .forEach((name, amounts) -> usage.put(name, VectorAmounts.withoutZeros(VectorAmounts.byLine(amounts))));
        return usage;
    }
}
