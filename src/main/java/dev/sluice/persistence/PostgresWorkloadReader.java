package dev.sluice.persistence;

import dev.sluice.overview.EvictionRow;
import dev.sluice.overview.UnreadableWorkload;
import dev.sluice.overview.WorkloadReader;
import dev.sluice.overview.WorkloadRow;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Workloads, their history and evictions as committed. Every answer is of one moment. Commands that wait are laid over the rows,
 * so that one reads one's own writes.
 */
@Singleton
public class PostgresWorkloadReader implements WorkloadReader {
    private static final String SELECT = "select " + WorkloadRows.COLUMNS + """
            , (select q.spec ->> 'team' from cluster_queue q where q.key = w.cluster_queue) as team,
            (select max(case c.kind when 'CANCEL' then 2 else 1 end) from command c where c.workload_id = w.id) as wish
            """ + WorkloadRows.TABLES;

    /** A preemption is the history of its victims as well. */
    private static final String HISTORY = """
            select position, at, kind, workload_id, body from event_log where workload_id = ?
            union all
            select l.position, l.at, l.kind, l.workload_id, l.body
            from event_log l
            where l.kind = 'Preempt'
                and l.workload_id in (select e.preemptor_id from eviction e where e.victim_id = ?)
                and exists (select from json_array_elements(l.body -> 'victims') v where v ->> 'workload' = ?)
            order by position
            """;

    private static final int WISHES_CANCEL = 2;

    private static final Logger LOG = Logger.getLogger(PostgresWorkloadReader.class.getName());

    private final Transactions transactions;

    public PostgresWorkloadReader(DataSource dataSource) {
        this.transactions = new Transactions(dataSource);
    }

    @Override
    public Optional<WorkloadRow> find(WorkloadId workload) {
        return findAll(List.of(workload)).stream().findFirst();
    }

    @Override
    public List<WorkloadRow> findAll(List<WorkloadId> workloads) {
        if (workloads.isEmpty()) {
            return List.of();
        }
        Rows rows = transactions.readOneMoment(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(SELECT + "where w.id = any(?::text[])")) {
                new Columns<>(statement, 1, workloads).text(WorkloadId::value);
                return rows(connection, statement);
            }
        });
        if (!rows.unreadable().isEmpty()) {
            throw rows.unreadable().getFirst();
        }
        Map<WorkloadId, WorkloadRow> found = rows.readable().stream()
                .collect(Collectors.toMap(row -> row.workload().id(), Function.identity()));
        return workloads.stream().map(found::get).filter(Objects::nonNull).toList();
    }

    @Override
    public Page<WorkloadRow> page(Filter filter, Sort sort, int limit, @Nullable String after) {
        WorkloadQuery query = WorkloadQuery.of(filter).in(filter.states());
        if (after != null) {
            query.after(PageKey.decode(after, sort));
        }
        Rows rows = transactions.readOneMoment(connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement(SELECT + query.where() + WorkloadQuery.order(sort) + " limit ?")) {
                statement.setInt(query.bind(statement, 1), limit + 1);
                return rows(connection, statement);
            }
        });
        return page(rows, sort, limit);
    }

    /** A page may be shorter by rows that nobody can read; the next one goes on behind what was shown. */
    private static Page<WorkloadRow> page(Rows rows, Sort sort, int limit) {
        rows.unreadable().forEach(row -> LOG.log(Level.WARNING, row, row::getMessage));
        List<WorkloadRow> readable = rows.readable();
        if (rows.seen() <= limit) {
            return new Page<>(readable, null);
        }
        if (readable.isEmpty()) {
            throw rows.unreadable().getFirst();
        }
        List<WorkloadRow> shown = readable.subList(0, Math.min(limit, readable.size()));
        return new Page<>(shown, key(shown.getLast(), sort).encoded());
    }

    private static PageKey key(WorkloadRow last, Sort sort) {
        String value = switch (sort) {
            case CREATED_ASCENDING, CREATED_DESCENDING -> "";
            case PRIORITY_DESCENDING -> Integer.toString(last.status().priority());
            case NAME_ASCENDING -> last.workload().name();
        };
        return new PageKey(sort, last.workload().sequence(), value);
    }

    @Override
    public SortedMap<WorkloadState, Long> counts(Filter filter) {
        WorkloadQuery ended = WorkloadQuery.of(filter).and("w.final_state is not null");
        WorkloadQuery live = WorkloadQuery.of(filter).and("w.final_state is null");
        // Apart, since the ended, who are most, are counted from an index alone.
        String sql = "select w.final_state, count(*) from workload w " + ended.where() + " group by w.final_state"
                + " union all select w.state, count(*) from workload w " + live.where() + " group by w.state";
        return transactions.one(connection -> {
            SortedMap<WorkloadState, Long> counts = new TreeMap<>();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                live.bind(statement, ended.bind(statement, 1));
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        counts.put(WorkloadState.valueOf(row.getString(1)), row.getLong(2));
                    }
                }
            }
            return counts;
        });
    }

    @Override
    public List<LoggedEvent> history(WorkloadId workload) {
        return transactions.one(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(HISTORY)) {
                statement.setString(1, workload.value());
                statement.setString(2, workload.value());
                statement.setString(3, workload.value());
                return PostgresEventLogReader.events(statement);
            }
        });
    }

    @Override
    public Page<EvictionRow> evictions(EvictionFilter filter, int limit, @Nullable String after) {
        return transactions.one(connection -> EvictionRows.page(connection, filter, limit, after));
    }

    /** @param unreadable in the order of the rows, which they are left out of */
    private record Rows(List<WorkloadRow> readable, List<UnreadableWorkload> unreadable) {
        int seen() {
            return readable.size() + unreadable.size();
        }
    }

    private static Rows rows(Connection connection, PreparedStatement statement) throws SQLException {
        List<WorkloadRow> bare = new ArrayList<>();
        List<UnreadableWorkload> unreadable = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                try {
                    bare.add(bare(row));
                } catch (RuntimeException senseless) {
                    unreadable.add(
                            new UnreadableWorkload(new WorkloadId(row.getString("id")), WorkloadRows.why(senseless)));
                }
            }
        }
        if (bare.isEmpty()) {
            return new Rows(bare, unreadable);
        }
        Map<WorkloadId, List<EvictionRow>> evictions = EvictionRows.of(
                connection, bare.stream().map(row -> row.workload().id()).toList());
        List<WorkloadRow> whole = bare.stream()
                .map(row ->
                        withEvictions(row, evictions.getOrDefault(row.workload().id(), List.of())))
                .toList();
        return new Rows(whole, unreadable);
    }

    private static WorkloadRow bare(ResultSet row) throws SQLException {
        int wish = row.getInt("wish");
        return new WorkloadRow(
                WorkloadRows.workload(row),
                WorkloadRows.status(row),
                row.getString("team"),
                row.getString("job_uid"),
                WorkloadRows.instantOrNull(row, "started_at"),
                WorkloadRows.instantOrNull(row, "finished_at"),
                row.getString("failure"),
                wish > 0,
                wish == WISHES_CANCEL,
                List.of());
    }

    private static WorkloadRow withEvictions(WorkloadRow row, List<EvictionRow> evictions) {
        return evictions.isEmpty()
                ? row
                : new WorkloadRow(
                        row.workload(),
                        row.status(),
                        row.team(),
                        row.jobUid(),
                        row.startedAt(),
                        row.finishedAt(),
                        row.failure(),
                        row.deciding(),
                        row.cancelling(),
                        evictions);
    }
}
