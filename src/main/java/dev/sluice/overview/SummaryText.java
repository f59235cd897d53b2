package dev.sluice.overview;

import dev.sluice.admission.QuotaUsage;
import dev.sluice.admission.WaitReason;
import dev.sluice.quota.Configuration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Answers in a sentence or three whether all is well and who waits for what. */
final class SummaryText {
    private static final int LINES_TOLD_MAX = 2;
    private static final int ALERTS_MAX = 4;

    private SummaryText() {}

    static List<String> summary(QuotaMatrix quotas, PendingOverview pending, AmountText amounts, ReasonText reasons) {
        List<String> sentences = new ArrayList<>();
        sentences.add(inUse(quotas, amounts));
        sentences.add(setAside(quotas, amounts));
        sentences.add(waiting(pending, reasons));
        return sentences.stream().filter(each -> !each.isEmpty()).toList();
    }

    /** The two most used lines of devices; of other resources only where no device line is. */
    private static String inUse(QuotaMatrix quotas, AmountText amounts) {
        boolean devices = quotas.lines().stream().anyMatch(line -> QuotaMatrix.isDevice(line.resource()));
        List<String> parts = quotas.lines().stream()
                .filter(line -> !devices || QuotaMatrix.isDevice(line.resource()))
                .sorted(Comparator.comparingDouble(SummaryText::freeShare))
                .limit(LINES_TOLD_MAX)
                .map(line -> amounts.number(line.resource(), line.running()) + " of "
                        + amounts.amount(line.resource(), line.nominal()))
                .toList();
        return parts.isEmpty() ? "" : ReasonText.listed(parts) + " are in use.";
    }

    private static double freeShare(QuotaMatrix.Line line) {
        return 1 - line.running() / (double) Math.max(1, line.nominal());
    }

    private static String setAside(QuotaMatrix quotas, AmountText amounts) {
        List<String> parts = new ArrayList<>();
        for (QuotaMatrix.Row row : quotas.rows()) {
            for (int column = 0; column < quotas.lines().size(); column++) {
                QuotaMatrix.Cell cell = row.cells().get(column);
                QuotaMatrix.Line line = quotas.lines().get(column);
                if (cell != null && cell.earmarked() > 0 && parts.size() < LINES_TOLD_MAX) {
                    parts.add(amounts.amount(line.resource(), cell.earmarked()) + " for " + row.label());
                }
            }
        }
        return parts.isEmpty() ? "" : ReasonText.listed(parts) + " are set aside until others have left.";
    }

    private static String waiting(PendingOverview pending, ReasonText reasons) {
        if (pending.waiting() == 0) {
            return "Nobody waits.";
        }
        String head = pending.waiting() == 1
                ? "1 workload waits"
                : count(pending.waiting()) + " workloads wait"
                        + (pending.queuesWaiting() > 1 ? " in " + count(pending.queuesWaiting()) + " queues" : "");
        PendingOverview.Queue most = pending.queues().stream()
                .max(Comparator.comparingInt(PendingOverview.Queue::waiting))
                .orElse(null);
        if (most == null || most.first().isEmpty()) {
            return head + ".";
        }
        WaitReason reason = most.first().stream()
                .map(PendingOverview.Waiting::reason)
                .filter(each -> each != null && !(each instanceof WaitReason.AwaitingVictims))
                .findFirst()
                .orElse(null);
        if (reason == null) {
            return head + (most.first().getFirst().earmarked() ? " for the others to leave." : ".");
        }
        boolean several = pending.queuesWaiting() > 1;
        return head + (several ? ", most in " + most.label() : "") + ": "
                + reasons.cause(reason, most.clusterQueue(), several ? "it" : reasons.holder(most.clusterQueue()))
                + ".";
    }

    static List<String> alerts(QuotaUsage usage, Configuration configuration, AmountText amounts) {
        List<String> alerts = new ArrayList<>();
        int more = 0;
        for (var entry : usage.queues().entrySet()) {
            QuotaUsage.Queue queue = entry.getValue();
            String who = ReasonText.people(configuration, entry.getKey());
            String inactive = queue.inactiveBecause();
            if (inactive != null) {
                more += add(alerts, "Queue " + entry.getKey() + " is not active: " + inactive + ".");
            }
            if (queue.stuck() > 0) {
                more += add(
                        alerts,
                        (queue.stuck() == 1 ? "1 workload" : count(queue.stuck()) + " workloads") + " of " + who
                                + (queue.stuck() == 1 ? " was" : " were") + " told to leave and "
                                + (queue.stuck() == 1 ? "does" : "do") + " not end.");
            }
            for (QuotaUsage.Line line : queue.lines()) {
                if (line.overcommitted() > 0) {
                    more += add(
                            alerts,
                            capital(who) + " uses " + amounts.amount(line.resource(), line.overcommitted())
                                    + " more than its quota now allows.");
                }
            }
        }
        if (more > 0) {
            alerts.add("And " + count(more) + " more of this kind.");
        }
        return alerts;
    }

    private static int add(List<String> alerts, String alert) {
        if (alerts.size() >= ALERTS_MAX) {
            return 1;
        }
        alerts.add(alert);
        return 0;
    }

    static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    private static String capital(String text) {
        return text.isEmpty() ? text : text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }
}
