package dev.sluice.scheduling;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.fleet.SimulatedFleet;
import dev.sluice.overview.UnreadableWorkload;
import dev.sluice.overview.WorkloadReader.Filter;
import dev.sluice.overview.WorkloadReader.Page;
import dev.sluice.overview.WorkloadReader.Sort;
import dev.sluice.overview.WorkloadRow;
import dev.sluice.persistence.PostgresWorkloadReader;
import dev.sluice.quota.Configuration;
import dev.sluice.testkit.LocalService;
import dev.sluice.testkit.PostgresForTests;
import dev.sluice.testkit.StoredStates;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import io.agroal.api.AgroalDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One row that nobody can read is one workload's trouble; everything else goes on. */
class DamagedRowsTest {
    private static final Configuration ONE_QUEUE =
            aCluster().queue("research", queue -> queue.gpus(4)).build();
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Filter ALL = new Filter(null, null, null, List.of(), null, null, null);

    private final SimulatedFleet fleet = LocalService.aFleet();
    private AgroalDataSource database;
    private StoredStates stored;
    private LocalService service;

    @BeforeEach
    void start() {
        database = PostgresForTests.freshDatabase().open();
        stored = new StoredStates(database);
        service = LocalService.start(database, fleet);
        service.configure(ONE_QUEUE);
    }

    @AfterEach
    void close() {
        service.close();
        fleet.close();
        database.close();
    }

    @Test
    void a_damaged_workload_is_set_aside_at_a_start_and_the_others_run() {
        WorkloadId holder = service.submit(aWorkload("holder").in("research").gpus(4), null);
        awaitState(holder, WorkloadState.RUNNING);
        WorkloadId damaged = service.submit(aWorkload("damaged").in("research").gpus(1), SHORT);
        WorkloadId sound = service.submit(aWorkload("sound").in("research").gpus(1), SHORT);
        await().until(() -> stored.strings("select workload_id from command").isEmpty());
        service.close();
        damage(damaged);

        service = LocalService.start(database, fleet);
        fleet.finish(holder, true, "");

        awaitState(sound, WorkloadState.SUCCEEDED);
        assertThat(stored.of(damaged)).isEqualTo(WorkloadState.PENDING);
        assertThat(service.loop().setAside()).containsOnlyKeys(damaged);
        assertThat(service.cancel(damaged))
                .isInstanceOfSatisfying(
                        CommandAnswer.Refused.class,
                        refused -> assertThat(refused.why()).startsWith("its stored row cannot be read"));
    }

    @Test
    void a_damaged_submission_stays_in_the_intake_and_holds_up_none_behind_it() {
        service.loop().close();
        WorkloadId damaged = service.submit(aWorkload("damaged").in("research").gpus(1), SHORT);
        WorkloadId sound = service.submit(aWorkload("sound").in("research").gpus(1), SHORT);
        service.close();
        damage(damaged);

        service = LocalService.start(database, fleet);

        awaitState(sound, WorkloadState.SUCCEEDED);
        assertThat(service.loop().setAside()).containsOnlyKeys(damaged);
        assertThat(stored.strings("select workload_id from command")).containsExactly(damaged.value());
    }

    @Test
    void a_damaged_wish_holds_up_none_behind_it() {
        WorkloadId first = service.submit(aWorkload("first").in("research").gpus(4), null);
        awaitState(first, WorkloadState.RUNNING);
        WorkloadId second = service.submit(aWorkload("second").in("research").gpus(4), null);
        service.loop().close();
        service.cancel(second);
        service.cancel(first);
        stored.damage("update command set kind = 'CHANGE_QUEUE' where workload_id = ?", second.value());
        service.close();

        service = LocalService.start(database, fleet);

        awaitState(first, WorkloadState.CANCELLED);
        awaitState(second, WorkloadState.RUNNING);
    }

    @Test
    void a_list_shows_what_can_be_read_and_the_damaged_one_says_what_is_wrong() {
        List<WorkloadId> workloads = new ArrayList<>();
        for (int index = 0; index < 5; index++) {
            workloads.add(service.submit(aWorkload("w" + index).in("research").gpus(4), null));
        }
        damage(workloads.get(1));
        PostgresWorkloadReader reader = new PostgresWorkloadReader(database);

        Page<WorkloadRow> first = reader.page(ALL, Sort.CREATED_ASCENDING, 2, null);
        Page<WorkloadRow> second = reader.page(ALL, Sort.CREATED_ASCENDING, 3, first.next());

        assertThat(names(first)).containsExactly("w0", "w2");
        assertThat(names(second)).containsExactly("w3", "w4");
        assertThat(second.next()).isNull();
        assertThatThrownBy(() -> reader.find(workloads.get(1)))
                .isInstanceOf(UnreadableWorkload.class)
                .hasMessageContaining(workloads.get(1).value())
                .hasMessageContaining("a later version");
    }

    private static List<String> names(Page<WorkloadRow> page) {
        return page.items().stream().map(row -> row.workload().name()).toList();
    }

    private void damage(WorkloadId workload) {
        stored.damage(
                "update pod_set set spec = '{\"count\": \"a later version\"}' where workload_id = ?", workload.value());
    }

    private void awaitState(WorkloadId workload, WorkloadState state) {
        await().atMost(Duration.ofSeconds(20)).until(() -> stored.of(workload), state::equals);
    }
}
