package dev.sluice.dashboard;

import dev.sluice.dashboard.PageView.QueueView;
import dev.sluice.dashboard.PageView.WaitingItem;
import dev.sluice.dashboard.PageView.WaitingView;
import dev.sluice.overview.DecisionText;
import dev.sluice.overview.FleetOverview;
import dev.sluice.overview.PendingOverview;
import dev.sluice.overview.PendingOverview.Waiting;
import dev.sluice.quota.QueueingStrategy;
import java.util.ArrayList;
import java.util.List;

/** The queues in true order, in words. A reason that repeats the one above is said once. */
final class WaitingWriter {
    private static final int FEW_QUEUES = 3;
    /** Of each queue where many have waiting workloads, so that the page stays one that can be taken in. */
    private static final int FIRST_OF_MANY = 2;

    private final PendingOverview pending;
    private final DecisionText text;

    WaitingWriter(FleetOverview fleet) {
        this.pending = fleet.pending();
        this.text = new DecisionText(fleet.configuration());
    }

    WaitingView write() {
        List<QueueView> queues = pending.queues().stream().map(this::queue).toList();
        int hidden = pending.queuesWaiting() - pending.queues().size();
        long hiddenWaiting = pending.waiting()
                - pending.queues().stream()
                        .mapToLong(PendingOverview.Queue::waiting)
                        .sum();
        return new WaitingView(
                pending.waiting() == 0 ? "" : PageWriter.count(pending.waiting()),
                queues,
                hidden <= 0
                        ? ""
                        : "And " + PageWriter.count(hiddenWaiting) + " workloads in " + PageWriter.count(hidden)
                                + " more queues.");
    }

    private QueueView queue(PendingOverview.Queue queue) {
        List<WaitingItem> items = new ArrayList<>();
        String above = "";
        int shown = pending.queues().size() > FEW_QUEUES
                ? FIRST_OF_MANY
                : queue.first().size();
        for (Waiting waiting : queue.first().stream().limit(shown).toList()) {
            items.add(item(waiting, !above.isEmpty() && above.equals(waiting.sentence())));
            above = waiting.sentence();
        }
        int more = queue.waiting() - items.size();
        return new QueueView(
                queue.clusterQueue(),
                queue.label(),
                PageWriter.count(queue.waiting()) + (queue.waiting() == 1 ? " waits" : " wait"),
                queue.strategy() == QueueingStrategy.STRICT_FIFO
                        ? "strict: nothing passes the first"
                        : "what fits may pass the first",
                items,
                more <= 0 ? "" : "and " + PageWriter.count(more) + " more");
    }

    private WaitingItem item(Waiting waiting, boolean asAbove) {
        String priorityClass = waiting.priorityClass();
        return new WaitingItem(
                waiting.id(),
                waiting.position(),
                waiting.name(),
                waiting.namespace(),
                text.charge(waiting.charge()),
                (priorityClass == null ? "priority" : priorityClass) + " " + waiting.priority(),
                waiting.since().toString(),
                waiting.sentence().isEmpty() ? "No reason is recorded yet." : waiting.sentence(),
                asAbove,
                waiting.never() ? "never" : waiting.earmarked() ? "aside" : "wait",
                waiting.never() ? "can never start" : waiting.earmarked() ? "place set aside" : "waiting");
    }
}
