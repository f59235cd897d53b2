package dev.sluice.persistence;

import dev.sluice.scheduling.Submission;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.testkit.PostgresForTests;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import io.agroal.api.AgroalDataSource;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Measures; asserts nothing, and is not run by name pattern. Run it with -Dtest=StoreRates. */
class StoreRates {
    private static final PrintStream OUT = System.out;

    private final AgroalDataSource dataSource = PostgresForTests.freshDatabase().open();

    @AfterEach
    void close() {
        dataSource.close();
    }

    @Test
    void rates() {
        int total = Integer.getInteger("sluice.rates", 60_000);
        StoreUnderTest store = StoreUnderTest.of(dataSource);
        store.configuration().edit("admin", stored -> StoreConfigurations.oneOfEverything());
        StoreStory leader = new StoreStory(store, "leader", Duration.ofMinutes(10));
        List<SubmissionResult.Accepted> accepted = new ArrayList<>();
        for (int group : new int[] {64, 128, 256, 16, 1}) {
            int count = group == 1 ? 1000 : total / 4;
            Measured start = measured();
            for (int done = 0; done < count; done += group) {
                List<Submission> submissions = new ArrayList<>();
                for (int item = 0; item < group; item++) {
                    submissions.add(submission(accepted.size() + item));
                }
                store.intake().submit(submissions).forEach(result -> accepted.add((SubmissionResult.Accepted) result));
            }
            report("submissions in groups of " + group, count, start);
        }
        commits(leader, accepted);
        Measured start = measured();
        int loaded = store.scheduling().load().workloads().size();
        report("load", loaded, start);
    }

    private void commits(StoreStory leader, List<SubmissionResult.Accepted> accepted) {
        long sequence = 0;
        int batch = 500;
        Measured start = measured();
        int half = accepted.size() / 2;
        for (int from = 0; from < half; from += batch) {
            for (SubmissionResult.Accepted one : accepted.subList(from, Math.min(half, from + batch))) {
                leader.input(new dev.sluice.admission.EngineEvent.WorkloadQueued(
                        one.workload(), one.workload().createdAt()));
                leader.settle(one.commandId(), null);
                leader.admit(one.workload(), ++sequence);
            }
            leader.commit();
        }
        report("queued and admitted in one batch of 500", half, start);
        start = measured();
        for (int from = half; from < accepted.size(); from += batch) {
            for (SubmissionResult.Accepted one : accepted.subList(from, Math.min(accepted.size(), from + batch))) {
                leader.queue(one);
            }
            leader.commit();
        }
        report("queued in batches of 500", accepted.size() - half, start);
        start = measured();
        for (int from = half; from < accepted.size(); from += batch) {
            for (SubmissionResult.Accepted one : accepted.subList(from, Math.min(accepted.size(), from + batch))) {
                leader.admit(one.workload(), ++sequence);
            }
            leader.commit();
        }
        report("admissions in batches of 500", accepted.size() - half, start);
        start = measured();
        for (int from = half; from < accepted.size(); from += batch) {
            for (SubmissionResult.Accepted one : accepted.subList(from, Math.min(accepted.size(), from + batch))) {
                Workload workload = one.workload();
                leader.input(new dev.sluice.admission.EngineEvent.WorkloadFinished(workload.id(), true));
                leader.change(
                        workload,
                        List.of(WorkloadState.SUCCEEDED),
                        StoreStory.ended(workload, WorkloadState.SUCCEEDED));
            }
            leader.commit();
        }
        report("ends in batches of 500", accepted.size() - half, start);
    }

    private static Submission submission(int number) {
        UUID id = new UUID((System.currentTimeMillis() << 16) | 0x7000 | (number & 0xfff), number);
        Map<String, Long> requests = new HashMap<>(Map.of(StoreStory.GPU, 2L, "cpu", 8000L, "memory", 1L << 36));
        return new Submission(
                new WorkloadId(id.toString()),
                "train-" + number,
                "team-a",
                "main",
                "batch",
                number % 3 * 100,
                List.of(PodSet.of("main", 2, requests)),
                null,
                null,
                null,
                "alice",
                null,
                "hash");
    }

    private void report(String what, int count, Measured since) {
        Measured now = measured();
        double seconds = (now.wallNanos - since.wallNanos) / 1e9;
        OUT.printf(
                "RATE %-42s %7.0f /s; %5.1f us of database and %5.1f us of client CPU each (%d in %.2f s)%n",
                what,
                count / seconds,
                (now.databaseMicros - since.databaseMicros) / count,
                (now.clientMicros - since.clientMicros) / count,
                count,
                seconds);
    }

    /** Processor time tells more than the clock on a machine that others use. */
    private record Measured(long wallNanos, double databaseMicros, double clientMicros) {}

    private Measured measured() {
        return new Measured(System.nanoTime(), databaseCpu(), clientCpu());
    }

    private static double clientCpu() {
        return ProcessHandle.current()
                        .info()
                        .totalCpuDuration()
                        .orElse(Duration.ZERO)
                        .toNanos()
                / 1000.0;
    }

    /** Of the server's processes, found by one that always runs. */
    private double databaseCpu() {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select pid from pg_stat_activity where backend_type = 'checkpointer'")) {
            row.next();
            return ProcessHandle.of(row.getLong(1)).flatMap(ProcessHandle::parent).stream()
                    .flatMap(ProcessHandle::children)
                    .mapToDouble(process -> process.info()
                                    .totalCpuDuration()
                                    .orElse(Duration.ZERO)
                                    .toNanos()
                            / 1000.0)
                    .sum();
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
