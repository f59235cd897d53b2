package dev.sluice.admission;

import dev.sluice.quota.ClusterQueue;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.PodSetUpdate;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The second phase of an admission: what has its quota waits, RESERVED, until every admission check of its queue is ready.
 * Its quota is held meanwhile. Nothing of it runs, so whatever takes the reservation away ends the charge at once.
 */
final class Checks {
    private final Roster roster;
    private final DecisionLog log;

    Checks(Roster roster, DecisionLog log) {
        this.roster = roster;
        this.log = log;
    }

    /** Checks that count for an assignment, all pending, with the tries that they have had. */
    static SortedMap<String, CheckStatus> open(
            @Nullable ClusterQueue queue, Assignment assignment, SortedMap<String, CheckStatus> before) {
        if (queue == null || queue.admissionChecks().isEmpty()) {
            return Collections.emptySortedMap();
        }
        Set<String> used = new TreeSet<>();
        assignment.podSets().forEach(podSet -> used.addAll(podSet.flavors().values()));
        SortedMap<String, CheckStatus> open = new TreeMap<>();
        for (String check : queue.admissionChecks()) {
            List<String> onFlavors = queue.checksOnFlavors().get(check);
            if (onFlavors == null || onFlavors.stream().anyMatch(used::contains)) {
                CheckStatus earlier = before.get(check);
                open.put(check, CheckStatus.pending(earlier == null ? 0 : earlier.retryCount()));
            }
        }
        return open;
    }

    static boolean areReady(SortedMap<String, CheckStatus> checks) {
        return checks.values().stream().allMatch(check -> check.state() == CheckStatus.State.READY);
    }

    void tell(TrackedWorkload one, EngineEvent.CheckChanged told) {
        String check = told.check();
        String message = told.message();
        CheckStatus before = one.checks.get(check);
        boolean holdsQuota = one.state == WorkloadState.RESERVED || one.isRunning();
        if (before == null || !holdsQuota) {
            return;
        }
        switch (told.state()) {
            case PENDING, READY -> {
                boolean letGo = one.state != WorkloadState.RESERVED;
                List<PodSetUpdate> updates = letGo ? before.podSetUpdates() : told.podSetUpdates();
                put(one, check, new CheckStatus(told.state(), message, before.retryCount(), updates));
                admitIfReady(one);
            }
            case RETRY -> {
                one.failedStart = "admission check " + check + " asks for another try"
                        + (message.isEmpty() ? "" : ": " + message);
                retry(one, check, message, before.retryCount() + 1, told.retryAfter());
            }
            case REJECTED -> {
                put(one, check, new CheckStatus(told.state(), message, before.retryCount()));
                one.active = false;
                one.failedStart =
                        "admission check " + check + " rejected it" + (message.isEmpty() ? "" : ": " + message);
                giveUp(one, EvictionReason.ADMISSION_CHECK, WorkloadState.INACTIVE);
            }
        }
    }

    private static void put(TrackedWorkload one, String check, CheckStatus status) {
        SortedMap<String, CheckStatus> checks = new TreeMap<>(one.checks);
        checks.put(check, status);
        one.checks = Collections.unmodifiableSortedMap(checks);
    }

    private void admitIfReady(TrackedWorkload one) {
        Assignment assignment = one.assignment;
        if (one.state != WorkloadState.RESERVED || assignment == null || !areReady(one.checks)) {
            return;
        }
        PodSetUpdates.Conflict conflict =
                PodSetUpdates.conflict(one.workload, assignment, roster.world().configuration(), one.checks);
        if (conflict == null) {
            roster.become(one, WorkloadState.ADMITTED);
            one.checkedAt = roster.now();
            roster.starts(one);
            log.admit(one);
        } else {
            String check = conflict.check();
            int retryCount =
                    one.checks.getOrDefault(check, CheckStatus.pending(0)).retryCount() + 1;
            one.failedStart = "admission check " + check + " wants " + conflict.what();
            retry(one, check, "it wants " + conflict.what(), retryCount, null);
        }
    }

    /** @param retryAfter null = by the number of tries */
    private void retry(
            TrackedWorkload one, String check, String message, int retryCount, @Nullable Duration retryAfter) {
        SortedMap<String, CheckStatus> anew = new TreeMap<>();
        one.checks.forEach((name, status) -> anew.put(name, CheckStatus.pending(status.retryCount())));
        anew.put(check, new CheckStatus(CheckStatus.State.PENDING, message, retryCount));
        one.checks = Collections.unmodifiableSortedMap(anew);
        one.queuedAt = roster.now();
        one.requeueAt = retryAfter == null
                ? CheckStatus.retryAt(roster.now(), retryCount)
                : roster.now().plus(retryAfter);
        giveUp(one, EvictionReason.ADMISSION_CHECK, WorkloadState.PENDING);
    }

    /** Takes the quota away, whether it was only reserved or something runs. */
    void giveUp(TrackedWorkload one, EvictionReason reason, WorkloadState next) {
        if (one.state == WorkloadState.RESERVED) {
            roster.holdings().unreserve(one, next);
            log.unreserve(one, reason);
        } else {
            roster.holdings().startEviction(one, next);
            roster.treeOf(one.chargeOrThrow().queue()).wake();
            log.evict(one, reason);
        }
    }

    /** After a change of the configuration: checks that came are open, checks that went hold up nobody. */
    void reconfigure() {
        List<TrackedWorkload> reserved = new ArrayList<>();
        for (TrackedWorkload one : roster.everybody()) {
            if (one.state == WorkloadState.RESERVED) {
                reserved.add(one);
            }
        }
        reserved.sort(Comparator.comparing(TrackedWorkload::id));
        for (TrackedWorkload one : reserved) {
            CompiledQueue queue = one.queueOrThrow().compiled;
            Assignment assignment = one.assignment;
            if (queue.isStopped() || queue.config() == null) {
                giveUp(one, EvictionReason.CLUSTER_QUEUE_STOPPED, WorkloadState.PENDING);
            } else if (roster.world().isStopped(one.workload.namespace(), one.localQueue)) {
                giveUp(one, EvictionReason.LOCAL_QUEUE_STOPPED, WorkloadState.PENDING);
            } else if (assignment != null) {
                SortedMap<String, CheckStatus> wanted = new TreeMap<>(open(queue.config(), assignment, one.checks));
                wanted.replaceAll((name, fresh) -> one.checks.getOrDefault(name, fresh));
                if (!wanted.equals(one.checks)) {
                    one.checks = Collections.unmodifiableSortedMap(wanted);
                    log.checksChanged(one);
                    admitIfReady(one);
                }
            }
        }
    }
}
