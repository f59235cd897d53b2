package dev.sluice.naive;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.QuotaLine;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Whom a preemptor may take at all, and whom first. */
final class NaiveCandidates {
    private final AdmissionSettings settings;
    private final NaiveWorkload preemptor;
    private final ClusterQueue queue;
    private final Set<QuotaLine> contested;
    private final List<NaiveWorkload> holders;

    /** @param holders whoever is charged and was not dealt with in this cycle */
    NaiveCandidates(
            AdmissionSettings settings,
            NaiveWorkload preemptor,
            ClusterQueue queue,
            Set<QuotaLine> contested,
            List<NaiveWorkload> holders) {
        this.settings = settings;
        this.preemptor = preemptor;
        this.queue = queue;
        this.contested = contested;
        this.holders = holders;
    }

    List<NaiveWorkload> own() {
        return holders.stream()
                .filter(one -> one.chargedTo().equals(queue.name()) && mayTakeOwn(one) && isUseful(one))
                .sorted(order())
                .toList();
    }

    List<NaiveWorkload> of(String other) {
        return holders.stream()
                .filter(one -> one.chargedTo().equals(other) && mayReclaim(one) && isUseful(one))
                .sorted(order())
                .toList();
    }

    private boolean mayTakeOwn(NaiveWorkload one) {
        boolean lower = one.priority < preemptor.priority;
        boolean newer = one.priority == preemptor.priority && one.queuedAt.isAfter(preemptor.queuedAt);
        return switch (queue.preemption().withinClusterQueue()) {
            case NEVER -> false;
            case LOWER_PRIORITY -> lower;
            case LOWER_OR_NEWER_EQUAL_PRIORITY -> lower || newer;
        };
    }

    private boolean mayReclaim(NaiveWorkload one) {
        return switch (queue.preemption().reclaimWithinCohort()) {
            case NEVER -> false;
            case LOWER_PRIORITY -> one.priority < preemptor.priority;
            case ANY -> true;
        };
    }

    /** An earmark is taken over by a higher priority only. */
    private boolean isUseful(NaiveWorkload one) {
        return !Collections.disjoint(one.charge().keySet(), contested)
                && (!one.isEarmarked() || one.priority < preemptor.priority);
    }

    /** On the way out, of other queues, of low priority, admitted late; then by id. */
    Comparator<NaiveWorkload> order() {
        Comparator<NaiveWorkload> order = Comparator.comparing((NaiveWorkload one) -> !one.isEvicting())
                .thenComparing(one -> one.chargedTo().equals(queue.name()))
                .thenComparingInt(one -> one.priority)
                .thenComparing(one -> one.assignedAt, Comparator.reverseOrder());
        Comparator<NaiveWorkload> latest =
                Comparator.comparingLong((NaiveWorkload one) -> -(one.isEarmarked() ? Long.MAX_VALUE : one.admission));
        return (settings.earmarks() ? order.thenComparing(latest) : order).thenComparing(NaiveWorkload::id);
    }
}
