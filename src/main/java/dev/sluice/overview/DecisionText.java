package dev.sluice.overview;

import dev.sluice.admission.EvictionReason;
import dev.sluice.quota.Amounts;
import dev.sluice.quota.Configuration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Decisions as sentences: who starts on what, who takes whose place and by which right, who leaves and why. */
public final class DecisionText {
    private final Configuration configuration;
    private final AmountText amounts;

    public DecisionText(Configuration configuration) {
        this.configuration = configuration;
        this.amounts = new AmountText(configuration);
    }

    /** Why an eviction happened, as the end of a sentence about the one who leaves. */
    public static String eviction(EvictionReason reason) {
        return switch (reason) {
            case IN_CLUSTER_QUEUE -> "for a higher priority in its own queue";
            case IN_COHORT_RECLAMATION -> "since the owner called back what it had lent";
            case IN_COHORT_RECLAIM_WHILE_BORROWING -> "for a higher priority that borrows in the cohort";
            case IN_COHORT_FAIR_SHARING -> "for a queue that is further below its fair share";
            case CANCELLED -> "since it was cancelled";
            case DEACTIVATED -> "since it was deactivated";
            case CLUSTER_QUEUE_STOPPED -> "since its queue was stopped";
            case LOCAL_QUEUE_STOPPED -> "since its local queue was stopped";
            case PODS_READY_TIMEOUT -> "since its pods were not ready in time";
            case MAXIMUM_EXECUTION_TIME_EXCEEDED -> "since it ran for as long as it may";
            case NODE_FAILURE -> "since a node failed under it";
            case START_REJECTED -> "since the cluster did not let it start";
            case ADMISSION_CHECK -> "since an admission check did not let it through";
            case REQUEST_CHANGED -> "since it asks for something else now";
            case OVERCOMMITMENT -> "since its queue uses more than its quota";
        };
    }

    /** @param group decisions of one likeness, at least one */
    String sentence(List<LoggedDecision> group) {
        LoggedDecision first = group.getFirst();
        String who = who(group);
        boolean one = group.size() == 1;
        return switch (first.what()) {
            case "Admit" -> who + (one ? " starts" : " start") + onCharge(group) + borrowing(group) + ".";
            case "Preempt" -> first.victims().isEmpty() ? room(group, who) : preemption(first, who);
            case "DropEarmark" ->
                who + (one ? " gives up its place" : " give up their places") + because(first.why()) + ".";
            case "Stuck" ->
                who + (one ? " was" : " were") + " told to leave and " + (one ? "does" : "do") + " not end: look at "
                        + (one ? "its" : "their") + " pods.";
            case "Evict" -> who + (one ? " must leave " : " must leave, each ") + evictionOf(first.why()) + ".";
            case "ConfigurationReplaced" ->
                "The configuration is now at version " + group.getLast().name() + ".";
            case "SUCCEEDED" -> who + " finished.";
            case "CANCELLED" -> who + (one ? " was cancelled." : " were cancelled.");
            case "FAILED" -> who + " failed" + because(first.why()) + ".";
            case "INACTIVE" ->
                who + (one ? " was set aside" : " were set aside") + " as inactive" + because(first.why()) + ".";
            default -> who + ": " + first.what() + ".";
        };
    }

    private String room(List<LoggedDecision> group, String who) {
        return who + (group.size() == 1 ? " has " : " have ") + charge(sum(group))
                + (group.size() == 1 ? "" : " in all") + " set aside, and "
                + (group.size() == 1 ? "starts" : "start") + " when those who leave are gone.";
    }

