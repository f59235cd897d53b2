package dev.sluice.persistence;

import dev.sluice.overview.EvictionRow;
import dev.sluice.overview.WorkloadReader.EvictionFilter;
import dev.sluice.overview.WorkloadReader.Page;
import dev.sluice.workload.WorkloadId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Evictions as recorded, latest first. */
final class EvictionRows {
    private static final int PER_WORKLOAD_MAX = 20;

    private static final String COLUMNS = """
            e.id, e.victim_id, e.victim_name, e.victim_namespace, e.victim_queue, e.reason, e.preemptor_id,
            e.preemptor_name, e.preemptor_namespace, e.preemptor_queue, e.cohort, e.at
            """;

    private static final String OF_VICTIMS = "select " + COLUMNS + """
            from unnest(?::text[]) as u(victim_id) cross join lateral (
                select * from eviction v where v.victim_id = u.victim_id order by v.id desc limit ?
            ) e
            order by e.id desc
            """;

    private EvictionRows() {}

    static Map<WorkloadId, List<EvictionRow>> of(Connection connection, List<WorkloadId> victims) throws SQLException {
        Map<WorkloadId, List<EvictionRow>> evictions = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(OF_VICTIMS)) {
            new Columns<>(statement, 1, victims).text(WorkloadId::value);
            statement.setInt(2, PER_WORKLOAD_MAX);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    EvictionRow eviction = eviction(row);
                    evictions
                            .computeIfAbsent(eviction.victim(), victim -> new ArrayList<>())
                            .add(eviction);
                }
            }
        }
        return evictions;
    }

    static Page<EvictionRow> page(Connection connection, EvictionFilter filter, int limit, @Nullable String after)
            throws SQLException {
        WorkloadQuery query = new WorkloadQuery();
        if (filter.workload() != null) {
            String id = filter.workload().value();
            query.and("(e.victim_id = ? or e.preemptor_id = ?)", id, id);
        }
        if (filter.victimQueue() != null) {
            query.and("e.victim_queue = ?", filter.victimQueue());
        }
        if (filter.preemptorQueue() != null) {
            query.and("e.preemptor_queue = ?", filter.preemptorQueue());
        }
        if (filter.reason() != null) {
            query.and("e.reason = ?", filter.reason());
        }
        if (after != null) {
            query.and("e.id < ?", key(after));
        }
        List<EvictionRow> rows = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(
                "select " + COLUMNS + "from eviction e " + query.where() + " order by e.id desc limit ?")) {
            statement.setInt(query.bind(statement, 1), limit + 1);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    rows.add(eviction(row));
                }
            }
        }
        return rows.size() <= limit
                ? new Page<>(rows, null)
                : new Page<>(
                        rows.subList(0, limit),
                        Long.toString(rows.get(limit - 1).id()));
    }

    private static long key(String after) {
        try {
            return Long.parseLong(after);
        } catch (NumberFormatException notOurs) {
            throw new IllegalArgumentException("must be the cursor of a page of evictions", notOurs);
        }
    }

    private static EvictionRow eviction(ResultSet row) throws SQLException {
        String preemptor = row.getString("preemptor_id");
        return new EvictionRow(
                row.getLong("id"),
                new WorkloadId(row.getString("victim_id")),
                row.getString("victim_name"),
                row.getString("victim_namespace"),
                row.getString("victim_queue"),
                row.getString("reason"),
                preemptor == null ? null : new WorkloadId(preemptor),
                row.getString("preemptor_name"),
                row.getString("preemptor_namespace"),
                row.getString("preemptor_queue"),
                row.getString("cohort"),
                WorkloadRows.instant(row, "at"));
    }
}
