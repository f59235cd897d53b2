package dev.sluice.bench;

import java.util.Arrays;
import java.util.List;

/** Mean and percentiles of what was measured, by nearest rank. */
final class Distribution {
    private double[] values = new double[256];
    private int count;

    void add(double value) {
        if (count == values.length) {
            values = Arrays.copyOf(values, count * 2);
        }
        values[count++] = value;
    }

    int count() {
        return count;
    }

    double mean() {
        return Arrays.stream(values, 0, count).average().orElse(0);
    }

    double max() {
        return Arrays.stream(values, 0, count).max().orElse(0);
    }

    /** @param share between 0 and 1 */
    double percentile(double share) {
        if (count == 0) {
            return 0;
        }
        Arrays.sort(values, 0, count);
        return values[Math.max(0, (int) Math.ceil(share * count) - 1)];
    }

    List<Row> rows(String name, String unit) {
        return List.of(
                Row.told(name + " mean", mean(), unit),
                Row.told(name + " p50", percentile(0.50), unit),
                Row.told(name + " p95", percentile(0.95), unit),
                Row.told(name + " p99", percentile(0.99), unit));
    }
}
