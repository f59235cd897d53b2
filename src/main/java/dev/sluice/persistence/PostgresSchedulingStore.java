package dev.sluice.persistence;

import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.LocalQueueUsage;
import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.Command;
import dev.sluice.scheduling.ConfigurationMoved;
import dev.sluice.scheduling.Deposed;
import dev.sluice.scheduling.LeadershipStore.Leadership;
import dev.sluice.scheduling.QueuedCommand;
import dev.sluice.scheduling.SchedulingStore;
import dev.sluice.workload.WorkloadId;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The leader's tables. A commit first takes the configuration row (shared) and the leadership row, both in one statement; only
 * then does it write, so that whoever is deposed learns just that.
 */
@Singleton
public class PostgresSchedulingStore implements SchedulingStore {
    /**
     * Takes the leadership row if it is ours and the configuration is the expected one. The planner settings hold for this
     * transaction: what follows looks rows up by id, and a plan made while a table was small must not join it whole later.
     */
    private static final String FENCE = """
            with configured as materialized (
                select version from configuration for share
            ), led as (
                update leadership set
                    expires_at = clock_timestamp() + ? * interval '1 millisecond',
                    batch = coalesce(?::bigint, batch), position = coalesce(?::bigint, position),
                    decided_at = coalesce(?::timestamptz, decided_at), decided_on = coalesce(?::bigint, decided_on)
                where holder = ? and epoch = ? and expires_at > clock_timestamp()
                    and (?::bigint is null or (select version from configured) = ?)
                returning epoch
            )
            select (select version from configured), (select epoch from led),
                set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)
            """;

    private static final String WHO_LEADS =
            "select holder, epoch, expires_at, expires_at <= clock_timestamp() from leadership";

    /**
     * The known ones may be tens of thousands. A subquery is hashed whatever the planner guesses; {@code <> all} of a parameter
     * compares each with each once a generic plan is taken.
     */
    private static final String COMMANDS = """
            select c.id as command_id, c.kind, c.workload_id, c.body, c.caller
            from command c where c.id not in (select unnest(?::bigint[])) order by c.id limit ?
            """;

    /** A workload whose submission waits in the intake table comes to the engine by that, not from here. */
    private static final String RESTORED = WorkloadRows.SELECT + """
            where (w.final_state is null or w.charged)
                and not exists (select from command c where c.workload_id = w.id and c.kind = 'SUBMIT')
            order by w.sequence
            """;

    /** From the end of the log backwards: every term writes one of each at its start. */
    private static final String LAST_OF_KIND =
            "select body from event_log where kind = ? and workload_id is null order by position desc limit 1";

    private static final String USAGES = "select local_queue, consumed, at from local_queue_usage order by local_queue";

    private final Transactions transactions;
    private final ConfigurationTables configurations;

    public PostgresSchedulingStore(DataSource dataSource) {
        this.transactions = new Transactions(dataSource);
        this.configurations = new ConfigurationTables();
    }

