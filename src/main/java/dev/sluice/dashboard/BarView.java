package dev.sluice.dashboard;

import dev.sluice.dashboard.PageView.Segment;
import dev.sluice.overview.QuotaMatrix;
import dev.sluice.quota.Amounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The geometry of a quota bar. The bar ends at what the queue could reach, or is cut where that is many times what it owns and uses; from its start stand own use, borrowed, earmarked; what is
 * lent ends at nominal; what can be had now is drawn as free, and the bare track is what others use or keep.
 */
final class BarView {
    /** More units than this cannot be told apart on a bar. */
    private static final int UNITS_MAX = 64;

    /** A queue of 8 that may reach 2,400 would have a bar with nothing to see on it; beyond this it is cut. */
    private static final long REACH_SHOWN_MAX = 5;

    private BarView() {}

    static List<Segment> segments(QuotaMatrix.Cell cell) {
        long length = length(cell);
        List<Segment> segments = new ArrayList<>();
        long used = cell.used();
        long gap = Math.max(0, cell.nominal() - used - cell.lent());
        long freeOwn = Math.min(cell.available(), gap);
        add(segments, "own", 0, cell.own(), length);
        add(segments, "borrowed", cell.own(), cell.borrowed(), length);
        add(segments, "earmark", cell.own() + cell.borrowed(), cell.earmarked(), length);
        add(segments, "free", used, freeOwn, length);
        add(segments, "lent", Math.max(used, cell.nominal() - cell.lent()), cell.lent(), length);
        add(segments, "free", Math.max(used, cell.nominal()), cell.available() - freeOwn, length);
        return segments;
    }

    static void add(List<Segment> segments, String kind, long from, long amount, long length) {
        if (amount > 0 && from < length) {
            segments.add(new Segment(kind, percent(from, length), percent(Math.min(amount, length - from), length)));
        }
    }

    /** What the whole bar stands for; at least 1. */
    static long length(QuotaMatrix.Cell cell) {
        long held = Math.max(cell.used(), cell.nominal());
        return Math.max(1, Math.max(held, Math.min(cell.reach(), Amounts.multiply(held, REACH_SHOWN_MAX))));
    }

    static boolean isCut(QuotaMatrix.Cell cell) {
        return length(cell) < cell.reach();
    }

    static String units(long length) {
        return length <= UNITS_MAX ? Long.toString(length) : "";
    }

    static String percent(long part, long whole) {
        double percent = Math.clamp(100.0 * part / Math.max(1, whole), 0, 100);
        String text = String.format(Locale.ROOT, "%.3f", percent);
        return text.replaceAll("\\.?0+$", "");
    }
}
