package dev.sluice.persistence;

import dev.sluice.scheduling.LeadershipStore;
import jakarta.inject.Singleton;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/** The leadership row. Whoever finds it locked finds a leader at work, and does not wait for it. */
@Singleton
public class PostgresLeadershipStore implements LeadershipStore {
    private static final String ACQUIRE = """
            with free as (
                select singleton from leadership
                where holder is null or holder = ? or expires_at <= clock_timestamp()
                for update skip locked
            )
            update leadership l set
                holder = ?, epoch = l.epoch + 1, expires_at = clock_timestamp() + ? * interval '1 millisecond'
            from free where l.singleton = free.singleton
            returning l.epoch
            """;

    private static final String RESIGN =
            "update leadership set expires_at = clock_timestamp() where holder = ? and epoch = ?";

    private final Transactions transactions;

    public PostgresLeadershipStore(DataSource dataSource) {
        this.transactions = new Transactions(dataSource);
    }

    @Override
    public Optional<Leadership> acquire(String holder, Duration timeToLive) {
        return transactions.one(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(ACQUIRE)) {
                statement.setString(1, holder);
                statement.setString(2, holder);
                statement.setLong(3, timeToLive.toMillis());
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? Optional.of(new Leadership(holder, row.getLong(1))) : Optional.empty();
                }
            }
        });
    }

    @Override
    public void resign(Leadership leadership) {
        transactions.one(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(RESIGN)) {
                statement.setString(1, leadership.holder());
                statement.setLong(2, leadership.epoch());
                return statement.executeUpdate();
            }
        });
    }

    @Override
    public Optional<Leadership> current() {
        return transactions.one(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(
                            "select holder, epoch from leadership where holder is not null");
                    ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(new Leadership(row.getString(1), row.getLong(2))) : Optional.empty();
            }
        });
    }
}
