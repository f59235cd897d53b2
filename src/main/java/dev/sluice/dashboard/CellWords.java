package dev.sluice.dashboard;

import dev.sluice.overview.AmountText;
import dev.sluice.overview.QuotaMatrix;
import java.util.ArrayList;
import java.util.List;

/** One quota bar in words: no number stands alone, each says of what. */
record CellWords(QuotaMatrix.Cell cell, String resource, AmountText amounts) {
    String used() {
        return number(cell.used() - cell.earmarked());
    }

    /** "12 own + 6 borrowed", "of its 12", "12 lent". */
    String parts() {
        List<String> parts = new ArrayList<>();
        if (cell.borrowed() > 0) {
            parts.add(number(cell.own()) + " own + " + number(cell.borrowed()) + " borrowed");
        } else {
            parts.add("of its " + number(cell.nominal()));
        }
        if (cell.lent() > 0) {
            parts.add(number(cell.lent()) + " lent");
        }
        if (cell.earmarked() > 0) {
            parts.add(number(cell.earmarked()) + " set aside");
        }
        if (cell.overcommitted() > 0) {
            parts.add(number(cell.overcommitted()) + " above its quota");
        }
        return String.join(" · ", parts);
    }

    String wanted() {
        return cell.wanted() == 0 ? "" : number(cell.wanted()) + " wanted";
    }

    String foot() {
        List<String> parts = new ArrayList<>();
        parts.add("nominal " + number(cell.nominal()));
        if (cell.kept() > 0) {
            parts.add("never lends " + number(cell.kept()));
        }
        Long limit = cell.borrowingLimit();
        if (limit != null) {
            parts.add("borrows " + number(limit) + " at most");
        }
        parts.add("can get " + number(cell.available()) + " more");
        parts.add("limit " + number(cell.reach()));
        return String.join(" · ", parts);
    }

    String aria() {
        String wanted = wanted();
        return used() + " in use, " + parts() + (wanted.isEmpty() ? "" : ", " + wanted) + "; " + foot();
    }

    private String number(long amount) {
        return amounts.number(resource, amount);
    }
}
