package dev.sluice.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.admission.EngineProbe;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.QuotaLine;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Vectors about where a world comes to rest, over submissions, finishes and quota changes. Compared cycle by cycle. */
final class StoryQuestion {
    private static final int CYCLES_MOST = 200;

    private final EngineProbe probe;
    private final List<String> trace = new ArrayList<>();
    private final List<String> checkpoints = new ArrayList<>();
    private final StorySteps steps;
    private int run;

    StoryQuestion(VectorWorld world) {
        probe = world.engine(true);
        steps = new StorySteps(world, probe);
    }

    Verdict judge(JsonNode expect) {
        steps.tell(this::runToRest);
        Comparison comparison = new Comparison();
        comparison.same("trace", expectedTrace(expect.path("trace")), trace);
        List<String> expected = new ArrayList<>();
        expect.path("checkpoints").forEach(checkpoint -> expected.add(expectedState(checkpoint)));
        if (expect.has("final")) {
            expected.add(expectedState(expect.path("final")));
            comparison.same("states", expected, checkpoints);
        }
        return comparison.verdict();
    }

    private void runToRest() {
        run++;
        int idle = 0;
        for (int cycle = 1; cycle <= CYCLES_MOST && probe.hasActive() && idle < 6 + 2 * waiting(); cycle++) {
            EngineProbe.CycleReport report = probe.cycle(steps.now());
            boolean changed =
                    !report.admitted().isEmpty() || !report.preempted().isEmpty();
            idle = changed ? 0 : idle + 1;
            if (changed) {
                trace.add(entry(
                        run,
                        cycle,
                        CycleTrace.admitted(probe, report.admitted()),
                        CycleTrace.preemptions(report.preempted())));
            }
            CycleQuestion.complete(probe, report, steps.now());
            steps.nextSecond();
        }
        checkpoints.add(state());
    }

    private int waiting() {
        return (int) steps.known().stream()
                .filter(id -> probe.engine()
                        .status(id)
                        .map(WorkloadStatus::state)
                        .filter(WorkloadState.PENDING::equals)
                        .isPresent())
                .count();
    }

    private static String entry(int run, int cycle, SortedSet<String> admitted, SortedSet<String> preempted) {
        return "run " + run + " cycle " + cycle + ": admitted " + admitted + ", preempted " + preempted;
    }

    private static List<String> expectedTrace(JsonNode nodes) {
        List<String> expected = new ArrayList<>();
        nodes.forEach(node -> expected.add(entry(
                node.path("run").asInt(),
                node.path("cycle").asInt(),
                CycleTrace.expectedAdmissions(node.path("admitted")),
                CycleTrace.expectedPreemptions(node.path("preempted")))));
        return expected;
    }

    private String state() {
        List<WorkloadId> holding = new ArrayList<>();
        SortedSet<String> pending = new TreeSet<>();
        for (WorkloadId id : steps.known()) {
            probe.engine().status(id).ifPresent(status -> {
                if (status.state() == WorkloadState.PENDING) {
                    pending.add(id.value());
                } else if (status.state() != WorkloadState.EVICTING) {
                    holding.add(id);
                }
            });
        }
        SortedMap<String, SortedMap<QuotaLine, Long>> usage = new TreeMap<>(probe.usage());
        usage.keySet().removeIf(name -> name.startsWith("cohort:"));
        usage.values().removeIf(Map::isEmpty);
        return describe(CycleTrace.admitted(probe, holding), pending, usage);
    }

    private static String expectedState(JsonNode state) {
        SortedMap<String, SortedMap<QuotaLine, Long>> usage = new TreeMap<>();
        VectorWorld.fields(state.path("usage"))
                .forEach((queue, amounts) ->
                        usage.put(queue, VectorAmounts.withoutZeros(VectorAmounts.byLine(amounts))));
        usage.values().removeIf(Map::isEmpty);
        return describe(
                CycleTrace.expectedAdmissions(state.path("admitted")),
                new TreeSet<>(VectorWorld.texts(state.path("pending"))),
                usage);
    }

    private static String describe(
            SortedSet<String> admitted,
            SortedSet<String> pending,
            SortedMap<String, SortedMap<QuotaLine, Long>> usage) {
        return "admitted " + admitted + ", pending " + pending + ", usage " + usage;
    }
}
