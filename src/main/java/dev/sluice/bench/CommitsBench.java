package dev.sluice.bench;

import dev.sluice.admission.Decision;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.persistence.PostgresIntakeStore;
import dev.sluice.persistence.PostgresLeadershipStore;
import dev.sluice.persistence.PostgresSchedulingStore;
import dev.sluice.persistence.SessionSettings;
import dev.sluice.platform.EmbeddedDatabase;
import dev.sluice.quota.Resources;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.Batch.Entry;
import dev.sluice.scheduling.Batch.WorkloadChange;
import dev.sluice.scheduling.CommandOutcome;
import dev.sluice.scheduling.LeadershipStore.Leadership;
import dev.sluice.scheduling.Submission;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.scheduling.SubmissionResult.Accepted;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Assignment.PodSetAssignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import java.io.PrintStream;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.flywaydb.core.Flyway;

/**
 * The store alone: how many admissions a second are durable, each with its queued event, its decision, its row and the end of its
 * command, in fenced batches as the leader writes them.
 */
public final class CommitsBench implements Benchmark {
    private static final double ADMISSIONS_PER_SECOND_MIN = 20_000;
    private static final Duration TIME_TO_LIVE = Duration.ofMinutes(10);
    private static final String QUEUE = "queue";

    private final int workloads;
    private final int batchSize;

    public CommitsBench(int workloads, int batchSize) {
        this.workloads = workloads;
        this.batchSize = batchSize;
    }

    @Override
    public Report run(PrintStream progress) {
        try (EmbeddedDatabase database = EmbeddedDatabase.temporary()) {
            Flyway.configure()
                    .dataSource(database.jdbcUrl(), database.user(), database.password())
                    .locations("db/migrations")
                    .load()
                    .migrate();
            try (AgroalDataSource connections = pool(database)) {
                return measure(connections, progress);
            }
        }
    }

    /** Set up as the service sets up its own. */
    private static AgroalDataSource pool(EmbeddedDatabase database) {
        AgroalDataSourceConfigurationSupplier configuration = new AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(pool -> pool.maxSize(4)
                        .connectionFactoryConfiguration(factory -> factory.jdbcUrl(database.jdbcUrl())
                                .principal(new NamePrincipal(database.user()))
                                .credential(new SimplePassword(database.password()))));
        try {
            AgroalDataSource pool = AgroalDataSource.from(configuration);
            pool.setPoolInterceptors(List.of(new SessionSettings()));
            return pool;
        } catch (SQLException failed) {
            throw new BenchFailed("no connection to the database", failed);
        }
    }

    private Report measure(AgroalDataSource connections, PrintStream progress) {
        PostgresSchedulingStore store = new PostgresSchedulingStore(connections);
        Leadership leadership = new PostgresLeadershipStore(connections)
                .acquire("bench", TIME_TO_LIVE)
                .orElseThrow();
        long submitting = System.nanoTime();
        List<Accepted> accepted = submit(new PostgresIntakeStore(connections));
        double submittedSeconds = (System.nanoTime() - submitting) / 1e9;
        progress.println(workloads + " submissions stored in " + submittedSeconds + " s");
        Distribution commitMillis = new Distribution();
        long position = 0;
        long number = 0;
        long start = System.nanoTime();
        for (int from = 0; from < workloads; from += batchSize) {
            Batch batch = batch(++number, position, accepted.subList(from, Math.min(workloads, from + batchSize)));
            position += batch.entries().size();
            long committing = System.nanoTime();
            store.commit(leadership, batch, TIME_TO_LIVE);
            commitMillis.add((System.nanoTime() - committing) / 1e6);
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        List<Row> rows = new ArrayList<>();
        rows.add(Row.atLeast("durable admissions", workloads / seconds, "1/s", ADMISSIONS_PER_SECOND_MIN));
        rows.add(Row.told("durable submissions in transactions of 256", workloads / submittedSeconds, "1/s"));
        rows.addAll(commitMillis.rows("commit of a batch", "ms"));
        return new Report("commits", new TreeMap<>(Map.of("workloads", workloads, "batch", batchSize)), rows);
    }

    private List<Accepted> submit(PostgresIntakeStore intake) {
        List<Accepted> accepted = new ArrayList<>(workloads);
        List<Submission> group = new ArrayList<>();
        for (int number = 1; number <= workloads; number++) {
            group.add(submission(number));
            if (group.size() == 256 || number == workloads) {
                for (SubmissionResult result : intake.submit(group)) {
                    if (!(result instanceof Accepted each)) {
                        throw new BenchFailed("a submission was not accepted: " + result);
                    }
                    accepted.add(each);
                }
                group.clear();
            }
        }
        return accepted;
    }

    private static Submission submission(int number) {
        return new Submission(
                new WorkloadId(String.format(Locale.ROOT, "w%07d", number)),
                "workload-" + number,
                "bench",
                QUEUE,
                null,
                0,
                List.of(PodSet.of("main", 1, Map.of(Resources.CPU, 1000L))),
                Duration.ofSeconds(1),
                null,
                null,
                "bench",
                null,
                "");
    }

    private static Batch batch(long number, long position, List<Accepted> accepted) {
        Instant at = Instant.now();
        List<Entry> entries = new ArrayList<>();
        List<WorkloadChange> changes = new ArrayList<>();
        List<CommandOutcome> outcomes = new ArrayList<>();
        for (Accepted each : accepted) {
            entries.add(new Entry.Input(++position, new EngineEvent.WorkloadQueued(each.workload(), at)));
        }
        for (Accepted each : accepted) {
            long sequence = each.workload().sequence();
            Assignment assignment = assignment();
            entries.add(new Entry.Decided(
                    ++position, new Decision.Admit(each.workload().id(), assignment, sequence)));
            changes.add(new WorkloadChange(
                    each.workload().id(),
                    List.of(WorkloadState.ADMITTED),
                    status(at, assignment, sequence),
                    1,
                    null,
                    null,
                    null,
                    null));
            outcomes.add(new CommandOutcome(each.commandId(), null));
        }
        return new Batch(number, at, 0, entries, changes, List.of(), outcomes);
    }

    private static Assignment assignment() {
        return new Assignment(
                QUEUE,
                List.of(new PodSetAssignment(
                        "main",
                        1,
                        new TreeMap<>(Map.of(Resources.CPU, "default")),
                        new TreeMap<>(Map.of(Resources.CPU, 1000L)))),
                false);
    }

    private static WorkloadStatus status(Instant at, Assignment assignment, long sequence) {
        return new WorkloadStatus(
                WorkloadState.ADMITTED,
                QUEUE,
                QUEUE,
                null,
                0,
                true,
                at,
                assignment,
                at,
                sequence,
                true,
                List.of(),
                null,
                0,
                null,
                null);
    }
}
