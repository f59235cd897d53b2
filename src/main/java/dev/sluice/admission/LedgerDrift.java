package dev.sluice.admission;

import dev.sluice.quota.Amounts;
import dev.sluice.quota.Ledger;
import dev.sluice.quota.QuotaLine;
import dev.sluice.workload.Assignment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A line of a queue whose running total is not the sum of what its workloads hold. The total is kept by additions and removals, so
 * one that is forgotten or done twice stays wrong for good; this finds it. Amounts in base units.
 *
 * @param total what the ledger says is held
 * @param sum of what the workloads that hold something are assigned, for their active pods
 */
public record LedgerDrift(String queue, String flavor, String resource, long total, long sum) {
    static List<LedgerDrift> of(Roster roster) {
        Ledger held = roster.held();
        Map<String, Map<QuotaLine, Long>> sums = new HashMap<>();
        for (TrackedWorkload one : roster.everybody()) {
            Assignment assignment = one.assignment;
            if (assignment != null && one.status().charged()) {
                Map<QuotaLine, Long> queue = sums.computeIfAbsent(assignment.clusterQueue(), name -> new HashMap<>());
                ActivePods.occupied(assignment, one.workload.podSets(), one.activePods)
                        .podSets()
                        .forEach(podSet -> podSet.flavors()
                                .forEach((resource, flavor) -> queue.merge(
                                        new QuotaLine(flavor, resource),
                                        podSet.usage().getOrDefault(resource, 0L),
                                        Amounts::add)));
            }
        }
        List<LedgerDrift> drifts = new ArrayList<>();
        for (QueueState queue : roster.queues()) {
            for (int line = 0; line < held.tree().lineCount(); line++) {
                QuotaLine name = held.tree().line(line);
                long total = held.used(queue.node(), line);
                long sum = sums.getOrDefault(queue.name(), Map.of()).getOrDefault(name, 0L);
                if (total != sum) {
                    drifts.add(new LedgerDrift(queue.name(), name.flavor(), name.resource(), total, sum));
                }
            }
        }
        return drifts;
    }
}
