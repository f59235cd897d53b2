package dev.sluice.admission;

import dev.sluice.quota.AdmissionMode;
import dev.sluice.quota.Amounts;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.QuotaTree;
import dev.sluice.quota.Resources;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the LocalQueues of usage-based ClusterQueues used of late: past use decays by half per half-life, and what runs
 * counts in by as much.
 *
 * <p>Between two changes of what runs, use is a closed formula of time. So it is worked out when asked, and written down
 * only when something begins or ends: sampling it every few minutes, as Kueue does, would come to the same at the samples,
 * but then what is decided hangs on when they were taken. What is written down is stored with the decision that caused it,
 * and an engine that is restored from it goes on to the last digit.
 */
final class UsageHistories {
    private final Roster roster;
    private final SortedMap<String, History> histories = new TreeMap<>();
    private final TreeSet<String> changed = new TreeSet<>();

    private static final class History {
        final SortedMap<String, Double> consumed = new TreeMap<>();
        final SortedMap<String, Long> running = new TreeMap<>();
        Instant at;

        History(Instant at) {
            this.at = at;
        }

        boolean isIdle() {
            return running.values().stream().allMatch(amount -> amount == 0);
        }
    }

    UsageHistories(Roster roster) {
        this.roster = roster;
    }

    static String keyOf(TrackedWorkload one) {
        return LocalQueue.key(one.workload.namespace(), one.localQueue);
    }

    private boolean counts(Charge charge) {
        return roster.queue(charge.queue()).isUsageBased();
    }

    private History of(String localQueue) {
        History history = histories.get(localQueue);
        if (history == null) {
            history = new History(roster.now());
            histories.put(localQueue, history);
            changed.add(localQueue);
        }
        return history;
    }

    /** A workload begins to run: it counts at once, so that one queue does not take every turn of one instant. */
    void begin(TrackedWorkload one) {
        Charge charge = one.chargeOrThrow();
        if (counts(charge)) {
            History history = settled(keyOf(one));
            double penalty = roster.settings
                    .admissionFairSharing()
                    .alpha(roster.settings.admissionFairSharing().usageSamplingInterval());
            amounts(charge).forEach((resource, amount) -> {
                history.running.merge(resource, amount, Amounts::add);
                history.consumed.merge(resource, penalty * units(resource, amount), Double::sum);
            });
            roster.queue(charge.queue()).reorder();
        }
    }

    /** It runs already; what it used so far is in what was restored. */
    void resume(TrackedWorkload one) {
        Charge charge = one.chargeOrThrow();
        if (counts(charge)) {
            History history = of(keyOf(one));
            amounts(charge).forEach((resource, amount) -> history.running.merge(resource, amount, Amounts::add));
        }
    }

    void end(TrackedWorkload one, Charge charge) {
        if (counts(charge)) {
            History history = settled(keyOf(one));
            amounts(charge).forEach((resource, amount) -> history.running.merge(resource, -amount, Amounts::add));
        }
    }

    void change(TrackedWorkload one, Charge before, Charge after) {
        end(one, before);
        if (counts(after)) {
            History history = settled(keyOf(one));
            amounts(after).forEach((resource, amount) -> history.running.merge(resource, amount, Amounts::add));
        }
    }

    private History settled(String localQueue) {
        History history = of(localQueue);
        settle(localQueue, history);
        return history;
    }

    private void settle(String localQueue, History history) {
        history.consumed.putAll(consumed(history));
        history.at = roster.now();
        changed.add(localQueue);
    }

    private SortedMap<String, Double> consumed(History history) {
        Duration elapsed = Duration.between(history.at, roster.now());
        double alpha = roster.settings.admissionFairSharing().alpha(elapsed.isNegative() ? Duration.ZERO : elapsed);
        SortedMap<String, Double> now = new TreeMap<>();
        history.consumed.forEach((resource, used) -> now.merge(resource, (1 - alpha) * used, Double::sum));
        history.running.forEach(
                (resource, amount) -> now.merge(resource, alpha * units(resource, amount), Double::sum));
        return now;
    }

    private SortedMap<String, Long> amounts(Charge charge) {
        QuotaTree tree = roster.world().tree();
        SortedMap<String, Long> amounts = new TreeMap<>();
        for (int index = 0; index < charge.lines().length; index++) {
            amounts.merge(tree.line(charge.lines()[index]).resource(), charge.amounts()[index], Amounts::add);
        }
        return amounts;
    }

    private static double units(String resource, long amount) {
        return Resources.isCountedInMilli(resource) ? amount / 1000.0 : amount;
    }

    /** By what LocalQueues are compared, the least first. Who has no weight comes last, whatever it used. */
    double usage(String localQueue) {
        LocalQueue configured = roster.world().configuration().localQueues().get(localQueue);
        double weight = configured == null ? 1 : configured.weight().value().doubleValue();
        if (weight <= 0) {
            return Double.POSITIVE_INFINITY;
        }
        History history = histories.get(localQueue);
        double usage = 0;
        if (history != null) {
            for (var used : consumed(history).entrySet()) {
                usage += roster.settings.admissionFairSharing().weight(used.getKey()) * used.getValue();
            }
        }
        return usage / weight;
    }

    SortedMap<String, Double> consumed(String localQueue) {
        History history = histories.get(localQueue);
        return history == null ? new TreeMap<>() : consumed(history);
    }

    // Configuration, restart and store

    /** Before everybody is placed anew: what ran so far is written down, what runs is counted again. */
    void beforeRebuild() {
        histories.forEach((localQueue, history) -> {
            settle(localQueue, history);
            history.running.clear();
        });
    }

    /** What is neither configured nor running is forgotten, and so is the past of queues that do not go by it. */
    void afterRebuild() {
        List<String> forgotten = new ArrayList<>();
        histories.forEach((localQueue, history) -> {
            if (history.isIdle() && !isUsageBased(localQueue)) {
                forgotten.add(localQueue);
            }
        });
        forgotten.forEach(localQueue -> {
            histories.remove(localQueue);
            changed.add(localQueue);
        });
    }

    private boolean isUsageBased(String localQueue) {
        LocalQueue configured = roster.world().configuration().localQueues().get(localQueue);
        var queue = configured == null
                ? null
                : roster.world().configuration().clusterQueues().get(configured.clusterQueue());
        return queue != null && queue.admissionMode() == AdmissionMode.USAGE_BASED;
    }

    void restore(LocalQueueUsage usage) {
        History history = of(usage.localQueue());
        history.consumed.clear();
        history.consumed.putAll(usage.consumed());
        history.at = usage.at();
        changed.remove(usage.localQueue());
    }

    /** What is remembered of every LocalQueue, as of when it was written down last. */
    List<LocalQueueUsage> all() {
        List<LocalQueueUsage> all = new ArrayList<>();
        histories.forEach(
                (localQueue, history) -> all.add(new LocalQueueUsage(localQueue, history.consumed, history.at)));
        return all;
    }

    /** What was written down since the last call. */
    List<LocalQueueUsage> drainChanged() {
        List<LocalQueueUsage> drained = new ArrayList<>();
        for (String localQueue : changed) {
            History history = histories.get(localQueue);
            drained.add(
                    history == null
                            ? new LocalQueueUsage(localQueue, new TreeMap<>(), roster.now())
                            : new LocalQueueUsage(localQueue, history.consumed, history.at));
        }
        changed.clear();
        return drained;
    }
}
