package dev.sluice.persistence;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Binds the columns of many rows as arrays, one parameter each, in the order of the statement's placeholders: one round trip and
 * one plan for any number of rows.
 */
final class Columns<R> {
    private final PreparedStatement statement;
    private final Collection<R> rows;
    private int next;

    Columns(PreparedStatement statement, int first, Collection<R> rows) {
        this.statement = statement;
        this.next = first;
        this.rows = rows;
    }

    Columns<R> text(Function<R, @Nullable String> column) throws SQLException {
        @Nullable String[] values = new @Nullable String[rows.size()];
        int index = 0;
        for (R row : rows) {
            values[index++] = column.apply(row);
        }
        statement.setObject(next++, values);
        return this;
    }

    /** As ISO text; the statement casts it. */
    Columns<R> time(Function<R, @Nullable Instant> column) throws SQLException {
        return text(row -> {
            Instant time = column.apply(row);
            return time == null ? null : time.toString();
        });
    }

    Columns<R> bigint(ToLongFunction<R> column) throws SQLException {
        statement.setObject(next++, rows.stream().mapToLong(column).toArray());
        return this;
    }

    Columns<R> bigintOrNull(Function<R, @Nullable Long> column) throws SQLException {
        return text(row -> {
            Long value = column.apply(row);
            return value == null ? null : Long.toString(value);
        });
    }

    Columns<R> integer(ToIntFunction<R> column) throws SQLException {
        statement.setObject(next++, rows.stream().mapToInt(column).toArray());
        return this;
    }

    Columns<R> bool(Function<R, Boolean> column) throws SQLException {
        boolean[] values = new boolean[rows.size()];
        int index = 0;
        for (R row : rows) {
            values[index++] = column.apply(row);
        }
        statement.setObject(next++, values);
        return this;
    }

    static String[] texts(List<String> values) {
        return values.toArray(String[]::new);
    }
}
