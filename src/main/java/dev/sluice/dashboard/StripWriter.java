package dev.sluice.dashboard;

import dev.sluice.dashboard.PageView.Segment;
import dev.sluice.dashboard.PageView.StripLabel;
import dev.sluice.dashboard.PageView.StripView;
import dev.sluice.overview.AmountText;
import dev.sluice.overview.FleetOverview;
import dev.sluice.overview.QuotaMatrix;
import java.util.ArrayList;
import java.util.List;

/** All that there is of one quota line as one bar: who uses which stretch of it, and what is set aside or free. */
final class StripWriter {
    /** A stretch shorter than this share of the bar has no room for its name; such teams are told together. */
    private static final int NAMED_SHARE_MIN = 24;

    private final FleetOverview fleet;
    private final QuotaMatrix.Line line;
    private final int column;
    private final AmountText amounts;
    private final long length;
    private final List<Segment> segments = new ArrayList<>();
    private final List<StripLabel> labels = new ArrayList<>();
    private long end;

    StripWriter(FleetOverview fleet, QuotaMatrix.Line line, int column) {
        this.fleet = fleet;
        this.line = line;
        this.column = column;
        this.amounts = fleet.amounts();
        this.length = Math.max(1, Math.max(line.nominal(), line.running()));
    }

    StripView write() {
        long kept = 0;
        List<String> keepers = new ArrayList<>();
        for (QuotaMatrix.Row row : fleet.quotas().rows()) {
            QuotaMatrix.Cell cell = row.cells().get(column);
            if (cell == null) {
                continue;
            }
            long uses = cell.own() + cell.borrowed();
            if (uses * NAMED_SHARE_MIN >= length) {
                BarView.add(segments, "own", end, cell.own(), length);
                BarView.add(segments, "borrowed", end + cell.own(), cell.borrowed(), length);
                label(row.label(), uses);
            }
            long idle = Math.max(0, cell.kept() - cell.used());
            if (idle > 0) {
                kept += idle;
                keepers.add(row.label());
            }
        }
        stretch("own", labels.isEmpty() ? "in use" : "others", line.running() - end);
        stretch("earmark", "set aside", Math.min(line.earmarked(), length - end));
        long free = length - end;
        if (keepers.size() == 1 && kept <= free) {
            stretch("free", "free", free - kept);
            stretch("free", "kept free by " + keepers.getFirst(), kept);
        } else {
            stretch("free", "free", free);
        }
        List<String> told = labels.stream()
                .map(label -> label.amount() + " " + label.name())
                .toList();
        return new StripView(
                amounts.unit(line.resource()),
                "Of " + amounts.amount(line.resource(), line.nominal()) + ": " + String.join(", ", told),
                line.resource().indexOf('/') >= 0 ? BarView.units(length) : "",
                segments,
                labels);
    }

    private void stretch(String kind, String name, long amount) {
        if (amount > 0) {
            BarView.add(segments, kind, end, amount, length);
            label(name, amount);
        }
    }

    private void label(String name, long amount) {
        labels.add(new StripLabel(
                name,
                amounts.number(line.resource(), amount),
                BarView.percent(end, length),
                BarView.percent(amount, length)));
        end += amount;
    }
}
