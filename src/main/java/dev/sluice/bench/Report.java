package dev.sluice.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.management.ManagementFactory;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/** What one benchmark found, as a table for people or one JSON object for scripts. */
public record Report(String bench, SortedMap<String, Object> settings, List<Row> rows) {
    public Report {
        settings = Collections.unmodifiableSortedMap(new TreeMap<>(settings));
        rows = List.copyOf(rows);
    }

    public boolean allTargetsMet() {
        return rows.stream().allMatch(Row::met);
    }

    public String json() {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode root = mapper.createObjectNode().put("bench", bench);
        root.putObject("machine")
                .put("cpus", Runtime.getRuntime().availableProcessors())
                .put("memoryMiB", memoryMiB())
                .put("os", System.getProperty("os.name") + " " + System.getProperty("os.arch"))
                .put("java", System.getProperty("java.vendor") + " " + System.getProperty("java.version"));
        root.set("settings", mapper.valueToTree(settings));
        ArrayNode list = root.putArray("rows");
        for (Row row : rows) {
            ObjectNode entry = list.addObject()
                    .put("name", row.name())
                    .put("value", rounded(row.value()))
                    .put("unit", row.unit());
            if (row.target() != null && row.better() != null) {
                entry.put("target", row.target())
                        .put("better", row.better().name().toLowerCase(Locale.ROOT))
                        .put("met", row.met());
            }
        }
        return root.toString();
    }

    /** Four significant digits tell as much as a run can. */
    private static double rounded(double value) {
        double scale = Math.abs(value) >= 1000 ? 1 : 1000;
        return Math.round(value * scale) / scale;
    }

    private static long memoryMiB() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getTotalMemorySize() >> 20
                : 0;
    }

    public String table() {
        int width = rows.stream().mapToInt(row -> row.name().length()).max().orElse(0);
        StringBuilder table = new StringBuilder("bench ").append(bench);
        settings.forEach(
                (key, value) -> table.append("  ").append(key).append('=').append(value));
        table.append('\n');
        for (Row row : rows) {
            table.append(String.format(
                    Locale.ROOT,
                    "  %-" + Math.max(1, width) + "s %12s %-6s",
                    row.name(),
                    number(row.value()),
                    row.unit()));
            if (row.target() != null) {
                table.append(row.better() == Row.Better.LOWER ? " at most " : " at least ")
                        .append(number(row.target()))
                        .append(row.met() ? "  met" : "  MISSED");
            }
            table.append('\n');
        }
        return table.toString();
    }

    private static String number(double value) {
        double rounded = rounded(value);
        return rounded == Math.rint(rounded)
                ? String.format(Locale.ROOT, "%,d", (long) rounded)
                : String.format(Locale.ROOT, "%,.3f", rounded);
    }
}
