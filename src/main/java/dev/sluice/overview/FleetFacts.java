package dev.sluice.overview;

import dev.sluice.admission.Engine;
import dev.sluice.admission.QuotaUsage;
import dev.sluice.admission.WaitReason;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.Configuration;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one look at the engine brings: everything of one moment, and nothing that still needs the engine. Made on the thread that owns
 * the engine, so it only collects; figures and words are made from it elsewhere.
 *
 * @param at engine time
 * @param fronts ClusterQueue to the first of its waiting workloads, of the queues in which most wait
 * @param named workloads that reasons mention, by id
 */
record FleetFacts(
        Instant at,
        Configuration configuration,
        QuotaUsage usage,
        Map<String, List<Front>> fronts,
        Map<WorkloadId, Workload> named) {
    record Front(
            Workload workload,
            WorkloadStatus status,
            int position,
            @Nullable WaitReason reason) {}

    static FleetFacts gather(Engine engine, Instant at, int queuesMax, int workloadsMax) {
        QuotaUsage usage = engine.usage();
        List<String> queues = usage.queues().entrySet().stream()
                .filter(entry -> entry.getValue().pending() > 0)
                .sorted(Comparator.comparingInt((Map.Entry<String, QuotaUsage.Queue> entry) ->
                                -entry.getValue().pending())
                        .thenComparing(Map.Entry::getKey))
                .limit(queuesMax)
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
        Map<String, List<Front>> fronts = new LinkedHashMap<>();
        Map<WorkloadId, Workload> named = new TreeMap<>();
        for (String queue : queues) {
            List<Front> front = front(engine, queue, workloadsMax);
            front.forEach(each -> mentioned(each.reason()).stream()
                    .limit(ReasonText.NAMED_MAX + 1L)
                    .forEach(id -> engine.workload(id).ifPresent(workload -> named.put(id, workload))));
            fronts.put(queue, front);
        }
        return new FleetFacts(at, engine.configuration(), usage, fronts, named);
    }

    private static List<Front> front(Engine engine, String queue, int workloadsMax) {
        List<Front> front = new ArrayList<>();
        int position = 0;
        for (WorkloadId id : engine.pending(queue, workloadsMax)) {
            position++;
            Optional<Workload> workload = engine.workload(id);
            Optional<WorkloadStatus> status = engine.status(id);
            if (workload.isPresent() && status.isPresent()) {
                front.add(new Front(
                        workload.get(),
                        status.get(),
                        position,
                        engine.reason(id).orElse(null)));
            }
        }
        return front;
    }

    private static List<WorkloadId> mentioned(@Nullable WaitReason reason) {
        return switch (reason) {
            case null -> List.of();
            case WaitReason.AwaitingVictims awaiting -> {
                List<WorkloadId> all = new ArrayList<>();
                awaiting.longestStuck().ifPresent(all::add);
                awaiting.victims().stream().limit(ReasonText.NAMED_MAX).forEach(all::add);
                yield all;
            }
            case WaitReason.BlockedByEarlier(WorkloadId ahead, WaitReason aheadWaitsFor) -> {
                List<WorkloadId> all = new ArrayList<>(List.of(ahead));
                all.addAll(mentioned(aheadWaitsFor));
                yield all;
            }
            case WaitReason.QuotaExhausted ignored -> List.of();
            case WaitReason.ExceedsMaximum ignored -> List.of();
            case WaitReason.NoMatchingFlavor ignored -> List.of();
            case WaitReason.ResourceNotCovered ignored -> List.of();
            case WaitReason.NotPlaceable ignored -> List.of();
            case WaitReason.QueueStopped ignored -> List.of();
            case WaitReason.QueueInactive ignored -> List.of();
            case WaitReason.NamespaceNotAllowed ignored -> List.of();
            case WaitReason.BackingOff ignored -> List.of();
            case WaitReason.Deactivated ignored -> List.of();
            case WaitReason.AwaitingChecks ignored -> List.of();
            case WaitReason.NotYetConsidered ignored -> List.of();
        };
    }
}
