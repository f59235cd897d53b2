package dev.sluice.persistence;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.sluice.overview.EventLogReader;
import dev.sluice.overview.WorkloadReader.LoggedEvent;
import dev.sluice.workload.WorkloadId;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** The log by position. Positions are written in commit order by one writer, so reading on from the last one misses nothing. */
@Singleton
public class PostgresEventLogReader implements EventLogReader {
    static final String SELECT = "select l.position, l.at, l.kind, l.workload_id, l.body from event_log l ";

    private static final TypeReference<Map<String, Object>> FIELDS = new TypeReference<>() {};

    private final Transactions transactions;

    public PostgresEventLogReader(DataSource dataSource) {
        this.transactions = new Transactions(dataSource);
    }

    @Override
    public List<LoggedEvent> after(long position, int limit) {
        return transactions.one(connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement(SELECT + "where l.position > ? order by l.position limit ?")) {
                statement.setLong(1, position);
                statement.setInt(2, limit);
                return events(statement);
            }
        });
    }

    @Override
    public long end() {
        return transactions.one(PostgresEventLogReader::end);
    }

    static long end(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select position from leadership");
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    static List<LoggedEvent> events(PreparedStatement statement) throws SQLException {
        List<LoggedEvent> events = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                String workload = row.getString("workload_id");
                events.add(new LoggedEvent(
                        row.getLong("position"),
                        WorkloadRows.instant(row, "at"),
                        row.getString("kind"),
                        workload == null ? null : new WorkloadId(workload),
                        StoredJson.MAPPER.convertValue(StoredJson.readObject(row.getString("body")), FIELDS)));
            }
        }
        return events;
    }
}
