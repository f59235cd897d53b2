package dev.sluice.persistence;

import dev.sluice.scheduling.StoreUnavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs work in one transaction of one connection and sorts what can go wrong: the database away, slow or in the way of another
 * transaction is {@link StoreUnavailable}; anything else is a bug.
 */
final class Transactions {
    /** Classes of SQLSTATE that say nothing about the statement: connection, conflict, resources, operator, system. */
    private static final Set<String> UNAVAILABLE_CLASSES = Set.of("08", "40", "53", "57", "58", "XX");

    /** Lock timeout; object in use; read-only transaction, as on a server that was demoted. */
    private static final Set<String> UNAVAILABLE_STATES = Set.of("55P03", "55006", "25006", "25P03");

    /** A restore reads everything: it may take its time, and joins whole tables. */
    private static final String WHOLE_TABLES =
            "set transaction isolation level repeatable read, read only; set local statement_timeout = '120s';"
                    + " set local enable_seqscan = on";

    private static final String ONE_MOMENT = "set transaction isolation level repeatable read, read only";

    private final DataSource dataSource;

    Transactions(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @FunctionalInterface
    interface Work<T extends @Nullable Object> {
        T run(Connection connection) throws SQLException;
    }

    /** Reads and writes; every statement sees what was committed before it began. */
    <T extends @Nullable Object> T write(Work<T> work) {
        return run(null, work);
    }

    /** One statement: a moment and a transaction of its own. */
    <T extends @Nullable Object> T one(Work<T> statement) {
        try (Connection connection = dataSource.getConnection()) {
            return statement.run(connection);
        } catch (SQLException failed) {
            throw sorted(failed);
        }
    }

    /** Several statements that read the same moment. */
    <T extends @Nullable Object> T readOneMoment(Work<T> work) {
        return run(ONE_MOMENT, work);
    }

    /** Like {@link #readOneMoment}, for what reads whole tables. */
    <T extends @Nullable Object> T readEverything(Work<T> work) {
        return run(WHOLE_TABLES, work);
    }

    private <T extends @Nullable Object> T run(@Nullable String preamble, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            boolean committed = false;
            try {
                if (preamble != null) {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute(preamble);
                    }
                }
                T result = work.run(connection);
                connection.commit();
                committed = true;
                return result;
            } finally {
                if (!committed) {
                    rollBack(connection);
                }
            }
        } catch (SQLException failed) {
            throw sorted(failed);
        }
    }

    /** The failure that led here says more than one of the rollback; a broken connection has rolled back by itself. */
    private static void rollBack(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException alsoFailed) {
            // what matters is thrown already
        }
    }

    static RuntimeException sorted(SQLException failed) {
        String state = failed.getSQLState();
        // Without a state: the pool gave no connection in time, or the driver found the socket closed.
        if (state == null
                || UNAVAILABLE_STATES.contains(state)
                || UNAVAILABLE_CLASSES.contains(state.substring(0, 2))) {
            return new StoreUnavailable("the database is not available: " + failed.getMessage(), failed);
        }
        return new IllegalStateException("the database refused a statement (" + state + ")", failed);
    }
}
