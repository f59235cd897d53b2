package dev.sluice.admission;

import java.time.Instant;
import java.util.Comparator;

/**
 * Whom a preemptor would take first: those already on their way out, other queues before its own, lower priority, admitted
 * later, smaller id.
 *
 * <p>Within one instant many are admitted at the same time; then the later admission goes first, which is the order
 * people see. Kueue knows times only and takes the smaller id, and so does parity.
 */
final class CandidateOrder {
    private final boolean byTimeOnly;

    CandidateOrder(AdmissionSettings settings) {
        byTimeOnly = !settings.earmarks();
    }

    Comparator<TrackedWorkload> seenFrom(int queue) {
        Comparator<TrackedWorkload> order = Comparator.comparing((TrackedWorkload candidate) -> !candidate.isEvicting())
                .thenComparing(candidate -> candidate.chargeOrThrow().queue() == queue)
                .thenComparingInt(candidate -> candidate.priority)
                .thenComparing(CandidateOrder::since, Comparator.reverseOrder());
        return byTimeOnly
                ? order.thenComparing(TrackedWorkload::id)
                : order.thenComparing(CandidateOrder::sequence, Comparator.reverseOrder())
                        .thenComparing(TrackedWorkload::id);
    }

    private static Instant since(TrackedWorkload candidate) {
        return candidate.admittedAt == null ? Instant.MAX : candidate.admittedAt;
    }

    /** An earmark is not an admission yet, so it is the latest. */
    private static long sequence(TrackedWorkload candidate) {
        return candidate.isEarmarked() ? Long.MAX_VALUE : candidate.admissionSequence;
    }
}
