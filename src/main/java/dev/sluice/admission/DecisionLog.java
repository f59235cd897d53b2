package dev.sluice.admission;

import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decisions since they were last fetched, in order, and the number of the next admission. */
final class DecisionLog {
    private List<Decision> decisions = new ArrayList<>();
    private long lastAdmission;

    /** Numbers of restored admissions are never given again. */
    void sawAdmission(long sequence) {
        lastAdmission = Math.max(lastAdmission, sequence);
    }

    void forgetAdmissions() {
        lastAdmission = 0;
    }

    long lastAdmission() {
        return lastAdmission;
    }

    long nextAdmission() {
        return ++lastAdmission;
    }

    List<Decision> drain() {
        List<Decision> drained = decisions;
        decisions = new ArrayList<>();
        return drained;
    }

    /** It holds its assignment now, and may start, or has admission checks before it. */
    void admit(TrackedWorkload admitted) {
        Assignment assignment = admitted.assignment;
        if (assignment == null) {
            throw new IllegalStateException(admitted.id() + " was admitted without an assignment");
        }
        decisions.add(
                admitted.state == WorkloadState.RESERVED
                        ? new Decision.Reserve(admitted.id(), assignment, admitted.admissionSequence)
                        : new Decision.Admit(admitted.id(), assignment, admitted.admissionSequence));
    }

    void preempt(TrackedWorkload preemptor, Assignment assignment, List<Decision.Victim> victims) {
        decisions.add(new Decision.Preempt(preemptor.id(), assignment, victims));
    }

    void dropEarmark(TrackedWorkload waiting, String why) {
        decisions.add(new Decision.DropEarmark(waiting.id(), why));
    }

    void evict(TrackedWorkload evicted, EvictionReason reason) {
        decisions.add(new Decision.Evict(evicted.id(), reason));
    }

    void stuck(TrackedWorkload leaving, Instant since) {
        decisions.add(new Decision.Stuck(leaving.id(), leaving.queueOrThrow().name(), since));
    }

    void scheduleStop(TrackedWorkload running) {
        decisions.add(new Decision.ScheduleStop(running.id(), running.stopsAt));
    }

    /** After it lost its reservation. */
    void unreserve(TrackedWorkload released, EvictionReason reason) {
        decisions.add(new Decision.Unreserve(released.id(), reason, released.state));
    }

    void checksChanged(TrackedWorkload reserved) {
        decisions.add(new Decision.ChangeChecks(reserved.id()));
    }

    void become(TrackedWorkload changed, WorkloadState state, @Nullable String why) {
        decisions.add(new Decision.Become(changed.id(), state, why));
    }
}
