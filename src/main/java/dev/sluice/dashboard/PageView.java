package dev.sluice.dashboard;

import java.time.Instant;
import java.util.List;

/**
 * Everything that the page says, ready to be written down: no figure is worked out in the template. Absent texts are empty, so that the
 * template can ask for them. Instants are RFC 3339; the browser turns them into ages and local times.
 *
 * @param configured false = the empty state
 * @param headline the sentence that answers the question that brought the reader here
 * @param note what whoever runs the service wants said, such as the step that the demo plays; empty = nothing
 * @param asOf when the figures were read; empty = there are none yet
 * @param problem why the figures are not fresh; empty = they are
 * @param problemSince when that began
 */
public record PageView(
        boolean configured,
        String headline,
        String lede,
        List<String> alerts,
        List<StripView> strips,
        QuotaView quotas,
        WaitingView waiting,
        List<DecisionView> decisions,
        String note,
        String asOf,
        String problem,
        String problemSince) {

    /** Before anything could be read. */
    static PageView unread(String problem, Instant since) {
        return new PageView(
                false,
                "",
                "",
                List.of(),
                List.of(),
                new QuotaView(List.of(), List.of(), ""),
                new WaitingView("", List.of(), ""),
                List.of(),
                "",
                "",
                problem,
                since.toString());
    }

    /** The same figures, which are not fresh any more. */
    PageView away(String why, Instant since) {
        return new PageView(
                configured,
                headline,
                lede,
                alerts,
                strips,
                quotas,
                waiting,
                decisions,
                note,
                asOf,
                why,
                since.toString());
    }

    /** A part of a bar. {@code kind}: own, borrowed, earmark, lent, free. Percents of the bar. */
    public record Segment(String kind, String left, String width) {}

    /** One line of the fleet as one bar, with who uses which stretch of it. */
    public record StripView(String title, String aria, String units, List<Segment> segments, List<StripLabel> labels) {}

    public record StripLabel(String name, String amount, String left, String width) {}

    /** @param more text on what is not shown; empty = everything is */
    public record QuotaView(List<Column> columns, List<Row> rows, String more) {}

    public record Column(String title, String sub) {}

    /** @param inactive why the queue is not active; empty = it is */
    public record Row(String id, String label, String sub, String inactive, String workloads, List<Cell> cells) {}

    /**
     * @param present false = the queue has no such line
     * @param track how much of the column's scale this bar spans, in percent
     * @param units how many units the bar has, to draw them apart; empty = too many
     * @param tick where nominal quota ends, in percent of the bar
     * @param cut whether the queue could reach more than the bar shows
     * @param wanted what waits for it; empty = nothing
     */
    public record Cell(
            boolean present,
            String id,
            String column,
            String used,
            String parts,
            String wanted,
            String foot,
            String aria,
            String track,
            String units,
            String tick,
            boolean cut,
            List<Segment> segments) {}

    /** @param more text on queues that are not shown; empty = all are */
    public record WaitingView(String title, List<QueueView> queues, String more) {}

    public record QueueView(
            String name, String label, String count, String order, List<WaitingItem> items, String more) {}

    /** @param mark shape of its state: wait, aside, never */
    public record WaitingItem(
            String id,
            int position,
            String name,
            String namespace,
            String charge,
            String priority,
            String since,
            String sentence,
            boolean asAbove,
            String mark,
            String state) {}

    /** @param kind starts, preempts, leaves, ends, fails, changes */
    public record DecisionView(String kind, String label, String at, String sentence) {}
}
