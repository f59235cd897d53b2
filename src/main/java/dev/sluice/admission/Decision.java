package dev.sluice.admission;

import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the engine concluded. Every change of a workload's state is a decision, so that whoever stores and acts needs to
 * look at nothing else. Waiting is not a decision: its reason is asked for ({@link Engine#reason}).
 */
public sealed interface Decision {
    WorkloadId workload();

    /** PENDING → ADMITTED: it may start, and is charged from now on. */
    record Admit(WorkloadId workload, Assignment assignment, long admissionSequence) implements Decision {}

    /**
     * The workload gets its assignment as an earmark, and the victims leave (→ EVICTING). It stays PENDING and becomes
     * ADMITTED by a later {@link Admit} when the last victim is gone.
     */
    record Preempt(WorkloadId workload, Assignment assignment, List<Victim> victims) implements Decision {
        public Preempt {
            victims = List.copyOf(victims);
        }
    }

    /** The earmark ends without admission; what it held is free again. */
    record DropEarmark(WorkloadId workload, String why) implements Decision {}

    /** ADMITTED or RUNNING → EVICTING, not by a preemptor. */
    record Evict(WorkloadId workload, EvictionReason reason) implements Decision {}

    /**
     * Its state does not change: it will be evicted at a time, because it is over quota, or will not any more.
     *
     * @param at null = it may stay
     */
    record ScheduleStop(WorkloadId workload, @Nullable Instant at) implements Decision {}

    /**
     * Its state does not change: it was told to leave, and its pods did not end in time. Told once in an eviction.
     *
     * @param clusterQueue to which it is charged
     * @param since when it was told to leave
     */
    record Stuck(WorkloadId workload, String clusterQueue, Instant since) implements Decision {}

    /** PENDING → RESERVED: it is charged from now on, and may start when its admission checks are ready. */
    record Reserve(WorkloadId workload, Assignment assignment, long admissionSequence) implements Decision {}

    /** RESERVED → the state named: its charge has ended, since nothing of it ran. */
    record Unreserve(WorkloadId workload, EvictionReason reason, WorkloadState state) implements Decision {}

    /** Its state does not change: other admission checks count for it than before. */
    record ChangeChecks(WorkloadId workload) implements Decision {}

    /** → the state named, which is not EVICTING: running, pending again, inactive, or an end. */
    record Become(
            WorkloadId workload,
            WorkloadState state,
            @Nullable String why) implements Decision {}

    /** @param cohort the lowest above both queues, at which the right to it was found; null = both stand in one queue */
    record Victim(
            WorkloadId workload,
            EvictionReason reason,
            @Nullable String cohort) {}
}
