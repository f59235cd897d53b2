package dev.sluice.bench;

import java.io.PrintStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * From the start of the process to its first committed decision, with a great many workloads in the store. The service was killed
 * before; what was submitted to it last waits in the intake table.
 */
public final class RestartBench implements Benchmark {
    private static final double SECONDS_MAX = 5;
    private static final long PATIENCE_SECONDS = 120;

    private final int waiting;
    private final int restarts;

    public RestartBench(int waiting, int restarts) {
        this.waiting = waiting;
        this.restarts = restarts;
    }

    @Override
    public Report run(PrintStream progress) throws InterruptedException {
        try (Backlog backlog = new Backlog()) {
            backlog.fill(waiting, progress);
            Distribution firstBatch = new Distribution();
            Distribution ready = new Distribution();
            for (int restart = 0; restart < restarts; restart++) {
                backlog.killService();
                awaitFreeLead(backlog);
                long before = batch(backlog);
                long start = System.nanoTime();
                backlog.restartService();
                awaitBatchAfter(backlog, before);
                firstBatch.add((System.nanoTime() - start) / 1e9);
                backlog.service().awaitReady();
                ready.add((System.nanoTime() - start) / 1e9);
                progress.println(
                        "restart " + (restart + 1) + " of " + restarts + ": " + firstBatch.max() + " s at most");
            }
            List<Row> rows = new ArrayList<>();
            rows.add(Row.atMost("restart to first decision", firstBatch.percentile(0.5), "s", SECONDS_MAX));
            rows.add(Row.told("restart to first decision, slowest", firstBatch.max(), "s"));
            rows.add(Row.told("restart to ready", ready.percentile(0.5), "s"));
            return new Report("restart", new TreeMap<>(Map.of("waiting", waiting, "restarts", restarts)), rows);
        }
    }

    /** The lead of the killed service must run out first; that wait is a setting and not measured. */
    private static void awaitFreeLead(Backlog backlog) throws InterruptedException {
        while (number(backlog, "select case when expires_at > clock_timestamp() then 1 else 0 end from leadership")
                > 0) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static long batch(Backlog backlog) {
        return number(backlog, "select batch from leadership");
    }

    /** A new leader's first batch holds its first decisions: everything that waits was looked at. */
    private static void awaitBatchAfter(Backlog backlog, long before) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (batch(backlog) == before) {
            if (System.nanoTime() > deadline) {
                throw new BenchFailed("no decision within " + PATIENCE_SECONDS + " s:\n"
                        + backlog.service().endOfLog());
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static long number(Backlog backlog, String query) {
        try (Connection connection = DriverManager.getConnection(
                        backlog.database().jdbcUrl(),
                        backlog.database().user(),
                        backlog.database().password());
                PreparedStatement statement = connection.prepareStatement(query);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        } catch (SQLException unreadable) {
            throw new BenchFailed("the database cannot be read", unreadable);
        }
    }
}