    private String preemption(LoggedDecision decision, String who) {
        Map<String, List<LoggedDecision.Victim>> byQueue = new LinkedHashMap<>();
        for (LoggedDecision.Victim victim : decision.victims()) {
            byQueue.computeIfAbsent(String.valueOf(victim.clusterQueue()), queue -> new ArrayList<>())
                    .add(victim);
        }
        List<String> victims = new ArrayList<>();
        byQueue.forEach((queue, all) -> victims.add((all.size() <= ReasonText.NAMED_MAX
                        ? ReasonText.listed(
                                all.stream().map(LoggedDecision.Victim::name).toList())
                        : all.size() + " workloads")
                + (all.getFirst().clusterQueue() == null ? "" : " of " + people(queue))));
        String right = right(decision.victims().getFirst().reason());
        return who + " " + right + ": " + ReasonText.listed(victims)
                + (decision.victims().size() == 1 ? " makes" : " make") + " room"
                + (decision.charge().isEmpty() ? "" : " for its " + charge(decision.charge())) + ".";
    }

    private static String right(String code) {
        EvictionReason reason = reason(code);
        return reason == null
                ? "takes a place"
                : switch (reason) {
                    case IN_CLUSTER_QUEUE -> "goes first by priority";
                    case IN_COHORT_RECLAMATION -> "calls back what its queue had lent";
                    case IN_COHORT_RECLAIM_WHILE_BORROWING -> "goes first in the cohort by priority";
                    case IN_COHORT_FAIR_SHARING -> "takes its fair share";
                    case CANCELLED,
                            DEACTIVATED,
                            CLUSTER_QUEUE_STOPPED,
                            LOCAL_QUEUE_STOPPED,
                            PODS_READY_TIMEOUT,
                            MAXIMUM_EXECUTION_TIME_EXCEEDED,
                            NODE_FAILURE,
                            START_REJECTED,
                            OVERCOMMITMENT,
                            ADMISSION_CHECK,
                            REQUEST_CHANGED -> "takes a place";
                };
    }

    private static String evictionOf(@Nullable String code) {
        EvictionReason reason = code == null ? null : reason(code);
        return reason == null ? "(" + code + ")" : eviction(reason);
    }

    private static @Nullable EvictionReason reason(String code) {
        for (EvictionReason reason : EvictionReason.values()) {
            if (reason.code().equals(code)) {
                return reason;
            }
        }
        return null;
    }

    private String who(List<LoggedDecision> group) {
        LoggedDecision first = group.getFirst();
        String names = group.size() <= ReasonText.NAMED_MAX
                ? ReasonText.listed(group.stream().map(LoggedDecision::name).toList())
                : group.size() + " workloads";
        String queue = first.clusterQueue();
        return queue == null ? names : names + " of " + people(queue);
    }

    private String people(String clusterQueue) {
        return ReasonText.people(configuration, clusterQueue);
    }

    private String onCharge(List<LoggedDecision> group) {
        SortedMap<String, Long> sum = sum(group);
        return sum.isEmpty() ? "" : " on " + charge(sum) + (group.size() == 1 ? "" : " in all");
    }

    private static SortedMap<String, Long> sum(List<LoggedDecision> group) {
        SortedMap<String, Long> sum = new TreeMap<>();
        group.forEach(
                decision -> decision.charge().forEach((resource, amount) -> sum.merge(resource, amount, Amounts::add)));
        return sum;
    }

    /** Devices if it has any: who asks for eight GPUs is known by them, not by their cpus. */
    public String charge(SortedMap<String, Long> charge) {
        boolean devices = charge.keySet().stream().anyMatch(QuotaMatrix::isDevice);
        return ReasonText.listed(charge.entrySet().stream()
                .filter(entry -> !devices || QuotaMatrix.isDevice(entry.getKey()))
                .map(entry -> amounts.amount(entry.getKey(), entry.getValue()))
                .toList());
    }

    private static String borrowing(List<LoggedDecision> group) {
        long borrowing = group.stream().filter(LoggedDecision::borrows).count();
        if (borrowing == 0) {
            return "";
        }
        if (group.size() == 1) {
            return ", borrowing from the cohort";
        }
        return borrowing == group.size()
                ? ", all borrowing from the cohort"
                : ", " + borrowing + " of them borrowing from the cohort";
    }

    private static String because(@Nullable String why) {
        return why == null ? "" : ": " + why;
    }
}
