package dev.sluice.scheduling;

import dev.sluice.admission.CheckStatus;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.PodSetUpdate;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A wish, committed before it is acknowledged; the leader turns it into engine events. */
public sealed interface Command {
    WorkloadId workloadId();

    /**
     * The workload's row is inserted with the command, in one transaction.
     *
     * @param manifest the Kubernetes manifest that its Job is made from; null = submitted as native JSON
     */
    record Submit(Workload workload, @Nullable String manifest) implements Command {
        @Override
        public WorkloadId workloadId() {
            return workload.id();
        }
    }

    record Cancel(WorkloadId workloadId) implements Command {}

    /** @param priorityClass null = none */
    record ChangePriorityClass(
            WorkloadId workloadId, @Nullable String priorityClass) implements Command {}

    record ChangeQueue(WorkloadId workloadId, String localQueue) implements Command {}

    /**
     * @param retryAfter of a {@code RETRY}: how long until the next try; null = by the number of tries
     * @param podSetUpdates of a {@code READY}: what is added to the pods when they are let go
     */
    record ChangeCheck(
            WorkloadId workloadId,
            String check,
            CheckStatus.State state,
            String message,
            @Nullable Duration retryAfter,
            List<PodSetUpdate> podSetUpdates)
            implements Command {
        public ChangeCheck {
            podSetUpdates = List.copyOf(podSetUpdates);
        }
    }

    /** What it asks for, as its author has it now. */
    record ChangePodSets(WorkloadId workloadId, List<PodSet> podSets) implements Command {
        public ChangePodSets {
            podSets = List.copyOf(podSets);
        }
    }

    record ChangeActivation(WorkloadId workloadId, boolean active) implements Command {}

    /**
     * What the intake table has, but nobody can tell what it says: a damaged row, or one of a later version. Never written. It stays
     * in the table, since what was acknowledged is not thrown away, and holds up nothing else.
     */
    record Unreadable(WorkloadId workloadId, String why) implements Command {}
}
