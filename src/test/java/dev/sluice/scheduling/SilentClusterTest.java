package dev.sluice.scheduling;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.fleet.FleetEffect;
import dev.sluice.fleet.SimulatedFleet;
import dev.sluice.persistence.PostgresConfigurationStore;
import dev.sluice.quota.Configuration;
import dev.sluice.testkit.LocalService;
import dev.sluice.testkit.PostgresForTests;
import dev.sluice.testkit.StoredStates;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import io.agroal.api.AgroalDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cluster of which much is remembered, so that it seems to answer, and that does not answer what it is really asked. */
@Timeout(60)
class SilentClusterTest {
    private static final Configuration NO_GPUS = aCluster().queue("research", 0).build();
    private static final Configuration TWO_GPUS =
            aCluster().queue("research", 2).build();
    private static final Configuration FOUR_GPUS =
            aCluster().queue("research", 4).build();

    private final SimulatedFleet fleet = LocalService.aFleet();
    private final CountDownLatch silence = new CountDownLatch(1);
    private AgroalDataSource database;
    private StoredStates stored;

    @BeforeEach
    void open() {
        database = PostgresForTests.freshDatabase().open();
        stored = new StoredStates(database);
    }

    @AfterEach
    void close() {
        silence.countDown();
        fleet.close();
        database.close();
    }

    @Test
    void a_new_leader_does_not_wait_for_a_list_of_jobs_that_does_not_come_but_edits_and_decides() {
        WorkloadId running;
        try (LocalService before = LocalService.start(database, fleet)) {
            before.configure(TWO_GPUS);
            running = before.submit(aWorkload("running").in("research").gpus(2), null);
            awaitState(running, WorkloadState.RUNNING);
        }
        try (LocalService silent = LocalService.start(database, listingNothing())) {
            WorkloadId waiting =
                    silent.submit(aWorkload("waiting").in("research").gpus(2), null);

            silent.configure(FOUR_GPUS);

            awaitState(waiting, WorkloadState.RUNNING);
            assertThat(stored.of(running)).as("nothing is known to its harm").isEqualTo(WorkloadState.RUNNING);
            fleet.finish(running, true, "");
            silence.countDown();
            awaitState(running, WorkloadState.SUCCEEDED);
            assertThat(fleet.effects().stream()
                            .filter(effect -> effect.kind() == FleetEffect.Kind.RELEASED)
                            .map(FleetEffect::workload))
                    .containsExactly(running, waiting);
        }
    }

    @Test
    void who_is_let_go_before_the_list_comes_is_let_go_even_if_its_job_was_never_created() {
        WorkloadId waiting;
        try (LocalService before = LocalService.start(database, without("create"))) {
            before.configure(NO_GPUS);
            waiting = before.submit(aWorkload("waiting").in("research").gpus(2), null);
            awaitState(waiting, WorkloadState.PENDING);
        }
        try (LocalService silent = LocalService.start(database, listingNothing())) {
            silent.configure(TWO_GPUS);

            awaitState(waiting, WorkloadState.RUNNING);
            silence.countDown();
            await().during(Duration.ofSeconds(1)).until(() -> stored.of(waiting) == WorkloadState.RUNNING);
        }
        assertThat(fleet.effects().stream().map(FleetEffect::kind))
                .containsOnlyOnce(FleetEffect.Kind.CREATED, FleetEffect.Kind.RELEASED);
    }

    @Test
    void the_first_leader_of_all_waits_for_the_jobs_as_it_knows_nothing_of_the_cluster() {
        new PostgresConfigurationStore(database).edit("tester", none -> LocalService.putting(TWO_GPUS));
        try (LocalService first = LocalService.start(database, listingNothing())) {
            WorkloadId early = first.submit(aWorkload("early").in("research").gpus(2), null);

            await().during(Duration.ofSeconds(2)).until(() -> stored.of(early) != WorkloadState.ADMITTED);
            silence.countDown();

            awaitState(early, WorkloadState.RUNNING);
        }
    }

    /** As when whoever leads is killed after its commits, before it says so to the cluster. */
    private Cluster without(String lost) {
        return (Cluster) Proxy.newProxyInstance(
                Cluster.class.getClassLoader(),
                new Class<?>[] {Cluster.class},
                (proxy, method, arguments) -> method.getName().equals(lost) ? null : call(method, arguments));
    }

    /** Until the silence ends, whoever asks for its jobs waits. */
    private Cluster listingNothing() {
        return (Cluster) Proxy.newProxyInstance(
                Cluster.class.getClassLoader(), new Class<?>[] {Cluster.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("jobs")) {
                        awaitEndOfSilence();
                    }
                    return call(method, arguments);
                });
    }

    private void awaitEndOfSilence() {
        try {
            if (!silence.await(50, TimeUnit.SECONDS)) {
                throw new ClusterUnavailable("nobody ended the silence", null);
            }
        } catch (InterruptedException givenUp) {
            Thread.currentThread().interrupt();
            throw new ClusterUnavailable("given up", givenUp);
        }
    }

    private Object call(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(fleet, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private void awaitState(WorkloadId workload, WorkloadState state) {
        await().atMost(Duration.ofSeconds(20)).until(() -> stored.of(workload), state::equals);
    }
}
