package dev.sluice.kubernetes;

import dev.sluice.admission.Decision;
import dev.sluice.admission.EvictionReason;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.overview.EvictionRow;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.Batch.WorkloadChange;
import dev.sluice.scheduling.Cluster;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What is said of a workload on its Job, to whoever looks at it with kubectl. Waiting is not said: it would be a write for each who waits. */
sealed interface Notice {
    WorkloadId workload();

    /** The one that the Job has once the release or the stop that this is about was written. */
    long fence();

    /** @param assignment what it was given */
    record Admitted(WorkloadId workload, long fence, Assignment assignment) implements Notice {}

    /**
     * @param preemptor null = it is no preemption
     * @param preemptorQueue null = it is no preemption
     * @param after how it stands from here on
     */
    record Evicted(
            WorkloadId workload,
            long fence,
            EvictionReason reason,
            @Nullable WorkloadId preemptor,
            @Nullable String preemptorQueue,
            WorkloadStatus after)
            implements Notice {}

    /**
     * An eviction by a leader that may have gone before it was told; why it was is in the store.
     *
     * @param after how it stood when another took the lead
     */
    record Lapsed(WorkloadId workload, long fence, WorkloadStatus after) implements Notice {
        /** @param row the last eviction of the workload */
        Evicted told(EvictionRow row) {
            return new Evicted(
                    workload, fence, EvictionReason.of(row.reason()), row.preemptor(), row.preemptorQueue(), after);
        }
    }

    /**
     * What a leader that went away may not have got to say of a workload; null = it would be stale by now.
     *
     * @param since what is older is not told any more
     */
    static @Nullable Notice unsaid(Cluster.Expected expected, Instant since) {
        WorkloadStatus status = expected.status();
        WorkloadId id = expected.workload().id();
        Instant admitted = status.admittedAt();
        Instant left = status.particulars().waitingSince();
        if (expected.placement() != null) {
            boolean recent = admitted != null && admitted.isAfter(since);
            return recent && status.assignment() != null
                    ? new Admitted(id, expected.fence(), status.assignment())
                    : null;
        }
        boolean recent = expected.leaving() || (left != null && left.isAfter(since));
        return recent && status.evictionCount() > 0 ? new Lapsed(id, expected.fence(), status) : null;
    }

    /** Whether the Job says already what this would say; one that never said that it was admitted need not take it back. */
    default boolean isSaid(JobSnapshot job) {
        Boolean says = job.status().saysAdmitted();
        return this instanceof Admitted ? Boolean.TRUE.equals(says) : !Boolean.TRUE.equals(says);
    }

    /** When a notice may be written. */
    enum Moment {
        /** What it tells of is not written yet, or the Job controller is about to answer and must not be crossed. */
        NOT_YET,
        NOW,
        /** The Job has moved on: it happened, but it is no longer how things are. */
        LATE,
        NEVER
    }

    /** In the order of the decisions. */
    static List<Notice> of(Batch batch) {
        List<Decision> decisions = batch.entries().stream()
                .filter(Batch.Entry.Decided.class::isInstance)
                .map(entry -> ((Batch.Entry.Decided) entry).decision())
                .filter(Notice::isTold)
                .toList();
        if (decisions.isEmpty()) {
            return List.of();
        }
        Map<WorkloadId, WorkloadChange> changes =
                batch.changes().stream().collect(Collectors.toMap(WorkloadChange::workload, Function.identity()));
        List<Notice> notices = new ArrayList<>();
        for (Decision decision : decisions) {
            switch (decision) {
                case Decision.Admit admit -> {
                    WorkloadChange change = changes.get(admit.workload());
                    if (change != null) {
                        notices.add(new Admitted(admit.workload(), change.fence(), admit.assignment()));
                    }
                }
                case Decision.Evict evict -> {
                    WorkloadChange change = changes.get(evict.workload());
                    if (change != null) {
                        notices.add(new Evicted(
                                evict.workload(), change.fence(), evict.reason(), null, null, change.status()));
                    }
                }
                case Decision.Preempt preempt -> {
                    for (Decision.Victim victim : preempt.victims()) {
                        WorkloadChange change = changes.get(victim.workload());
                        if (change != null) {
                            notices.add(new Evicted(
                                    victim.workload(),
                                    change.fence(),
                                    victim.reason(),
                                    preempt.workload(),
                                    preempt.assignment().clusterQueue(),
                                    change.status()));
                        }
                    }
                }
                default -> throw new IllegalStateException("no notice tells of " + decision);
            }
        }
        return notices;
    }

    private static boolean isTold(Decision decision) {
        return decision instanceof Decision.Admit
                || decision instanceof Decision.Evict
                || decision instanceof Decision.Preempt;
    }

    /** @param job null = it is not seen yet */
    default Moment at(@Nullable JobSnapshot job) {
        if (job == null) {
            return Moment.NOT_YET;
        }
        if (job.deleting()) {
            return Moment.NEVER;
        }
        return switch (this) {
            case Admitted admitted -> admittedAt(job);
            case Evicted evicted -> evictedAt(job);
            case Lapsed lapsed -> evictedAt(job);
        };
    }

    private Moment admittedAt(JobSnapshot job) {
        JobSnapshot.Status status = job.status();
        if (job.fenceOrFirst() < fence()) {
            return Moment.NOT_YET;
        }
        if (status.end() != null) {
            return Moment.NOW;
        }
        if (!job.isReleased()) {
            return job.fenceOrFirst() > fence() ? Moment.LATE : Moment.NOT_YET;
        }
        // The controller's next update would fail on a status that was changed under it, and be made a second later.
        boolean answered = status.started() && status.active() + status.succeeded() > 0;
        return answered ? Moment.NOW : Moment.NOT_YET;
    }

    private Moment evictedAt(JobSnapshot job) {
        if (job.status().end() != null) {
            return Moment.NEVER;
        }
        if (job.fenceOrFirst() < fence()) {
            return Moment.NOT_YET;
        }
        if (!job.suspended()) {
            return Moment.LATE;
        }
        return job.mark() == null ? Moment.NOW : Moment.NOT_YET;
    }
}
