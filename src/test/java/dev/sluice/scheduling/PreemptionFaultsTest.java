package dev.sluice.scheduling;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.fleet.FleetEffect;
import dev.sluice.fleet.SimulatedFleet;
import dev.sluice.testkit.FailingCommits;
import dev.sluice.testkit.FailingCommits.Fault;
import dev.sluice.testkit.LocalService;
import dev.sluice.testkit.PostgresForTests;
import dev.sluice.testkit.StoredStates;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import io.agroal.api.AgroalDataSource;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A preemption of which a part is lost or late, and no other traffic that could set it going again. */
class PreemptionFaultsTest {
    private final SimulatedFleet fleet = LocalService.aFleet();
    private final AtomicInteger evictingBatches = new AtomicInteger();
    private AgroalDataSource database;
    private StoredStates stored;
    private LocalService service;

    /** Read by the leader's thread. */
    private volatile Fault ofTheFirstEviction = Fault.NONE;

    @BeforeEach
    void start() {
        database = PostgresForTests.freshDatabase().open();
        stored = new StoredStates(database);
        service = LocalService.start(database, fleet, store -> new FailingCommits(store, this::faultOf));
        service.configure(
                aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()).build());
    }

    @AfterEach
    void close() {
        service.close();
        fleet.close();
        database.close();
    }

    private Fault faultOf(Batch batch) {
        return evicts(batch) && evictingBatches.incrementAndGet() == 1 ? ofTheFirstEviction : Fault.NONE;
    }

    private static boolean evicts(Batch batch) {
        return batch.changes().stream().anyMatch(change -> change.status().state() == WorkloadState.EVICTING);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"BEFORE", "AFTER"})
    void pr_04_an_eviction_whose_first_write_fails_is_carried_out_all_the_same(Fault fault) {
        ofTheFirstEviction = fault;
        WorkloadId low = service.submit(aWorkload("lo").in("q").gpus(4), null);
        awaitState(low, WorkloadState.RUNNING);

        WorkloadId high = service.submit(aWorkload("hi").in("q").gpus(4).priority(10), null);

        awaitState(high, WorkloadState.RUNNING);
        awaitState(low, WorkloadState.PENDING);
        assertThat(evictingBatches.get()).isPositive();
        assertThat(service.loop().status().failures()).isPositive();
        assertThat(stored.strings("select victim_id from eviction")).containsExactly(low.value());
    }

    @Test
    void pr_04_a_stop_that_the_cluster_does_not_hear_is_said_again() {
        WorkloadId low = service.submit(aWorkload("lo").in("q").gpus(4), null);
        awaitState(low, WorkloadState.RUNNING);
        fleet.setAway(true);

        WorkloadId high = service.submit(aWorkload("hi").in("q").gpus(4).priority(10), null);
        awaitState(low, WorkloadState.EVICTING);
        fleet.setAway(false);

        awaitState(high, WorkloadState.RUNNING);
        awaitState(low, WorkloadState.PENDING);
    }

    @Test
    void pr_05_a_release_that_arrives_after_its_workload_was_preempted_changes_nothing() {
        fleet.setAnswerDelay(Duration.ofSeconds(3));
        WorkloadId first = service.submit(aWorkload("w1").in("q").gpus(4), null);
        await().until(() -> stored.of(first) != WorkloadState.PENDING);

        WorkloadId second = service.submit(aWorkload("w2").in("q").gpus(4).priority(10), null);

        awaitState(second, WorkloadState.RUNNING);
        awaitState(first, WorkloadState.PENDING);
        fleet.setAnswerDelay(Duration.ZERO);
        assertThat(Objects.requireNonNull(service.usage().queues().get("q")).lines())
                .allSatisfy(line -> assertThat(line.used()).isEqualTo(4));
        assertThat(livePodsAtMost()).isEqualTo(1);
    }

    /** Of how many workloads pods lived at the same time. */
    private int livePodsAtMost() {
        Set<WorkloadId> alive = new HashSet<>();
        int most = 0;
        for (FleetEffect effect : fleet.effects()) {
            switch (effect.kind()) {
                case RELEASED -> alive.add(effect.workload());
                case GONE, SUCCEEDED, FAILED -> alive.remove(effect.workload());
                default -> {}
            }
            most = Math.max(most, alive.size());
        }
        return most;
    }

    private void awaitState(WorkloadId workload, WorkloadState state) {
        await().atMost(Duration.ofSeconds(60)).until(() -> stored.of(workload), state::equals);
    }
}
