package dev.sluice.persistence;

import dev.sluice.scheduling.OutboxPositions;
import jakarta.inject.Singleton;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import javax.sql.DataSource;

/** A row per reader, moved by compare and set: of two relays that overlap for a moment, one moves it. */
@Singleton
public class PostgresOutboxPositions implements OutboxPositions {
    private static final String SELECT = "select position from reader_position where reader = ?";

    private static final String ADVANCE = """
            insert into reader_position (reader, position, moved_at)
            select ?, ?, clock_timestamp()
            where ? = 0 or exists (select from reader_position where reader = ?)
            on conflict (reader) do update set position = excluded.position, moved_at = excluded.moved_at
            where reader_position.position = ?
            """;

    private final Transactions transactions;

    public PostgresOutboxPositions(DataSource dataSource) {
        this.transactions = new Transactions(dataSource);
    }

    @Override
    public long position(String reader) {
        return transactions.one(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(SELECT)) {
                statement.setString(1, reader);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? row.getLong(1) : 0L;
                }
            }
        });
    }

    @Override
    public boolean advance(String reader, long from, long to) {
        return transactions.one(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(ADVANCE)) {
                statement.setString(1, reader);
                statement.setLong(2, to);
                statement.setLong(3, from);
                statement.setString(4, reader);
                statement.setLong(5, from);
                return statement.executeUpdate() == 1;
            }
        });
    }
}
