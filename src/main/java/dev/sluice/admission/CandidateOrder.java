package dev.sluice.admission;

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
        Comparator<TrackedWorkload> order = Comparator.comparing((TrackedWorkload candidate) -> !candidate.isEvicting())
                .thenComparing(candidate -> candidate.chargeOrThrow().queue() == queue)
                .thenComparingDouble(candidate -> -usageIn(queue, candidate))
                .thenComparingInt(candidate -> candidate.priority)
                .thenComparing(this::since, Comparator.reverseOrder());
        return byTimeOnly
                ? order.thenComparing(TrackedWorkload::id)
                : order.thenComparing(CandidateOrder::sequence, Comparator.reverseOrder())
                        .thenComparing(TrackedWorkload::id);
    }

    /** Only within the preemptor's queue: others' LocalQueues are no matter of one order. */
    private static double usageIn(int queue, TrackedWorkload candidate) {
        return candidate.chargeOrThrow().queue() == queue
                ? candidate.queueOrThrow().usageOf(candidate)
                : 0;
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
