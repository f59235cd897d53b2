package dev.sluice.persistence;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.ConfigurationKind;
import dev.sluice.scheduling.ConfigurationStore.ObjectVersion;
import dev.sluice.scheduling.ConfigurationStore.Stored;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the configuration's tables, all of one moment. Remembers the last that it read, since the whole is asked for far more
 * often than it changes. Safe for use by any thread.
 */
final class ConfigurationTables {
    private static final String READ_VERSION = """
            select kind, key, spec from (
                select distinct on (kind, key) kind, key, spec from configuration_history
                where version <= ? order by kind, key, version desc
            ) latest where spec is not null
            """;

    private static final String READ_ALL = readAll();

    private volatile @Nullable Contents latest;

    /** @param specifications by {@code kind/key}, as stored */
    record Contents(Stored stored, Map<String, ObjectNode> specifications) {}

    Stored readIfMoved(Connection connection) throws SQLException {
        Contents known = latest;
        if (known != null && known.stored().configuration().version() == version(connection)) {
            return known.stored();
        }
        return read(connection);
    }

    static long version(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select version from configuration");
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    Stored read(Connection connection) throws SQLException {
        Contents contents = contents(connection);
        latest = contents;
        return contents.stored();
    }

    /** As it was at a version that was in force once; version 0 is the empty one. */
    static Configuration at(Connection connection, long version) throws SQLException {
        List<ConfigurationCodec.Row> rows = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(READ_VERSION)) {
            statement.setLong(1, version);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    rows.add(new ConfigurationCodec.Row(
                            ConfigurationKind.valueOf(row.getString("kind")),
                            row.getString("key"),
                            StoredJson.readObject(row.getString("spec"))));
                }
            }
        }
        return ConfigurationCodec.assemble(version, rows);
    }

    /** One statement, so that version and objects are of one moment whatever the isolation. */
    static Contents contents(Connection connection) throws SQLException {
        long version = 0;
        List<ConfigurationCodec.Row> rows = new ArrayList<>();
        Map<String, ObjectVersion> versions = new TreeMap<>();
        Map<String, ObjectNode> specifications = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(READ_ALL);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                String key = row.getString("key");
                if (key == null) {
                    version = row.getLong("generation");
                    continue;
                }
                ConfigurationKind kind = ConfigurationKind.valueOf(row.getString("kind"));
                ObjectNode specification = StoredJson.readObject(row.getString("spec"));
                rows.add(new ConfigurationCodec.Row(kind, key, specification));
                specifications.put(path(kind, key), specification);
                versions.put(
                        path(kind, key),
                        new ObjectVersion(
                                row.getLong("generation"),
                                WorkloadRows.instant(row, "created_at"),
                                WorkloadRows.instant(row, "changed_at")));
            }
        }
        return new Contents(
                new Stored(ConfigurationCodec.assemble(version, rows), Collections.unmodifiableMap(versions)),
                specifications);
    }

    static String path(ConfigurationKind kind, String key) {
        return kind.path() + "/" + key;
    }

    private static String readAll() {
        StringBuilder sql =
                new StringBuilder("select null as kind, null as key, null::jsonb as spec, version as generation,"
                        + " null::timestamptz as created_at, null::timestamptz as changed_at from configuration");
        for (ConfigurationKind kind : ConfigurationKind.values()) {
            sql.append(" union all select '")
                    .append(kind.name())
                    .append("', key, spec, generation, created_at, changed_at from ")
                    .append(ConfigurationCodec.table(kind));
        }
        return sql.toString();
    }
}
