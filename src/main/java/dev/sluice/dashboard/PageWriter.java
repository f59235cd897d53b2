package dev.sluice.dashboard;

import dev.sluice.dashboard.PageView.Cell;
import dev.sluice.dashboard.PageView.Column;
import dev.sluice.dashboard.PageView.DecisionView;
import dev.sluice.dashboard.PageView.QuotaView;
import dev.sluice.dashboard.PageView.Row;
import dev.sluice.dashboard.PageView.StripView;
import dev.sluice.overview.AmountText;
import dev.sluice.overview.FleetOverview;
import dev.sluice.overview.QuotaMatrix;
import dev.sluice.overview.RecentDecisions;
import dev.sluice.quota.Share;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Turns what {@code overview} read into what the page says. Makes no decision and no reading of its own. */
final class PageWriter {
    /** Below this share of a column's scale a bar is too short to read; then every bar has its own scale. */
    private static final int SCALE_SPREAD_MAX = 12;

    private final FleetOverview fleet;
    private final AmountText amounts;

    PageWriter(FleetOverview fleet) {
        this.fleet = fleet;
        this.amounts = fleet.amounts();
    }

    PageView write(List<RecentDecisions.Told> decisions, String note) {
        List<String> summary = fleet.summary();
        return new PageView(
                fleet.configured(),
                summary.isEmpty() ? "" : summary.getFirst(),
                summary.size() < 2 ? "" : String.join(" ", summary.subList(1, summary.size())),
                fleet.alerts(),
                strips(),
                quotas(),
                new WaitingWriter(fleet).write(),
                decisions.stream().map(PageWriter::decision).toList(),
                note,
                fleet.at().toString(),
                "",
                "");
    }

    private QuotaView quotas() {
        QuotaMatrix matrix = fleet.quotas();
        List<Column> columns = new ArrayList<>();
        for (QuotaMatrix.Line line : matrix.lines()) {
            columns.add(new Column(
                    title(line),
                    amounts.number(line.resource(), line.running()) + " of "
                            + amounts.number(line.resource(), line.nominal()) + " in use"));
        }
        List<Row> rows = new ArrayList<>();
        for (QuotaMatrix.Row row : matrix.rows()) {
            List<Cell> cells = new ArrayList<>();
            for (int column = 0; column < matrix.lines().size(); column++) {
                cells.add(cell(row, column, columns.get(column)));
            }
            String inactive = row.inactiveBecause();
            rows.add(new Row(
                    row.clusterQueue(),
                    row.label(),
                    sub(row),
                    inactive == null ? "" : inactive,
                    workloads(row),
                    cells));
        }
        return new QuotaView(columns, rows, more(matrix));
    }

    private String title(QuotaMatrix.Line line) {
        Set<String> flavors = new HashSet<>();
        fleet.quotas().lines().stream()
                .filter(each -> each.resource().equals(line.resource()))
                .forEach(each -> flavors.add(each.flavor()));
        return amounts.unit(line.resource()) + (flavors.size() > 1 ? " · " + line.flavor() : "");
    }

    private static String sub(QuotaMatrix.Row row) {
        String queue = row.label().endsWith(row.clusterQueue()) ? "" : "queue " + row.clusterQueue();
        String cohort = row.cohort() == null ? "no cohort" : "cohort " + row.cohort();
        return queue.isEmpty() ? cohort : queue + " · " + cohort;
    }

    private static String workloads(QuotaMatrix.Row row) {
        return count(row.admitted()) + " admitted"
                + (row.waiting() == 0 ? "" : " · " + count(row.waiting()) + " waiting")
                + share(row);
    }

    private static String share(QuotaMatrix.Row row) {
        Share share = row.fairShare();
        return share == null ? "" : " · weighted share " + (share.isInfinite() ? "∞" : Long.toString(share.rounded()));
    }

    private static String more(QuotaMatrix matrix) {
        List<String> parts = new ArrayList<>();
        int queues = matrix.queues() - matrix.rows().size();
        if (queues > 0) {
            parts.add("And " + count(queues) + " more queues, under less pressure"
                    + (matrix.waitingElsewhere() > 0
                            ? ", in which " + count(matrix.waitingElsewhere()) + " workloads wait"
                            : "")
                    + ".");
        }
        int lines = matrix.linesInAll() - matrix.lines().size();
        if (lines > 0) {
            parts.add("And " + count(lines) + (lines == 1 ? " more quota line." : " more quota lines."));
        }
        return String.join(" ", parts);
    }

    private Cell cell(QuotaMatrix.Row row, int column, Column heading) {
        QuotaMatrix.Line line = fleet.quotas().lines().get(column);
        QuotaMatrix.Cell cell = row.cells().get(column);
        String id = "q-" + row.clusterQueue() + "-" + column;
        if (cell == null) {
            return new Cell(false, id, heading.title(), "", "", "", "", "", "0", "", "0", false, List.of());
        }
        long length = BarView.length(cell);
        long widest = 1;
        boolean shared = true;
        for (QuotaMatrix.Row other : fleet.quotas().rows()) {
            QuotaMatrix.Cell beside = other.cells().get(column);
            widest = Math.max(widest, beside == null ? 1 : BarView.length(beside));
        }
        for (QuotaMatrix.Row other : fleet.quotas().rows()) {
            QuotaMatrix.Cell beside = other.cells().get(column);
            shared &= beside == null || BarView.length(beside) * SCALE_SPREAD_MAX >= widest;
        }
        CellWords words = new CellWords(cell, line.resource(), amounts);
        return new Cell(
                true,
                id,
                heading.title(),
                words.used(),
                words.parts(),
                words.wanted(),
                words.foot(),
                row.label() + ", " + heading.title() + ": " + words.aria(),
                shared ? BarView.percent(length, widest) : "100",
                line.resource().indexOf('/') >= 0 ? BarView.units(length) : "",
                BarView.percent(cell.nominal(), length),
                BarView.isCut(cell),
                BarView.segments(cell));
    }

    /** The device lines, each as one bar of all that there is. */
    private List<StripView> strips() {
        List<StripView> strips = new ArrayList<>();
        for (int column = 0; column < fleet.quotas().lines().size() && column < 2; column++) {
            QuotaMatrix.Line line = fleet.quotas().lines().get(column);
            if (strips.isEmpty() || line.resource().indexOf('/') >= 0) {
                strips.add(new StripWriter(fleet, line, column).write());
            }
        }
        return strips;
    }

    private static DecisionView decision(RecentDecisions.Told told) {
        String label = switch (told.kind()) {
            case STARTS -> "starts";
            case PREEMPTS -> "preempts";
            case WAITS_FOR_ROOM -> "waits for room";
            case LEAVES -> "leaves";
            case ENDS -> "ends";
            case FAILS -> "fails";
            case CHANGES -> "change";
        };
        return new DecisionView(
                told.kind().name().toLowerCase(Locale.ROOT), label, told.at().toString(), told.sentence());
    }

    static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }
}
