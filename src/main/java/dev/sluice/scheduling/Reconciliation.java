package dev.sluice.scheduling;

import dev.sluice.scheduling.Cluster.ObservedJob;
import dev.sluice.workload.WorkloadState;
import org.jspecify.annotations.Nullable;

/**
 * What a new leader has to do about one workload, from what the store says should be and what the cluster says is. A pure function
 * over every pair of the two, so that a table test can show each cell.
 */
sealed interface Reconciliation {
    /** The two agree, or what is missing will be observed in its own time. */
    record Nothing() implements Reconciliation {}

    record Create() implements Reconciliation {}

    /**
     * Advance the fence, then release under the new one: whatever a former leader still has on the wire names the old fence and comes
     * to nothing.
     */
    record ReleaseAnew(boolean create) implements Reconciliation {}

    record StopAgain() implements Reconciliation {}

    /** Runs though it holds nothing: stop it under a new fence. */
    record StopUnadmitted() implements Reconciliation {}

    record Learn(Observation observation) implements Reconciliation {}

    static Reconciliation of(Roster.Entry entry, @Nullable ObservedJob job) {
        WorkloadState state = entry.status.state();
        return switch (state) {
            case PENDING, INACTIVE, RESERVED -> ofWaiting(entry, job);
            case ADMITTED -> ofAdmitted(entry, job);
            case RUNNING -> ofRunning(entry, job);
            case EVICTING -> ofEvicting(entry, job);
            case SUCCEEDED, FAILED, CANCELLED -> new Nothing();
        };
    }

    private static Reconciliation ofWaiting(Roster.Entry entry, @Nullable ObservedJob job) {
        if (job == null) {
            return new Create();
        }
        return switch (job.phase()) {
            case SUSPENDED, STOPPING -> new Nothing();
            case STARTING, RUNNING -> new StopUnadmitted();
            case SUCCEEDED, FAILED ->
                new Learn(new Observation.Refused(entry.workload.id(), "its job had ended before it was admitted"));
        };
    }

    private static Reconciliation ofAdmitted(Roster.Entry entry, @Nullable ObservedJob job) {
        if (job == null) {
            return new ReleaseAnew(true);
        }
        return switch (job.phase()) {
            case SUSPENDED, STOPPING -> new ReleaseAnew(false);
            case STARTING -> new Nothing();
            case RUNNING -> new Learn(new Observation.Ready(entry.workload.id(), entry.fence));
            case SUCCEEDED, FAILED -> new Learn(finished(entry, job));
        };
    }

    private static Reconciliation ofRunning(Roster.Entry entry, @Nullable ObservedJob job) {
        if (job == null) {
            return new Learn(new Observation.Deleted(entry.workload.id()));
        }
        return switch (job.phase()) {
            case SUSPENDED -> new ReleaseAnew(false);
            case STARTING, RUNNING, STOPPING -> new Nothing();
            case SUCCEEDED, FAILED -> new Learn(finished(entry, job));
        };
    }

    private static Reconciliation ofEvicting(Roster.Entry entry, @Nullable ObservedJob job) {
        if (job == null) {
            return new Learn(new Observation.Gone(entry.workload.id(), entry.fence));
        }
        return switch (job.phase()) {
            case SUSPENDED, STARTING, RUNNING, STOPPING -> new StopAgain();
            case SUCCEEDED, FAILED -> new Learn(finished(entry, job));
        };
    }

    private static Observation finished(Roster.Entry entry, ObservedJob job) {
        boolean succeeded = job.phase() == Cluster.Phase.SUCCEEDED;
        return new Observation.Finished(entry.workload.id(), job.fence(), succeeded, succeeded ? "" : "its job failed");
    }
}
