package dev.sluice.platform;

import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.fleet.SimulatedFleet;
import dev.sluice.quota.Configuration;
import dev.sluice.testkit.LocalService;
import dev.sluice.testkit.PostgresForTests;
import io.agroal.api.AgroalDataSource;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a dashboard reads of one or two replicas. */
class QueueGaugesTest {
    private static final Configuration ONE_QUEUE =
            aCluster().queue("research", queue -> queue.gpus(4)).build();

    private final SimulatedFleet fleet = LocalService.aFleet();
    private AgroalDataSource database;
    private Replica first;

    /** A replica with the registry that its metrics page would show. */
    private record Replica(LocalService service, SimpleMeterRegistry registry, QueueGauges gauges)
            implements AutoCloseable {
        static Replica start(AgroalDataSource database, SimulatedFleet fleet) {
            LocalService service = LocalService.start(database, fleet);
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            return new Replica(service, registry, new QueueGauges(registry, service.loop()));
        }

        /** Every value that its page shows for one kind of a queue's numbers; empty = it shows none. */
        List<Double> shows(String gauge, String kind) {
            gauges.refresh();
            return registry.find(gauge).tag("queue", "research").tag("kind", kind).gauges().stream()
                    .map(Gauge::value)
                    .toList();
        }

        @Override
        public void close() {
            service.close();
        }
    }

    @BeforeEach
    void start() {
        database = PostgresForTests.freshDatabase().open();
        first = Replica.start(database, fleet);
        first.service().configure(ONE_QUEUE);
    }

    @AfterEach
    void close() {
        first.close();
        fleet.close();
        database.close();
    }

    @Test
    void mv_05_after_a_failover_exactly_one_replica_shows_the_gauges_with_the_same_values() {
        first.service().submit(aWorkload("runs").in("research").gpus(4), null);
        first.service().submit(aWorkload("waits").in("research").gpus(3), null);
        await().untilAsserted(() ->
                assertThat(first.shows("sluice.workloads", "admitted")).containsExactly(1.0));
        try (Replica second = Replica.start(database, fleet)) {
            assertThat(second.shows("sluice.quota", "used")).isEmpty();

            first.service().loop().close();
            await().until(second.service().loop()::isLeading);

            assertThat(second.shows("sluice.quota", "used")).containsExactly(4.0);
            assertThat(second.shows("sluice.quota", "pending")).containsExactly(3.0);
            assertThat(second.shows("sluice.workloads", "pending")).containsExactly(1.0);
            assertThat(first.shows("sluice.quota", "used")).isEmpty();
            assertThat(first.shows("sluice.workloads", "pending")).isEmpty();
        }
    }

    @Test
    void mv_07_what_waits_is_counted_once_however_often_its_queue_is_written_again() {
        first.service().submit(aWorkload("too-big").in("research").gpus(9), null);
        await().untilAsserted(
                        () -> assertThat(first.shows("sluice.quota", "pending")).containsExactly(9.0));

        for (int time = 0; time < 10; time++) {
            long nominal = 4L + time % 2;
            first.service().configure(ONE_QUEUE);
            first.service()
                    .configure(aCluster()
                            .queue("research", queue -> queue.gpus(nominal))
                            .build());
        }

        await().untilAsserted(
                        () -> assertThat(first.shows("sluice.quota", "nominal")).containsExactly(5.0));
        assertThat(first.shows("sluice.quota", "pending")).containsExactly(9.0);
        assertThat(first.shows("sluice.workloads", "pending")).containsExactly(1.0);
        assertThat(first.registry().find("sluice.quota").tag("resource", GPU).gauges())
                .hasSize(7);
    }
}
