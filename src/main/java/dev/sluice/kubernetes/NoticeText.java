package dev.sluice.kubernetes;

import dev.sluice.overview.DecisionText;
import dev.sluice.quota.Configuration;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A notice in words.
 *
 * @param admitted whether it holds quota from here on
 * @param reason one word, as events and conditions have them
 * @param warning whether nobody asked for it
 */
record NoticeText(boolean admitted, String reason, String message, boolean warning) {
    /** @param preemptor the Job of an eviction's preemptor; null = there is none, or none is seen */
    static NoticeText of(Notice notice, Configuration configuration, @Nullable JobSnapshot preemptor) {
        return switch (notice) {
            case Notice.Admitted admitted -> admission(admitted.assignment(), configuration);
            case Notice.Evicted evicted -> eviction(evicted, preemptor);
            case Notice.Lapsed lapsed ->
                throw new IllegalArgumentException("why it was evicted was not looked up: " + lapsed);
        };
    }

    private static NoticeText admission(Assignment assignment, Configuration configuration) {
        SortedMap<String, Long> charge = assignment.charge();
        String flavors = assignment.podSets().stream()
                .flatMap(podSet -> podSet.flavors().values().stream())
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        String message = "Queue " + assignment.clusterQueue() + " admitted it"
                + (charge.isEmpty() ? "" : " with " + new DecisionText(configuration).charge(charge))
                + (flavors.isEmpty() ? "" : " of flavor " + flavors)
                + (assignment.borrows() ? ", borrowing from the cohort" : "") + ".";
        return new NoticeText(true, "Admitted", message, false);
    }

    private static NoticeText eviction(Notice.Evicted evicted, @Nullable JobSnapshot preemptor) {
        String why = DecisionText.eviction(evicted.reason());
        if (evicted.preemptor() != null) {
            String who = preemptor == null ? "A workload" : preemptor.namespace() + "/" + preemptor.name();
            return new NoticeText(
                    false,
                    "Preempted",
                    who + " of queue " + evicted.preemptorQueue() + " takes its place, " + why
                            + ". It waits for another.",
                    true);
        }
        boolean asked = switch (evicted.reason()) {
            case CANCELLED, DEACTIVATED -> true;
            default -> false;
        };
        return new NoticeText(false, "Evicted", "It must leave, " + why + failure(evicted) + next(evicted), !asked);
    }

    private static String failure(Notice.Evicted evicted) {
        var particulars = evicted.after().particulars();
        return switch (evicted.reason()) {
            case PODS_READY_TIMEOUT -> " (failed start " + particulars.failedStarts() + ")";
            case START_REJECTED -> " (failed start " + particulars.failedStarts() + "): " + particulars.failedStart();
            default -> "";
        };
    }

    private static String next(Notice.Evicted evicted) {
        Instant requeueAt = evicted.after().requeueAt();
        WorkloadState after = evicted.after().afterEviction();
        if (after == WorkloadState.INACTIVE) {
            return ". It is inactive until somebody activates it.";
        }
        if (after == WorkloadState.CANCELLED) {
            return ". To run it again, create it anew.";
        }
        return requeueAt == null
                ? ". It waits for another place."
                : ". It is tried again from " + requeueAt.truncatedTo(ChronoUnit.SECONDS) + " on.";
    }
}
