package dev.sluice.admission;

import dev.sluice.quota.Configuration;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Decides who is admitted. Apply events, then decide at a time; the decisions come back typed and in order.
 *
 * <p>Not thread-safe: one thread owns an engine. A {@link #fork} is independent and may be given to another thread.
 */
public final class Engine {
    private final AdmissionSettings settings;

    public Engine(AdmissionSettings settings) {
        this.settings = settings;
    }

    public AdmissionSettings settings() {
        return settings;
    }

    /** Takes the event in. State changes that follow at once are decisions, returned by the next {@link #decide}. */
    public void apply(EngineEvent event, Instant at) {
        throw new IllegalStateException("engine");
    }

    /** Repeats cycles until nothing admits, evicts or parks any more. Returns every decision since the last call. */
    public List<Decision> decide(Instant at) {
        throw new IllegalStateException("engine");
    }

    /** A copy that changes nothing here; for what-if. */
    public Engine fork() {
        throw new IllegalStateException("engine");
    }

    /** Empty = not known (never was, or ended and was forgotten). */
    public Optional<WorkloadStatus> status(WorkloadId workload) {
        throw new IllegalStateException("engine");
    }

    /** As submitted; empty = not known. */
    public Optional<Workload> workload(WorkloadId workload) {
        throw new IllegalStateException("engine");
    }

    /** The configuration in force. */
    public Configuration configuration() {
        throw new IllegalStateException("engine");
    }

    /** Why it waits, as last found; empty = it does not wait or is not known. */
    public Optional<WaitReason> reason(WorkloadId workload) {
        throw new IllegalStateException("engine");
    }

    public Optional<Explanation> explain(WorkloadId workload, Instant at) {
        throw new IllegalStateException("engine");
    }

    /** What would be said of a workload that is not submitted, last in line among its equals. */
    public Explanation explain(Workload hypothetical, Instant at) {
        throw new IllegalStateException("engine");
    }

    /** The waiting workloads of a ClusterQueue in the order in which they are considered, earmarked ones first. */
    public List<WorkloadId> pending(String clusterQueue) {
        throw new IllegalStateException("engine");
    }

    /** The first of {@link #pending(String)}, at a cost that does not grow with the rest of the queue. */
    public List<WorkloadId> pending(String clusterQueue, int limit) {
        throw new IllegalStateException("engine");
    }

    /** 1 = first in its ClusterQueue's true order; 0 = it does not wait. */
    public int position(WorkloadId workload) {
        throw new IllegalStateException("engine");
    }

    public QuotaUsage usage() {
        throw new IllegalStateException("engine");
    }
}
