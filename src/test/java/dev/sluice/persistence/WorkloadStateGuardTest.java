package dev.sluice.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.PostgresForTests;
import dev.sluice.workload.WorkloadState;
import io.agroal.api.AgroalDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class WorkloadStateGuardTest {
    @Test
    void the_database_allows_exactly_the_changes_that_the_code_allows() throws SQLException {
        try (AgroalDataSource dataSource = PostgresForTests.freshDatabase().open();
                Connection connection = dataSource.getConnection();
                PreparedStatement question = connection.prepareStatement("select workload_can_become(?, ?)")) {
            for (WorkloadState before : WorkloadState.values()) {
                for (WorkloadState after : WorkloadState.values()) {
                    question.setString(1, before.name());
                    question.setString(2, after.name());
                    try (ResultSet answer = question.executeQuery()) {
                        answer.next();
                        assertThat(answer.getBoolean(1))
                                .as("%s becomes %s", before, after)
                                .isEqualTo(before.canBecome(after));
                    }
                }
            }
        }
    }
}
