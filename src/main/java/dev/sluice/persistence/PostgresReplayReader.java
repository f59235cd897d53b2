package dev.sluice.persistence;

import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.ReplayReader;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** Reads the log in one pass, of one moment; what entries only name is looked up for many at a time. */
@Singleton
public class PostgresReplayReader implements ReplayReader {
    private static final int CHUNK = 2000;

    private static final String LOG =
            "select position, batch, at, kind, workload_id, body from event_log order by position";

    private final Transactions transactions;

    public PostgresReplayReader(DataSource dataSource) {
        this.transactions = new Transactions(dataSource);
    }

    @Override
    public void replay(Consumer<LoggedBatch> receiver) {
        transactions.readEverything(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(LOG)) {
                statement.setFetchSize(CHUNK);
                long end = PostgresEventLogReader.end(connection);
                try (ResultSet row = statement.executeQuery()) {
                    read(row, end, new Pass(connection, receiver));
                }
            }
            return true;
        });
    }

    private static void read(ResultSet row, long end, Pass pass) throws SQLException {
        long expected = 1;
        while (row.next()) {
            long position = row.getLong("position");
            if (position != expected++) {
                throw cut(expected - 1);
            }
            String workload = row.getString("workload_id");
            pass.add(new Row(
                    position,
                    row.getLong("batch"),
                    WorkloadRows.instant(row, "at"),
                    new EntryCodec.Line(
                            row.getString("kind"),
                            workload == null ? null : new WorkloadId(workload),
                            StoredJson.readObject(row.getString("body")))));
        }
        if (expected <= end) {
            throw cut(expected);
        }
        pass.flush();
    }

    private static IllegalStateException cut(long position) {
        return new IllegalStateException("the log cannot be replayed: its entry " + position + " is no longer kept");
    }

    private record Row(long position, long batch, Instant at, EntryCodec.Line line) {}

    private static final class Pass implements EntryCodec.Resolver {
        private final Connection connection;
        private final Consumer<LoggedBatch> receiver;
        private final List<Row> rows = new ArrayList<>();
        private final Map<WorkloadId, Workload> workloads = new HashMap<>();
        private Configuration configuration = Configuration.EMPTY;

        Pass(Connection connection, Consumer<LoggedBatch> receiver) {
            this.connection = connection;
            this.receiver = receiver;
        }

        void add(Row row) throws SQLException {
            if (rows.size() >= CHUNK && rows.getLast().batch() != row.batch()) {
                flush();
            }
            rows.add(row);
        }

        void flush() throws SQLException {
            lookUp();
            Map<Long, List<Row>> batches = new TreeMap<>();
            rows.forEach(row -> batches.computeIfAbsent(row.batch(), number -> new ArrayList<>())
                    .add(row));
            for (Map.Entry<Long, List<Row>> batch : batches.entrySet()) {
                List<Batch.Entry> entries = new ArrayList<>();
                batch.getValue().forEach(row -> entries.add(EntryCodec.decode(row.position(), row.line(), this)));
                receiver.accept(new LoggedBatch(
                        batch.getKey(), batch.getValue().getFirst().at(), entries));
            }
            rows.clear();
            workloads.clear();
        }

        private void lookUp() throws SQLException {
            List<WorkloadId> queued = new ArrayList<>();
            for (Row row : rows) {
                if (row.line().workload() != null && row.line().kind().equals("WorkloadQueued")) {
                    queued.add(row.line().workload());
                }
            }
            try (PreparedStatement statement =
                    connection.prepareStatement(WorkloadRows.SELECT + "where w.id = any(?::text[])")) {
                new Columns<>(statement, 1, queued).text(WorkloadId::value);
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        Workload workload = WorkloadRows.submitted(row);
                        workloads.put(workload.id(), workload);
                    }
                }
            }
        }

        @Override
        public Workload workload(WorkloadId id) {
            Workload workload = workloads.get(id);
            if (workload == null) {
                throw new IllegalStateException("workload " + id + " is in the log but no longer kept");
            }
            return workload;
        }

        @Override
        public Configuration configuration(long version) {
            if (configuration.version() != version) {
                try {
                    configuration = ConfigurationTables.at(connection, version);
                } catch (SQLException failed) {
                    throw Transactions.sorted(failed);
                }
            }
            return configuration;
        }
    }
}
