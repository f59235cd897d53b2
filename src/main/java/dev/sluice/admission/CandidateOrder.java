package dev.sluice.admission;

import dev.sluice.quota.ShareRanking;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.Comparator;

/**
 * Whom a preemptor would take first: those already on their way out, other queues before its own, in its own those of
 * LocalQueues that used more of late if it goes by that, lower priority, admitted later (or with work saved later, so that less
 * is lost), smaller id.
 *
 * <p>Within one instant many are admitted at the same time; then the later admission goes first, which is the order
 * people see. Kueue knows times only and takes the smaller id, and so does parity.
 */
final class CandidateOrder {
    private final boolean byTimeOnly;
    private final boolean byCheckpoint;

    CandidateOrder(AdmissionSettings settings) {
        byTimeOnly = !settings.earmarks();
        byCheckpoint = settings.victimChoice().byCheckpoint();
    }

    Comparator<TrackedWorkload> seenFrom(int queue) {
        return (left, right) -> compare(queue, left, right);
    }

    /** Written out: it is the busiest comparison there is, and a chain of comparators takes several times as long. */
    private int compare(int queue, TrackedWorkload left, TrackedWorkload right) {
        int order = Boolean.compare(right.isEvicting(), left.isEvicting());
        if (order != 0) {
            return order;
        }
        boolean leftOwn = left.chargeOrThrow().queue() == queue;
        boolean rightOwn = right.chargeOrThrow().queue() == queue;
        order = Boolean.compare(leftOwn, rightOwn);
        if (order == 0 && leftOwn) {
            // Only within the preemptor's queue: others' LocalQueues are no matter of one order.
            order = Double.compare(
                    right.queueOrThrow().usageOf(right), left.queueOrThrow().usageOf(left));
        }
        if (order == 0) {
            order = Integer.compare(left.priority, right.priority);
        }
        if (order == 0) {
            order = since(right).compareTo(since(left));
        }
        if (order == 0 && !byTimeOnly) {
            order = Long.compare(sequence(right), sequence(left));
        }
        return order != 0 ? order : left.id().compareTo(right.id());
    }

    /** Where one that is not of the preemptor's queue stands now among others that are not. */
    Place placeOf(TrackedWorkload candidate) {
        return new Place(
                candidate.isEvicting(),
                candidate.priority,
                since(candidate),
                byTimeOnly ? 0 : sequence(candidate),
                candidate.id());
    }

    /** The smallest is taken first. */
    record Place(boolean evicting, int priority, Instant since, long sequence, WorkloadId id)
            implements ShareRanking.Tie {
        @Override
        public int compareTo(ShareRanking.Tie tie) {
            Place other = (Place) tie;
            int order = Boolean.compare(other.evicting, evicting);
            order = order != 0 ? order : Integer.compare(priority, other.priority);
            order = order != 0 ? order : other.since.compareTo(since);
            order = order != 0 ? order : Long.compare(other.sequence, sequence);
            return order != 0 ? order : id.compareTo(other.id);
        }
    }

    private Instant since(TrackedWorkload candidate) {
        Instant since = candidate.savedUntil(byCheckpoint);
        return since == null ? Instant.MAX : since;
    }

    /** An earmark is not an admission yet, so it is the latest. */
    private static long sequence(TrackedWorkload candidate) {
        return candidate.isEarmarked() ? Long.MAX_VALUE : candidate.admissionSequence;
    }
}
