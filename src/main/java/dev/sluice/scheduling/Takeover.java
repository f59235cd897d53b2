package dev.sluice.scheduling;

import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.Cluster.ObservedJob;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How a new leader and the cluster come to agree: it takes in what runs, and says what should. Belongs to the leader's thread. */
final class Takeover {
    private final Cluster cluster;
    private final Roster roster;

    Takeover(Cluster cluster, Roster roster) {
        this.cluster = cluster;
        this.roster = roster;
    }

    void reconcile(Turn turn) {
        Map<WorkloadId, List<ObservedJob>> jobs = new HashMap<>();
        cluster.jobs()
                .forEach(job -> jobs.computeIfAbsent(job.workload(), id -> new ArrayList<>(1))
                        .add(job));
        for (Roster.Entry entry : List.copyOf(roster.entries())) {
            // Several may say that they are a workload's; the one that was seen first is.
            ObservedJob job = jobs.getOrDefault(entry.workload.id(), List.of()).stream()
                    .filter(one -> entry.jobUid == null || entry.jobUid.equals(one.uid()))
                    .findFirst()
                    .orElse(null);
            turn.reconcile(entry, Reconciliation.of(entry, job));
            if (job != null) {
                turn.observation(new Observation.Reclaimable(entry.workload.id(), entry.fence, job.reclaimable()));
            }
        }
    }

    /** What the cluster should look like once the first batch is carried out. */
    Effect expectation(Configuration configuration) {
        return new Effect.Expect(roster.entries().stream()
                .map(entry -> {
                    WorkloadState state = entry.status.state();
                    boolean runs = state == WorkloadState.ADMITTED || state == WorkloadState.RUNNING;
                    Assignment assignment = entry.status.assignment();
                    return new Cluster.Expected(
                            entry.workload,
                            entry.manifest,
                            entry.jobUid,
                            entry.fence,
                            runs && assignment != null ? Placement.of(assignment, configuration) : null,
                            state == WorkloadState.EVICTING);
                })
                .toList());
    }
}
