package dev.sluice.admission;

import dev.sluice.quota.QuotaTree;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** One living workload as the engine sees it now. Changed by {@link Roster} and {@link Holdings} alone. */
final class TrackedWorkload {
    /** As its author wants it now. */
    Workload workload;
    /** Whether that is something else than was submitted. */
    boolean reshaped;

    WorkloadState state = WorkloadState.PENDING;
    String localQueue;

    @Nullable String priorityClass;

    int priority;
    boolean active = true;
    Instant queuedAt;
    int evictionCount;

    @Nullable Instant requeueAt;

    /** The queue that it stands in; null = its LocalQueue leads nowhere. */
    @Nullable QueueState queue;
    /** Those that wait with the same shape and priority; null = it does not compete now. */
    @Nullable Lane lane;
    /** Found when it does not compete although it waits; null = it competes, or need not. */
    @Nullable WaitReason held;

    @Nullable Assignment assignment;

    @Nullable Instant admittedAt;
    /** When the last admission check of its present reservation became ready; null = it awaited none. */
    @Nullable Instant checkedAt;

    long admissionSequence;

    @Nullable Charge charge;
    /** Where it stands among its queue's holders; -1 = it is none of them. */
    int holderIndex = -1;

    @Nullable WorkloadState afterEviction;
    /** Whom its earmark waits for. */
    final Set<WorkloadId> awaited = new LinkedHashSet<>();

    @Nullable ScanMemory memory;
    /** Pods that are done, by pod set; replaced, never changed. */
    SortedMap<String, Integer> reclaimable = Collections.emptySortedMap();
    /** Pods that its charge counts where that is not the number admitted; replaced, never changed. */
    SortedMap<String, Integer> activePods = Collections.emptySortedMap();
    /** Who preempted it under the configuration in force; kept with fair sharing only. */
    final List<WorkloadId> preemptors = new ArrayList<>();
    /** Version of that configuration. */
    long preemptedUnder;
    /** Null = since it was queued. */
    @Nullable Instant waitingSince;

    @Nullable Instant checkpointAt;

    Duration lostTime = Duration.ZERO;

    @Nullable String preemptedBy;

    int preemptedInARow;
    int failedStarts;

    @Nullable String failedStart;

    @Nullable Instant stopsAt;

    /** When it was told to leave; null = it was not, or nobody is told when that takes long. */
    @Nullable Instant leavingSince;
    /** Whether it was told that it leaves for too long. */
    boolean stuck;
    /** It leaves, and counts as one that stays: nobody waits for its end. */
    boolean givenUpOn;

    /** Replaced, never changed. */
    SortedMap<String, CheckStatus> checks = Collections.emptySortedMap();

    TrackedWorkload(Workload workload, Instant queuedAt) {
        this.workload = workload;
        this.queuedAt = queuedAt;
        localQueue = workload.localQueue();
        priorityClass = workload.priorityClass();
        priority = workload.priority();
    }

    WorkloadId id() {
        return workload.id();
    }

    /** What it asks for: all its pods but those that are done. */
    List<PodSet> podSets() {
        return ActivePods.remaining(workload.podSets(), reclaimable);
    }

    /** What its assignment costs with the pods that are active; the assignment must be there. */
    Charge chargeOf(Assignment holds, QuotaTree tree) {
        return Charge.of(ActivePods.occupied(holds, workload.podSets(), activePods), tree);
    }

    void recall(Particulars particulars) {
        reclaimable = particulars.reclaimablePods();
        activePods = particulars.activePods();
        waitingSince = particulars.waitingSince();
        checkpointAt = particulars.checkpointAt();
        lostTime = particulars.lostTime();
        preemptedBy = particulars.preemptedBy();
        preemptedInARow = particulars.preemptedInARow();
        failedStarts = particulars.failedStarts();
        failedStart = particulars.failedStart();
        stopsAt = particulars.stopsAt();
        leavingSince = particulars.leavingSince();
        stuck = particulars.stuck();
        checks = particulars.checks();
        checkedAt = particulars.checkedAt();
        workload = particulars.asksNow(workload);
        reshaped = !particulars.podSets().isEmpty();
    }

    /** What it asks for from now on; what it holds is not touched. */
    void reshape(List<PodSet> podSets) {
        workload = workload.asking(podSets);
        reshaped = true;
        reclaimable = ActivePods.within(podSets, reclaimable);
    }

    /** From when on what it does now would be lost by an eviction; null = it holds nothing. */
    @Nullable Instant savedUntil(boolean byCheckpoint) {
        Instant admitted = admittedAt;
        Instant saved = checkpointAt;
        return byCheckpoint && admitted != null && saved != null && saved.isAfter(admitted) ? saved : admitted;
    }

    Particulars particulars() {
        return new Particulars(
                reclaimable,
                activePods,
                waitingSince,
                checkpointAt,
                lostTime,
                preemptedBy,
                preemptedInARow,
                failedStarts,
                failedStart,
                stopsAt,
                leavingSince,
                stuck,
                checks,
                checkedAt,
                preemptors,
                preemptors.isEmpty() ? 0 : preemptedUnder,
                reshaped ? workload.podSets() : List.of());
    }

    boolean isEarmarked() {
        return state == WorkloadState.PENDING && assignment != null;
    }

    boolean isEvicting() {
        return state == WorkloadState.EVICTING;
    }

    /** Whether it holds devices, or is about to. */
    boolean isRunning() {
        return state == WorkloadState.ADMITTED || state == WorkloadState.RUNNING;
    }

    Charge chargeOrThrow() {
        Charge present = charge;
        if (present == null) {
            throw new IllegalStateException(id() + " in state " + state + " has no charge");
        }
        return present;
    }

    QueueState queueOrThrow() {
        QueueState present = queue;
        if (present == null) {
            throw new IllegalStateException(id() + " in state " + state + " stands in no queue");
        }
        return present;
    }

    WorkloadStatus status() {
        QueueState stands = queue;
        Assignment holds = assignment;
        return new WorkloadStatus(
                state,
                localQueue,
                holds != null ? holds.clusterQueue() : stands == null ? null : stands.name(),
                priorityClass,
                priority,
                active,
                queuedAt,
                holds,
                admittedAt,
                admissionSequence,
                holds != null && state != WorkloadState.PENDING,
                List.copyOf(awaited),
                afterEviction,
                evictionCount,
                requeueAt,
                null,
                particulars());
    }
}