    @Override
    public Snapshot load() {
        return transactions.readEverything(connection -> {
            List<StoredWorkload> workloads = new ArrayList<>();
            List<UnreadableWorkload> unreadable = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(RESTORED)) {
                statement.setFetchSize(2000);
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        try {
                            workloads.add(new StoredWorkload(
                                    WorkloadRows.workload(row),
                                    WorkloadRows.status(row),
                                    row.getLong("fence"),
                                    row.getString("job_uid"),
                                    row.getString("manifest"),
                                    WorkloadRows.instantOrNull(row, "started_at")));
                        } catch (RuntimeException senseless) {
                            unreadable.add(new UnreadableWorkload(
                                    new WorkloadId(row.getString("id")), WorkloadRows.why(senseless)));
                        }
                    }
                }
            }
            Configuration configuration = configurations.read(connection).configuration();
            try (PreparedStatement statement = connection.prepareStatement(
                            "select batch, position, decided_at, decided_on from leadership");
                    ResultSet row = statement.executeQuery()) {
                row.next();
                long decidedOn = row.getLong("decided_on");
                return new Snapshot(
                        configuration,
                        decidedOn == configuration.version()
                                ? configuration
                                : ConfigurationTables.at(connection, decidedOn),
                        row.getLong(1),
                        row.getLong(2),
                        WorkloadRows.instantOrNull(row, "decided_at"),
                        workloads,
                        unreadable,
                        usages(connection));
            }
        });
    }

    @Override
    public @Nullable LastSeen lastSeen() {
        Optional<LastSeen> seen = transactions.readEverything(connection -> {
            EngineEvent capacity = last(connection, "CapacityChanged");
            EngineEvent namespaces = last(connection, "NamespacesChanged");
            return capacity instanceof EngineEvent.CapacityChanged nodes
                            && namespaces instanceof EngineEvent.NamespacesChanged labelled
                    ? Optional.of(new LastSeen(nodes.capacity(), labelled.labels()))
                    : Optional.empty();
        });
        return seen.orElse(null);
    }

    private static @Nullable EngineEvent last(Connection connection, String kind) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LAST_OF_KIND)) {
            statement.setString(1, kind);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? EntryCodec.surroundings(kind, StoredJson.readObject(row.getString("body"))) : null;
            }
        }
    }

    private static List<LocalQueueUsage> usages(Connection connection) throws SQLException {
        List<LocalQueueUsage> usages = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(USAGES);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                SortedMap<String, Double> consumed = new TreeMap<>();
                StoredJson.readObject(row.getString("consumed"))
                        .properties()
                        .forEach(used ->
                                consumed.put(used.getKey(), used.getValue().doubleValue()));
                usages.add(
                        new LocalQueueUsage(row.getString("local_queue"), consumed, WorkloadRows.instant(row, "at")));
            }
        }
        return usages;
    }

    @Override
    public Instant now() {
        return transactions.one(PostgresSchedulingStore::clock);
    }

    private static Instant clock(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select clock_timestamp()");
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getObject(1, OffsetDateTime.class).toInstant();
        }
    }

    @Override
    public List<QueuedCommand> commands(Set<Long> known, int limit) {
        return transactions.readOneMoment(connection -> {
            List<CommandRow> rows = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(COMMANDS)) {
                statement.setObject(1, known.stream().mapToLong(Long::longValue).toArray());
                statement.setInt(2, limit);
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        rows.add(new CommandRow(
                                row.getLong("command_id"),
                                row.getString("kind"),
                                new WorkloadId(row.getString("workload_id")),
                                row.getString("body"),
                                row.getString("caller")));
                    }
                }
            }
            return complete(connection, rows);
        });
    }

    private record CommandRow(
            long id,
            String kind,
            WorkloadId workload,
            @Nullable String body,
            String caller) {}

    private static List<QueuedCommand> complete(Connection connection, List<CommandRow> rows) throws SQLException {
        List<WorkloadId> submitted = rows.stream()
                .filter(row -> row.body() == null)
                .map(CommandRow::workload)
                .toList();
        Map<WorkloadId, Command> submissions = new HashMap<>();
        if (!submitted.isEmpty()) {
            try (PreparedStatement statement =
                    connection.prepareStatement(WorkloadRows.SELECT + "where w.id = any(?)")) {
                new Columns<>(statement, 1, submitted).text(WorkloadId::value);
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        WorkloadId id = new WorkloadId(row.getString("id"));
                        submissions.put(id, submission(id, row));
                    }
                }
            }
        }
        List<QueuedCommand> commands = new ArrayList<>(rows.size());
        for (CommandRow row : rows) {
            Command command = row.body() == null ? submissions.get(row.workload()) : decoded(row, row.body());
            if (command == null) {
                throw new IllegalStateException(
                        "command " + row.id() + " submits " + row.workload() + ", which is gone");
            }
            commands.add(new QueuedCommand(row.id(), command, row.caller()));
        }
        return commands;
    }

    private static Command submission(WorkloadId id, ResultSet row) throws SQLException {
        try {
            return new Command.Submit(WorkloadRows.workload(row), row.getString("manifest"));
        } catch (RuntimeException senseless) {
            return new Command.Unreadable(id, WorkloadRows.why(senseless));
        }
    }

    private static Command decoded(CommandRow row, String body) {
        try {
            return CommandCodec.decode(row.kind(), row.workload(), body);
        } catch (RuntimeException senseless) {
            return new Command.Unreadable(row.workload(), WorkloadRows.why(senseless));
        }
    }

    @Override
    public Configuration configuration() {
        return transactions.one(configurations::readIfMoved).configuration();
    }

    @Override
    public long configurationVersion() {
        return transactions.one(ConfigurationTables::version);
    }

    @Override
    public Instant commit(Leadership leadership, Batch batch, Duration timeToLive) {
        return transactions.write(connection -> {
            fence(connection, leadership, batch, timeToLive);
            new BatchWriter(connection, batch).write();
            return clock(connection);
        });
    }

    @Override
    public Instant renew(Leadership leadership, Duration timeToLive) {
        return transactions.write(connection -> {
            fence(connection, leadership, null, timeToLive);
            return clock(connection);
        });
    }

    private static void fence(Connection connection, Leadership leadership, @Nullable Batch batch, Duration timeToLive)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FENCE)) {
            statement.setLong(1, timeToLive.toMillis());
            statement.setObject(2, batch == null ? null : batch.number(), java.sql.Types.BIGINT);
            statement.setObject(3, batch == null ? null : lastPosition(batch), java.sql.Types.BIGINT);
            statement.setString(4, batch == null ? null : batch.at().toString());
            Long version = batch == null ? null : batch.configurationVersion();
            statement.setObject(5, version, java.sql.Types.BIGINT);
            statement.setString(6, leadership.holder());
            statement.setLong(7, leadership.epoch());
            statement.setObject(8, version, java.sql.Types.BIGINT);
            statement.setObject(9, version, java.sql.Types.BIGINT);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                long inForce = row.getLong(1);
                row.getLong(2);
                if (row.wasNull()) {
                    throw refused(connection, leadership, batch, inForce);
                }
            }
        }
    }

    private static @Nullable Long lastPosition(Batch batch) {
        return batch.entries().isEmpty() ? null : batch.entries().getLast().position();
    }

    private static RuntimeException refused(
            Connection connection, Leadership leadership, @Nullable Batch batch, long version) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(WHO_LEADS);
                ResultSet row = statement.executeQuery()) {
            row.next();
            String holder = row.getString(1);
            boolean ours = leadership.holder().equals(holder) && row.getLong(2) == leadership.epoch();
            if (ours && !row.getBoolean(4) && batch != null && batch.configurationVersion() != version) {
                return new ConfigurationMoved(batch.configurationVersion(), version);
            }
            return new Deposed(leadership.holder() + " of epoch " + leadership.epoch()
                    + (ours
                            ? " let the lead expire at " + row.getObject(3, OffsetDateTime.class)
                            : " no longer leads: " + holder + " does, epoch " + row.getLong(2)));
        }
    }
}
