package dev.sluice.scheduling;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.StuckVictims;
import dev.sluice.admission.StuckVictims.Then;
import dev.sluice.fleet.PodBehavior;
import dev.sluice.fleet.SimulatedFleet;
import dev.sluice.persistence.PostgresReplayReader;
import dev.sluice.testkit.LocalService;
import dev.sluice.testkit.LogReplay;
import dev.sluice.testkit.PostgresForTests;
import dev.sluice.testkit.StoredStates;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import io.agroal.api.AgroalDataSource;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A victim whose pods do not end, and a leader that goes meanwhile: the next one knows since when, and the log tells all of it. */
class StuckVictimOverRestartTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofSeconds(1);

    @Test
    void the_next_leader_goes_by_its_own_policy_and_by_the_time_that_the_last_one_wrote_down() {
        try (AgroalDataSource database = PostgresForTests.freshDatabase().open();
                SimulatedFleet fleet = LocalService.aFleet()) {
            StoredStates stored = new StoredStates(database);
            fleet.script().workload("hangs", PodBehavior::gettingStuck);
            LocalService first = LocalService.start(database, fleet, stuckAfter(LONG, Then.WAIT));
            first.configure(aCluster()
                    .queue("q", queue -> queue.gpus(8).preemptsLower())
                    .build());
            WorkloadId other = first.submit(aWorkload("other").in("q").gpus(4).priority(1), null);
            WorkloadId hangs = first.submit(aWorkload("hangs").in("q").gpus(4), null);
            awaitState(stored, other, WorkloadState.RUNNING);
            awaitState(stored, hangs, WorkloadState.RUNNING);
            WorkloadId urgent = first.submit(aWorkload("urgent").in("q").gpus(4).priority(10), null);
            awaitState(stored, hangs, WorkloadState.EVICTING);
            first.close();
            assertThat(stored.of(urgent)).isEqualTo(WorkloadState.PENDING);

            LocalService next = LocalService.start(database, fleet, stuckAfter(SHORT, Then.CHOOSE_ANOTHER));
            awaitState(stored, urgent, WorkloadState.RUNNING);
            awaitState(stored, other, WorkloadState.PENDING);
            assertThat(stored.of(hangs)).isEqualTo(WorkloadState.EVICTING);
            assertThat(stored.strings("select workload_id from event_log where kind = 'Stuck' order by position"))
                    .contains(hangs.value());
            next.close();

            LocalService last = LocalService.start(database, fleet, stuckAfter(SHORT, Then.CHOOSE_ANOTHER));
            fleet.releaseStuck(hangs);
            awaitState(stored, other, WorkloadState.RUNNING);
            last.close();

            assertThat(LogReplay.differences(new PostgresReplayReader(database)))
                    .isEmpty();
        }
    }

    private static AdmissionSettings stuckAfter(Duration time, Then then) {
        return AdmissionSettings.defaults().with(new StuckVictims(time, then));
    }

    private static void awaitState(StoredStates stored, WorkloadId workload, WorkloadState state) {
        await().atMost(Duration.ofSeconds(30)).until(() -> stored.of(workload) == state);
    }
}
