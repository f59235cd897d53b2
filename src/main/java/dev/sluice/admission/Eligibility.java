package dev.sluice.admission;

/** Which workloads a preemptor may take, as far as that hangs on the two workloads and the preemptor's queue alone. */
final class Eligibility {
    private final TrackedWorkload preemptor;
    private final CompiledQueue queue;
    private final int[] contested;
    private final Protection protection;

    Eligibility(TrackedWorkload preemptor, CompiledQueue queue, int[] contested, Protection protection) {
        this.preemptor = preemptor;
        this.queue = queue;
        this.contested = contested;
        this.protection = protection;
    }

    boolean mayTakeOwn(TrackedWorkload candidate) {
        boolean allowed = switch (queue.preemption().withinClusterQueue()) {
            case NEVER -> false;
            case LOWER_PRIORITY -> candidate.priority < preemptor.priority;
            case LOWER_OR_NEWER_EQUAL_PRIORITY ->
                candidate.priority < preemptor.priority
                        || (candidate.priority == preemptor.priority
                                && preemptor.queuedAt.isBefore(candidate.queuedAt));
        };
        return allowed && isUseful(candidate);
    }

    boolean mayReclaim(TrackedWorkload candidate) {
        boolean allowed = switch (queue.preemption().reclaimWithinCohort()) {
            case NEVER -> false;
            case LOWER_PRIORITY -> candidate.priority < preemptor.priority;
            case ANY -> true;
        };
        return allowed && isUseful(candidate);
    }

    private boolean isUseful(TrackedWorkload candidate) {
        // An earmark is taken over by a higher priority only: else two could take it from each other for ever.
        return candidate.chargeOrThrow().uses(contested)
                && (!candidate.isEarmarked() || candidate.priority < preemptor.priority)
                && !candidate.givenUpOn
                && !protection.covers(candidate, queue.name());
    }
}
