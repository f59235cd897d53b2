package dev.sluice.persistence;

import static dev.sluice.persistence.StoreStory.ended;
import static dev.sluice.persistence.StoreStory.submission;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.persistence.Retention.Swept;
import dev.sluice.persistence.Retention.Times;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.Command;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.testkit.PostgresForTests;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadState;
import io.agroal.api.AgroalDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RetentionTest {
    private static final Duration MONTH = Duration.ofDays(30);

    private final AgroalDataSource dataSource = PostgresForTests.freshDatabase().open();
    private final StoreUnderTest store = StoreUnderTest.of(dataSource);
    private final StoreStory leader = new StoreStory(store, "leader");
    private final Retention retention = new Retention(dataSource, new Times(MONTH, MONTH, MONTH, MONTH));

    private Workload gone;
    private Workload kept;

    @BeforeEach
    void two_workloads_of_which_one_ended() {
        gone = leader.queued("gone");
        kept = leader.queued("kept");
        long command = store.intake().enqueue(new Command.Cancel(gone.id()), "alice");
        leader.settle(command, null)
                .evict(new Batch.Eviction(
                        gone.id(),
                        "Cancelled",
                        null,
                        null,
                        "team-a",
                        null,
                        store.scheduling().now()))
                .change(gone, List.of(WorkloadState.CANCELLED), ended(gone, WorkloadState.CANCELLED))
                .commit();
    }

    @AfterEach
    void close() {
        dataSource.close();
    }

    @Test
    void what_is_young_stays() {
        assertThat(retention.sweep(() -> true)).isEqualTo(new Swept(0, 0, 0, 0, 0));
    }

    @Test
    void what_is_old_goes_and_what_has_not_ended_stays() throws SQLException {
        age();

        assertThat(retention.sweep(() -> true)).isEqualTo(new Swept(2, 1, 1, 1, 0));

        assertThat(store.workloads().find(gone.id())).isEmpty();
        assertThat(store.workloads().find(kept.id())).isPresent();
        assertThat(store.scheduling().load().workloads()).hasSize(1);
        assertThat(store.log().end()).isEqualTo(2);
        assertThatThrownBy(() -> store.replay().replay(batch -> {}))
                .as("a log that is cut says so")
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void what_a_reader_of_the_log_has_not_read_stays() throws SQLException {
        store.positions().advance("relay", 0, 1);
        age();

        assertThat(retention.sweep(() -> true).logEntries()).isEqualTo(1);
        assertThat(store.log().after(0, 10)).hasSize(1);
    }

    @Test
    void a_key_is_free_when_its_time_is_over_swept_or_not() throws SQLException {
        leader.submit(submission("one", "key", "body"));
        execute("update idempotency_key set expires_at = expires_at - interval '2 days'");

        assertThat(leader.submit(submission("two", "key", "another body")))
                .isInstanceOf(SubmissionResult.Accepted.class);
        execute("update idempotency_key set expires_at = expires_at - interval '2 days'");
        assertThat(retention.sweep(() -> true).keys()).isEqualTo(1);
    }

    @Test
    void a_log_kept_longer_than_the_workloads_it_names_is_refused() {
        assertThatThrownBy(() -> new Times(MONTH, MONTH.plusDays(1), MONTH, MONTH))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private void age() throws SQLException {
        execute("update workload set ended_at = ended_at - interval '31 days'");
        execute("update event_log set at = at - interval '31 days'");
        execute("update eviction set at = at - interval '31 days'");
        execute("update command_outcome set at = at - interval '31 days'");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
