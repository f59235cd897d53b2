package dev.sluice.scheduling;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.FairSharing;
import dev.sluice.fleet.SimulatedFleet;
import dev.sluice.persistence.PostgresReplayReader;
import dev.sluice.quota.Configuration;
import dev.sluice.testkit.LocalService;
import dev.sluice.testkit.LogReplay;
import dev.sluice.testkit.PostgresForTests;
import dev.sluice.testkit.StoredStates;
import dev.sluice.workload.WorkloadId;
import io.agroal.api.AgroalDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: the committed log alone reproduces every decision. Method: a seeded flow of submissions, cancels, quota edits and restarts, every
 * other one with fair sharing; at its end a fresh engine is led through the log and must decide, batch by batch, what was committed.
 */
class ReplayTest {
    private static final List<String> QUEUES = List.of("serving", "batch", "batch-too", "research");

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void the_committed_log_reproduces_every_decision_across_restarts(long seed) {
        Random random = new Random(seed);
        AdmissionSettings fair = AdmissionSettings.defaults().with(FairSharing.ON);
        try (AgroalDataSource database = PostgresForTests.freshDatabase().open();
                SimulatedFleet fleet = LocalService.aFleet()) {
            StoredStates stored = new StoredStates(database);
            LocalService service = LocalService.start(database, fleet);
            service.configure(teams(20));
            List<WorkloadId> submitted = new ArrayList<>();
            for (int round = 0; round < 5; round++) {
                for (int index = 0; index < 40; index++) {
                    submitted.add(submitOne(service, random, "w" + round + "-" + index));
                    if (random.nextInt(3) == 0) {
                        fleet.succeedPods(submitted.get(random.nextInt(submitted.size())), "main", 1);
                    }
                    if (random.nextInt(10) == 0) {
                        fleet.restart(submitted.get(random.nextInt(submitted.size())));
                    }
                    if (random.nextInt(10) == 0) {
                        service.cancel(submitted.get(random.nextInt(submitted.size())));
                    }
                }
                service.configure(teams(12 + random.nextInt(12)));
                service.close();
                service = LocalService.start(database, fleet, round % 2 == 0 ? fair : AdmissionSettings.defaults());
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> ended(stored), count -> count == submitted.size());
            service.close();

            assertThat(stored.charged()).isZero();
            assertThat(LogReplay.differences(new PostgresReplayReader(database)))
                    .isEmpty();
            // The comparison can fail: an engine of other policies decides otherwise on the same log.
            assertThat(LogReplay.differencesUnder(AdmissionSettings.kueueParity(), new PostgresReplayReader(database)))
                    .isNotEmpty();
        }
    }

    private static WorkloadId submitOne(LocalService service, Random random, String name) {
        String queue = QUEUES.get(random.nextInt(QUEUES.size()));
        return service.submit(
                aWorkload(name)
                        .in(queue)
                        .gpus(1 + random.nextInt(3))
                        .pods(1 + random.nextInt(3))
                        .priority(random.nextInt(3) * 100),
                Duration.ofMillis(random.nextInt(120)));
    }

    private static Configuration teams(long servingGpus) {
        return aCluster()
                .cohort(
                        "org",
                        cohort -> cohort.queue(
                                        "serving",
                                        queue -> queue.gpus(servingGpus)
                                                .lendAtMost(12)
                                                .reclaimsAny()
                                                .preemptsLower())
                                .queue(
                                        "batch",
                                        queue -> queue.gpus(12).preemptsLower().goesByUsage())
                                .queue("research", queue -> queue.gpus(8).reclaimsLower()))
                .localQueue("batch-too", "batch", "2")
                .build();
    }

    private static long ended(StoredStates stored) {
        return Long.parseLong(stored.strings(
                        "select count(*)::text from workload where state in ('SUCCEEDED', 'FAILED', 'CANCELLED')")
                .getFirst());
    }
}
