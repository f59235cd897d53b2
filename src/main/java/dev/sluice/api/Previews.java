package dev.sluice.api;

import dev.sluice.admission.Decision;
import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.QuotaUsage;
import dev.sluice.admission.WaitReason;
import dev.sluice.api.wire.ConfigurationPreview.DecisionPreview;
import dev.sluice.api.wire.ConfigurationPreview.LinePreview;
import dev.sluice.overview.EngineReader;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.Resources;
import dev.sluice.workload.WorkloadId;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Decides on a copy of the engine what a configuration would do to running and waiting work. */
@Singleton
class Previews {
    private static final int TOLD_MAX = 100;

    private final EngineReader engines;

    Previews(EngineReader engines) {
        this.engines = engines;
    }

    record Preview(
            List<DecisionPreview> decisions,
            int decisionCount,
            List<LinePreview> overcommitted,
            List<String> neverAdmitted) {}

    private record Forked(Engine engine, Instant now) {}

    /** Only the copying stands in the way of the engine; the deciding does not. */
    Preview of(Configuration after) {
        Forked forked = engines.ask((engine, now) -> new Forked(engine.fork(), now));
        Engine engine = forked.engine();
        Configuration before = engine.configuration();
        Set<WorkloadId> neverBefore = never(engine, before);
        engine.apply(new EngineEvent.ConfigurationReplaced(after), forked.now());
        List<Decision> decisions = engine.decide(forked.now());
        Set<WorkloadId> neverAfter = never(engine, after);
        neverAfter.removeAll(neverBefore);
        return new Preview(
                decisions.stream()
                        .limit(TOLD_MAX)
                        .map(decision -> preview(engine, decision))
                        .toList(),
                decisions.size(),
                overcommitted(engine.usage()),
                neverAfter.stream()
                        .limit(TOLD_MAX)
                        .map(WorkloadId::value)
                        .sorted()
                        .toList());
    }

    private static Set<WorkloadId> never(Engine engine, Configuration configuration) {
        Set<WorkloadId> never = new HashSet<>();
        for (String queue : configuration.clusterQueues().keySet()) {
            for (WorkloadId id : engine.pending(queue)) {
                if (engine.reason(id).filter(WaitReason::isNever).isPresent()) {
                    never.add(id);
                }
            }
        }
        return never;
    }

    private static DecisionPreview preview(Engine engine, Decision decision) {
        String name = engine.workload(decision.workload())
                .map(workload -> workload.namespace() + "/" + workload.name())
                .orElse("");
        String id = decision.workload().value();
        return switch (decision) {
            case Decision.Admit admit ->
                new DecisionPreview(
                        "ADMIT", id, name, "in " + admit.assignment().clusterQueue());
            case Decision.Preempt preempt ->
                new DecisionPreview(
                        "PREEMPT",
                        id,
                        name,
                        preempt.victims().size()
                                + (preempt.victims().size() == 1 ? " victim: " : " victims: ")
                                + String.join(
                                        ", ",
                                        preempt.victims().stream()
                                                .map(victim -> victim.workload().value())
                                                .toList()));
            case Decision.Reserve reserve ->
                new DecisionPreview(
                        "RESERVE", id, name, "in " + reserve.assignment().clusterQueue());
            case Decision.Unreserve unreserve ->
                new DecisionPreview("UNRESERVE", id, name, unreserve.reason().code());
            case Decision.ChangeChecks change -> new DecisionPreview("CHANGE_CHECKS", id, name, "");
            case Decision.ScheduleStop stop ->
                new DecisionPreview("SCHEDULE_STOP", id, name, stop.at() == null ? "may stay" : "at " + stop.at());
            case Decision.Stuck stuck -> new DecisionPreview("STUCK", id, name, "told to leave at " + stuck.since());
            case Decision.DropEarmark drop -> new DecisionPreview("DROP_EARMARK", id, name, drop.why());
            case Decision.Evict evict ->
                new DecisionPreview("EVICT", id, name, evict.reason().code());
            case Decision.Become become ->
                new DecisionPreview(become.state().name(), id, name, become.why() == null ? "" : become.why());
        };
    }

    private static List<LinePreview> overcommitted(QuotaUsage usage) {
        List<LinePreview> lines = new ArrayList<>();
        usage.queues()
                .forEach((queue, ofQueue) -> ofQueue.lines().forEach(line -> {
                    if (line.overcommitted() > 0) {
                        lines.add(new LinePreview(
                                queue,
                                line.flavor(),
                                line.resource(),
                                Resources.format(line.resource(), line.overcommitted())));
                    }
                }));
        return lines;
    }
}
