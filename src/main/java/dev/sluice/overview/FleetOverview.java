package dev.sluice.overview;

import dev.sluice.admission.QuotaUsage;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Configuration;
import dev.sluice.workload.Workload;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The whole fleet at one moment: the answer to "is everything fine, who waits for what" in one sentence, and the figures behind it.
 *
 * @param at engine time of the figures
 * @param summary one to three sentences, the most general first
 * @param alerts what somebody should act on; empty = nothing
 */
public record FleetOverview(
        Instant at,
        Configuration configuration,
        List<String> summary,
        List<String> alerts,
        QuotaMatrix quotas,
        PendingOverview pending,
        AmountText amounts) {
    private static final int ROWS_MAX = 12;
    private static final int LINES_MAX = 4;
    private static final int QUEUES_MAX = 6;
    private static final int WORKLOADS_MAX = 5;

    public FleetOverview {
        summary = List.copyOf(summary);
        alerts = List.copyOf(alerts);
    }

    /** Whether any ClusterQueue exists; if not, there is nothing to show. */
    public boolean configured() {
        return !configuration.clusterQueues().isEmpty();
    }

    /** Asks the engine once; what is made of the answer is made on the calling thread. */
    public static FleetOverview read(EngineReader reader) {
        return of(reader.ask((engine, at) -> FleetFacts.gather(engine, at, QUEUES_MAX, WORKLOADS_MAX)));
    }

    static FleetOverview of(FleetFacts facts) {
        Configuration configuration = facts.configuration();
        ReasonText reasons = new ReasonText(configuration, facts.usage(), id -> {
            Workload workload = facts.named().get(id);
            return workload == null ? null : workload.namespace() + "/" + workload.name();
        });
        AmountText amounts = new AmountText(configuration);
        QuotaMatrix quotas = QuotaMatrix.of(configuration, facts.usage(), ROWS_MAX, LINES_MAX);
        PendingOverview pending = pending(facts, reasons);
        return new FleetOverview(
                facts.at(),
                configuration,
                SummaryText.summary(quotas, pending, amounts, reasons),
                SummaryText.alerts(facts.usage(), configuration, amounts),
                quotas,
                pending,
                amounts);
    }

    private static PendingOverview pending(FleetFacts facts, ReasonText reasons) {
        Map<String, Integer> queuesOfTeam = QuotaMatrix.queuesOfTeam(facts.configuration());
        List<PendingOverview.Queue> queues = new ArrayList<>();
        facts.fronts().forEach((name, front) -> {
            ClusterQueue queue = facts.configuration().clusterQueues().get(name);
            queues.add(new PendingOverview.Queue(
                    name,
                    QuotaMatrix.label(facts.configuration(), name, queuesOfTeam),
                    queue == null ? null : queue.queueingStrategy(),
                    waitingIn(facts, name),
                    front.stream().map(each -> waiting(each, name, reasons)).toList()));
        });
        long waiting = 0;
        int queuesWaiting = 0;
        for (var queue : facts.usage().queues().values()) {
            waiting += queue.pending();
            queuesWaiting += queue.pending() > 0 ? 1 : 0;
        }
        return new PendingOverview(queues, queuesWaiting, waiting);
    }

    private static int waitingIn(FleetFacts facts, String clusterQueue) {
        QuotaUsage.Queue queue = facts.usage().queues().get(clusterQueue);
        return queue == null ? 0 : queue.pending();
    }

    private static PendingOverview.Waiting waiting(FleetFacts.Front front, String clusterQueue, ReasonText reasons) {
        Workload workload = front.workload();
        return new PendingOverview.Waiting(
                workload.id().value(),
                workload.name(),
                workload.namespace(),
                front.position(),
                workload.charge(),
                front.status().priorityClass(),
                front.status().priority(),
                front.status().queuedAt(),
                front.status().evictionCount(),
                front.reason(),
                front.reason() == null ? "" : reasons.sentence(front.reason(), clusterQueue));
    }
}
