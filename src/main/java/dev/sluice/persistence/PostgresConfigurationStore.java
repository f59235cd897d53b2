package dev.sluice.persistence;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.ConfigurationKind;
import dev.sluice.scheduling.ConfigurationStore;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * The configuration's tables and their history. An edit holds the configuration row from before it reads until it commits, so
 * edits come one after another and each sees the one before.
 */
@Singleton
public class PostgresConfigurationStore implements ConfigurationStore {
    static final String CHANNEL = "sluice_configuration";

    private static final String HOLD = "select version from configuration for update";

    private static final String RECORD = """
            insert into configuration_history (version, kind, key, spec, author, at)
            values (?, ?, ?, ?::jsonb, ?, statement_timestamp())
            """;

    private final Transactions transactions;
    private final ConfigurationTables tables = new ConfigurationTables();

    public PostgresConfigurationStore(DataSource dataSource) {
        this.transactions = new Transactions(dataSource);
    }

    @Override
    public Stored read() {
        return transactions.one(tables::readIfMoved);
    }

    @Override
    public Stored edit(String author, Function<Stored, List<ConfigurationChange>> edit) {
        return transactions.write(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(HOLD)) {
                statement.executeQuery().close();
            }
            ConfigurationTables.Contents before = ConfigurationTables.contents(connection);
            Map<Target, Optional<ObjectNode>> net = netChanges(before, edit.apply(before.stored()));
            if (net.isEmpty()) {
                return before.stored();
            }
            long version = before.stored().configuration().version() + 1;
            for (Map.Entry<Target, Optional<ObjectNode>> change : net.entrySet()) {
                write(connection, version, author, change.getKey(), change.getValue());
            }
            advance(connection, version);
            return ConfigurationTables.contents(connection).stored();
        });
    }

    private record Target(ConfigurationKind kind, String key) {}

    /** The last word on each object, if it differs from what is stored. Quantities differ if they are written differently. */
    private static Map<Target, Optional<ObjectNode>> netChanges(
            ConfigurationTables.Contents before, List<ConfigurationChange> changes) {
        Map<Target, Optional<ObjectNode>> net = new LinkedHashMap<>();
        for (ConfigurationChange change : changes) {
            net.put(new Target(change.kind(), change.key()), ConfigurationCodec.specification(change));
        }
        net.entrySet().removeIf(change -> {
            Target target = change.getKey();
            String path = ConfigurationTables.path(target.kind(), target.key());
            return change.getValue()
                    .equals(Optional.ofNullable(before.specifications().get(path)));
        });
        return net;
    }

    private static void write(
            Connection connection, long version, String author, Target target, Optional<ObjectNode> specification)
            throws SQLException {
        String table = ConfigurationCodec.table(target.kind());
        if (specification.isPresent()) {
            put(
                    connection,
                    table,
                    version,
                    author,
                    target.key(),
                    specification.get().toString());
        } else {
            try (PreparedStatement statement = connection.prepareStatement("delete from " + table + " where key = ?")) {
                statement.setString(1, target.key());
                statement.executeUpdate();
            }
        }
        try (PreparedStatement statement = connection.prepareStatement(RECORD)) {
            statement.setLong(1, version);
            statement.setString(2, target.kind().name());
            statement.setString(3, target.key());
            statement.setString(4, specification.map(ObjectNode::toString).orElse(null));
            statement.setString(5, author);
            statement.executeUpdate();
        }
    }

    private static void put(
            Connection connection, String table, long version, String author, String key, String specification)
            throws SQLException {
        String sql = "insert into " + table + " (key, spec, generation, created_at, changed_at, changed_by)"
                + " values (?, ?::jsonb, ?, statement_timestamp(), statement_timestamp(), ?)"
                + " on conflict (key) do update set spec = excluded.spec, generation = excluded.generation,"
                + " changed_at = excluded.changed_at, changed_by = excluded.changed_by";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, key);
            statement.setString(2, specification);
            statement.setLong(3, version);
            statement.setString(4, author);
            statement.executeUpdate();
        }
    }

    private static void advance(Connection connection, long version) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "update configuration set version = ? returning pg_notify('" + CHANNEL + "', '')")) {
            statement.setLong(1, version);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new IllegalStateException("the configuration row is missing");
                }
            }
        }
    }
}
