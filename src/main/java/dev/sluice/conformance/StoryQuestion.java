package dev.sluice.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.EngineProbe;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Cohort;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.QuotaLine;
import dev.sluice.quota.ResourceGroup;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Vectors about where a world comes to rest, over submissions, finishes and quota changes. Compared cycle by cycle. */
final class StoryQuestion {
    private static final int CYCLES_MOST = 200;

    private final VectorWorld world;
    private final EngineProbe probe;
    private final List<WorkloadId> known = new ArrayList<>();
    private final List<String> trace = new ArrayList<>();
    private final List<String> checkpoints = new ArrayList<>();
    private Configuration configuration;
    private Instant now;
    private int run;

    StoryQuestion(VectorWorld world) {
        this.world = world;
        probe = world.engine(true);
        configuration = world.configuration();
        now = world.start();
        world.all().forEach(node -> known.add(new WorkloadId(node.path("id").asText())));
    }

    Verdict judge(JsonNode expect) {
        List<String> steps = new ArrayList<>();
        for (JsonNode step : world.input().path("steps")) {
            steps.add(step.path("do").asText());
            apply(step);
        }
        if (steps.isEmpty() || !steps.getLast().equals("run")) {
            runToRest();
        }
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

    private void apply(JsonNode step) {
        switch (step.path("do").asText()) {
            case "run" -> runToRest();
            case "submit" -> {
                JsonNode workload = step.path("workload");
                known.add(new WorkloadId(workload.path("id").asText()));
                world.workloads()
                        .events(workload)
                        .forEach(event -> probe.engine().apply(event, now));
            }
            case "finish" -> finish(new WorkloadId(step.path("id").asText()));
            case "updateQuota" -> updateQuota(step);
            default -> throw new IllegalArgumentException("unknown step " + step);
        }
    }

    private void finish(WorkloadId id) {
        Optional<WorkloadStatus> status = probe.engine().status(id);
        boolean waits = status.map(WorkloadStatus::state)
                .filter(WorkloadState.PENDING::equals)
                .isPresent();
        probe.engine()
                .apply(waits ? new EngineEvent.CancelRequested(id) : new EngineEvent.WorkloadFinished(id, true), now);
        status.map(WorkloadStatus::clusterQueue).ifPresent(probe::wake);
    }

    private void updateQuota(JsonNode step) {
        List<ResourceGroup> groups = VectorConfiguration.resourceGroups(step.path("resourceGroups"));
        SortedMap<String, ClusterQueue> queues = new TreeMap<>(configuration.clusterQueues());
        SortedMap<String, Cohort> cohorts = new TreeMap<>(configuration.cohorts());
        if (step.has("clusterQueue")) {
            queues.computeIfPresent(step.path("clusterQueue").asText(), (name, old) -> with(old, groups));
        } else {
            String name = step.path("cohort").asText();
            Cohort old = cohorts.get(name);
            cohorts.put(
                    name,
                    new Cohort(
                            name,
                            old == null ? null : old.parent(),
                            groups,
                            old == null ? dev.sluice.quota.Quantity.of(1) : old.weight()));
        }
        configuration = new Configuration(
                configuration.version() + 1,
                cohorts,
                queues,
                configuration.localQueues(),
                configuration.resourceFlavors(),
                configuration.priorityClasses(),
                configuration.teams(),
                configuration.deviceClasses());
        probe.engine().apply(new EngineEvent.ConfigurationReplaced(configuration), now);
    }

    private static ClusterQueue with(ClusterQueue old, List<ResourceGroup> groups) {
        return new ClusterQueue(
                old.name(),
                old.cohort(),
                old.team(),
                old.queueingStrategy(),
                groups,
                old.preemption(),
                old.flavorFungibility(),
                old.weight(),
                old.stopPolicy(),
                old.namespaceSelector(),
                old.admissionChecks());
    }

    private void runToRest() {
        run++;
        int idle = 0;
        for (int cycle = 1; cycle <= CYCLES_MOST && probe.hasActive() && idle < 6 + 2 * waiting(); cycle++) {
            EngineProbe.CycleReport report = probe.cycle(now);
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
            CycleQuestion.complete(probe, report, now);
            now = now.plusSeconds(1);
        }
        checkpoints.add(state());
    }

    private int waiting() {
        return (int) known.stream()
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
        for (WorkloadId id : known) {
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
