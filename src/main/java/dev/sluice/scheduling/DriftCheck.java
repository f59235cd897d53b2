package dev.sluice.scheduling;

import dev.sluice.admission.Engine;
import dev.sluice.admission.LedgerDrift;
import dev.sluice.scheduling.Cluster.ObservedJob;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * Compares the engine's totals with the sum of what workloads hold, and what is charged with what the cluster runs. The two sides are
 * looked at one after the other, and a start or an end may fall between; so of the cluster only what two checks in a row see is told.
 */
public final class DriftCheck {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final LeaderLoop loop;
    private final Cluster cluster;
    private Set<Drift> suspected = Set.of();

    public DriftCheck(LeaderLoop loop, Cluster cluster) {
        this.loop = loop;
        this.cluster = cluster;
    }

    /**
     * Empty = none. Always empty on a replica that does not lead: it knows neither side.
     *
     * @throws ClusterUnavailable if the cluster does not answer
     * @throws StoreUnavailable if the lead is lost meanwhile
     */
    public synchronized Set<Drift> run() {
        List<ObservedJob> jobs = cluster.jobs();
        Optional<CompletableFuture<Set<Drift>>> answer = loop.ask((engine, now) -> compare(engine, jobs));
        Set<Drift> seen = answer.map(DriftCheck::await).orElse(Set.of());
        Set<Drift> told = new LinkedHashSet<>();
        for (Drift drift : seen) {
            if (drift instanceof Drift.Total || suspected.contains(drift)) {
                told.add(drift);
            }
        }
        suspected = seen;
        return told;
    }

    private static Set<Drift> await(CompletableFuture<Set<Drift>> answer) {
        try {
            return answer.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof StoreUnavailable lost) {
                throw lost;
            }
            throw failed;
        }
    }

    static Set<Drift> compare(Engine engine, List<ObservedJob> jobs) {
        Set<Drift> drifts = new LinkedHashSet<>();
        for (LedgerDrift total : engine.ledgerDrift()) {
            drifts.add(new Drift.Total(total));
        }
        Map<WorkloadId, WorkloadState> charged = engine.charged();
        Map<WorkloadId, ObservedJob> byWorkload = new HashMap<>();
        for (ObservedJob job : jobs) {
            byWorkload.put(job.workload(), job);
            if (job.phase().hasLivePods() && !charged.containsKey(job.workload())) {
                drifts.add(new Drift.RunsUncharged(job.workload()));
            }
        }
        charged.forEach((workload, state) -> {
            ObservedJob job = byWorkload.get(workload);
            if (state == WorkloadState.RUNNING && (job == null || job.phase() == Cluster.Phase.SUSPENDED)) {
                drifts.add(new Drift.ChargedWithoutPods(workload));
            }
        });
        return drifts;
    }
}
