package dev.sluice.persistence;

import io.agroal.api.AgroalPoolInterceptor;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * What every session of the pool is told when it is opened. The timeouts bound how long a leader that is cut off can hold the
 * leadership row; socket and connect timeouts stand in the JDBC properties.
 */
@Singleton
public class SessionSettings implements AgroalPoolInterceptor {
    /**
     * Sequential scans are shunned since plans are made while tables are small and kept when they have grown: a lookup of 500
     * ids must not come to read the table.
     */
    static final String SQL = "set statement_timeout = '10s'; set lock_timeout = '5s';"
            + " set idle_in_transaction_session_timeout = '5s'; set tcp_user_timeout = '10s'; set enable_seqscan = off;"
            + " set jit = off; set timezone = 'UTC'";

    @Override
    public void onConnectionCreate(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(SQL);
        } catch (SQLException failed) {
            throw Transactions.sorted(failed);
        }
    }
}
