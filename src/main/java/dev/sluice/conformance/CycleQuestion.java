package dev.sluice.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.EngineProbe;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Vectors about what one scheduling cycle, or a few, decide. */
final class CycleQuestion {
    private final VectorWorld world;

    CycleQuestion(VectorWorld world) {
        this.world = world;
    }

    Verdict judge(JsonNode expect) {
        EngineProbe probe = world.engine(true);
        int cycles = world.input().path("cycles").asInt(1);
        boolean completeEvictions = world.input().path("completeEvictions").asBoolean(true);
        SortedSet<String> admitted = new TreeSet<>();
        SortedSet<String> preempted = new TreeSet<>();
        for (int cycle = 1; cycle <= cycles && probe.hasActive(); cycle++) {
            Instant at = world.start().plusSeconds(cycle - 1L);
            EngineProbe.CycleReport report = probe.cycle(at);
            String prefix = cycles == 1 ? "" : cycle + " ";
            CycleTrace.admitted(probe, report.admitted()).forEach(one -> admitted.add(prefix + one));
            CycleTrace.preemptions(report.preempted()).forEach(one -> preempted.add(prefix + one));
            if (completeEvictions && cycle < cycles) {
                complete(probe, report, at);
            }
        }
        Comparison comparison = new Comparison();
        comparison.same("admitted", expected(expect.path("admitted"), cycles, true), admitted);
        comparison.same("preempted", expected(expect.path("preempted"), cycles, false), preempted);
        comparison.same("pending", expectedPending(expect.path("pending")), pending(probe));
        return comparison.verdict();
    }

    static void complete(EngineProbe probe, EngineProbe.CycleReport report, Instant at) {
        report.preempted().forEach(one -> probe.engine().apply(new EngineEvent.PodsGone(one.victim()), at));
    }

    private static SortedSet<String> expected(JsonNode nodes, int cycles, boolean admissions) {
        SortedSet<String> described = new TreeSet<>();
        for (JsonNode node : nodes) {
            String prefix = cycles == 1 ? "" : node.path("cycle").asInt(1) + " ";
            described.add(
                    prefix + (admissions ? CycleTrace.expectedAdmission(node) : CycleTrace.expectedPreemption(node)));
        }
        return described;
    }

    private SortedMap<String, List<SortedSet<String>>> pending(EngineProbe probe) {
        SortedMap<String, List<SortedSet<String>>> pending = new TreeMap<>();
        for (String queue : world.configuration().clusterQueues().keySet()) {
            EngineProbe.Waiting waiting = probe.waiting(queue);
            if (!waiting.active().isEmpty() || !waiting.inadmissible().isEmpty()) {
                pending.put(queue, List.of(ids(waiting.active()), ids(waiting.inadmissible())));
            }
        }
        return pending;
    }

    private static SortedSet<String> ids(List<WorkloadId> ids) {
        SortedSet<String> names = new TreeSet<>();
        ids.forEach(id -> names.add(id.value()));
        return names;
    }

    private static SortedMap<String, List<SortedSet<String>>> expectedPending(JsonNode queues) {
        SortedMap<String, List<SortedSet<String>>> pending = new TreeMap<>();
        VectorWorld.fields(queues)
                .forEach((queue, lists) -> pending.put(
                        queue,
                        new ArrayList<>(List.of(
                                new TreeSet<>(VectorWorld.texts(lists.path("active"))),
                                new TreeSet<>(VectorWorld.texts(lists.path("inadmissible")))))));
        return pending;
    }
}
