package dev.sluice.cli;

import java.util.ArrayList;
import java.util.List;

/** Rows in aligned columns for a person to read; columns of numbers lean right. */
final class TextTable {
    private static final String GAP = "  ";

    private final List<String> headings;
    private final List<Boolean> rightAligned;
    private final List<List<String>> rows = new ArrayList<>();

    /** A heading that begins with {@code >} makes its column lean right. */
    TextTable(String... headings) {
        this.headings = List.of(headings).stream()
                .map(heading -> heading.startsWith(">") ? heading.substring(1) : heading)
                .toList();
        this.rightAligned = List.of(headings).stream()
                .map(heading -> heading.startsWith(">"))
                .toList();
    }

    void row(String... cells) {
        if (cells.length != headings.size()) {
            throw new IllegalArgumentException(cells.length + " cells under " + headings.size() + " headings");
        }
        rows.add(List.of(cells));
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        append(text, headings);
        rows.forEach(row -> append(text.append('\n'), row));
        return text.toString();
    }

    private void append(StringBuilder text, List<String> cells) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < cells.size(); column++) {
            String cell = cells.get(column);
            String padding = " ".repeat(Math.max(0, width(column) - cell.length()));
            line.append(column == 0 ? "" : GAP).append(rightAligned.get(column) ? padding + cell : cell + padding);
        }
        text.append(line.toString().stripTrailing());
    }

    private int width(int column) {
        int width = headings.get(column).length();
        for (List<String> row : rows) {
            width = Math.max(width, row.get(column).length());
        }
        return width;
    }
}
