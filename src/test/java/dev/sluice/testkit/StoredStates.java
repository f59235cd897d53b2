package dev.sluice.testkit;

import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Looks at the rows themselves, past all code of the product. */
public final class StoredStates {
    private final DataSource database;

    public StoredStates(DataSource database) {
        this.database = database;
    }

    public WorkloadState of(WorkloadId workload) {
        return WorkloadState.valueOf(strings("select state from workload where id = ?", workload.value())
                .getFirst());
    }

    public long count(WorkloadState state) {
        return Long.parseLong(strings("select count(*)::text from workload where state = ?", state.name())
                .getFirst());
    }

    public long charged() {
        return Long.parseLong(
                strings("select count(*)::text from workload where charged").getFirst());
    }

    public List<String> strings(String sql, String... parameters) {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int index = 0; index < parameters.length; index++) {
                statement.setString(index + 1, parameters[index]);
            }
            List<String> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getString(1));
                }
            }
            return found;
        } catch (SQLException failed) {
            throw new AssertionError(failed);
        }
    }

    /** Changes rows behind the product's back, as a careless hand would. */
    public void damage(String sql, String... parameters) {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int index = 0; index < parameters.length; index++) {
                statement.setString(index + 1, parameters[index]);
            }
            statement.executeUpdate();
        } catch (SQLException failed) {
            throw new AssertionError(failed);
        }
    }
}
