package dev.sluice.admission;

import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the engine would say of one workload now, from the same code that decides. Amounts are milli-units for cpu and
 * whole units otherwise.
 *
 * @param reason why it waits; null = it would be admitted (or is)
 * @param assignment what it would get, or has; null = nothing now
 * @param victims whom that would cost; empty = nobody
 * @param position 1 = first in the true order of its ClusterQueue; 0 = it does not wait
 * @param ahead those before it in that order, nearest the front first, at most ten
 * @param wouldRunIf smallest changes that would admit it now, each verified on a fork
 */
public record Explanation(
        Verdict verdict,
        @Nullable WaitReason reason,
        @Nullable Assignment assignment,
        List<Decision.Victim> victims,
        List<Requirement> requirements,
        int position,
        List<WorkloadId> ahead,
        List<Change> wouldRunIf) {
    public Explanation {
        victims = List.copyOf(victims);
        requirements = List.copyOf(requirements);
        ahead = List.copyOf(ahead);
        wouldRunIf = List.copyOf(wouldRunIf);
    }

    public enum Verdict {
        ADMIT,
        ADMIT_BY_PREEMPTING,
        WAIT,
        /** Exactly when it exceeds what the queue could ever reach, or no flavor matches, as configured now. */
        NEVER
    }

    /** One resource of the workload, all pod sets together, and each flavor that could serve it. */
    public record Requirement(String resource, long needed, List<FlavorFinding> flavors) {
        public Requirement {
            flavors = List.copyOf(flavors);
        }
    }

    /**
     * @param used by the queue itself
     * @param available what the queue can still get, borrowing included, at least 0
     * @param borrowable the part of {@code available} that is not the queue's own
     * @param shortBy what is missing; 0 = it fits
     * @param mismatch what keeps the pods off this flavor; null = nothing
     * @param blockedBy who uses what is missing, largest first, at most ten
     */
    public record FlavorFinding(
            String flavor,
            boolean fits,
            long nominal,
            long used,
            long available,
            long borrowable,
            long shortBy,
            @Nullable String mismatch,
            List<Holder> blockedBy,
            PreemptionFinding preemption) {
        public FlavorFinding {
            blockedBy = List.copyOf(blockedBy);
        }
    }

    public record Holder(WorkloadId workload, String clusterQueue, long amount) {}

    /**
     * @param why code of what forbids it, such as {@code POLICY_NEVER}, {@code NO_CANDIDATES} or {@code MINIMUM_RUNTIME}; null =
     *     possible
     * @param until when the first of those may be taken that are protected for a time; null = nobody is, or it is possible
     */
    public record PreemptionFinding(
            boolean possible,
            @Nullable String why,
            @Nullable Instant until) {
        PreemptionFinding(boolean possible, @Nullable String why) {
            this(possible, why, null);
        }
    }

    /**
     * @param change {@code podSets.NAME.count = 3}; {@code flavor = NAME}: its pods ask for the flavor's node labels and tolerate its
     *     taints; {@code priorityClass = NAME}; or {@code queue = NAME}, a LocalQueue of its namespace
     * @param wouldPreempt whom it would cost; empty for all but a priority class
     */
    public record Change(String change, List<WorkloadId> wouldPreempt) {
        public Change {
            wouldPreempt = List.copyOf(wouldPreempt);
        }
    }
}
