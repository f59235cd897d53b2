package dev.sluice.scheduling;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.fleet.FleetEffect;
import dev.sluice.fleet.SimulatedFleet;
import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.Cluster.ObservedJob;
import dev.sluice.scheduling.Cluster.Phase;
import dev.sluice.testkit.LocalService;
import dev.sluice.testkit.PostgresForTests;
import dev.sluice.testkit.StoredStates;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import io.agroal.api.AgroalDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is charged is what runs; and if ever it were not, somebody would be told. */
class DriftCheckTest {
    private static final Configuration TEAMS = aCluster()
            .cohort(
                    "org",
                    cohort -> cohort.queue("serving", queue -> queue.gpus(4).reclaimsAny())
                            .queue("research", queue -> queue.gpus(4)))
            .build();

    private final SimulatedFleet fleet = LocalService.aFleet();
    private AgroalDataSource database;
    private StoredStates stored;
    private LocalService service;

    @BeforeEach
    void start() {
        database = PostgresForTests.freshDatabase().open();
        stored = new StoredStates(database);
        service = LocalService.start(database, fleet);
        service.configure(TEAMS);
    }

    @AfterEach
    void close() {
        service.close();
        fleet.close();
        database.close();
    }

    @Test
    void mv_04_after_every_restart_what_a_queue_is_said_to_use_is_the_sum_of_its_live_pods() {
        Random random = new Random(4);
        List<WorkloadId> workloads = new ArrayList<>();
        for (int restart = 0; restart < 5; restart++) {
            for (int index = 0; index < 12; index++) {
                String queue = random.nextBoolean() ? "serving" : "research";
                Duration runsFor = random.nextBoolean() ? Duration.ofMillis(random.nextInt(300)) : null;
                workloads.add(service.submit(
                        aWorkload("w" + restart + "-" + index).in(queue).gpus(1 + random.nextInt(3)), runsFor));
            }
            workloads.stream().filter(workload -> random.nextInt(4) == 0).forEach(workload -> service.cancel(workload));
            service.close();
            service = LocalService.start(database, fleet);
            await().until(service.loop()::isLeading);

            await().untilAsserted(() -> assertThat(used()).isEqualTo(live()).isPositive());
            await().untilAsserted(() -> assertThat(drift()).isEmpty());
        }
    }

    @Test
    void pods_that_nobody_pays_for_are_told_when_two_checks_in_a_row_see_them() {
        WorkloadId runs = service.submit(aWorkload("runs").in("research").gpus(8), null);
        await().until(() -> stored.of(runs), WorkloadState.RUNNING::equals);
        WorkloadId waits = service.submit(aWorkload("waits").in("research").gpus(1), null);
        await().until(() -> jobs(fleet, waits).size() == 1);
        assertThat(drift()).isEmpty();

        ObservedJob job = jobs(fleet, waits).getFirst();
        startByHand(waits, job.fence());

        assertThat(service.driftCheck().run()).isEmpty();
        assertThat(service.driftCheck().run()).containsExactly(new Drift.RunsUncharged(waits));
    }

    @Test
    void a_charge_without_pods_is_told() {
        WorkloadId runs = service.submit(aWorkload("runs").in("research").gpus(1), null);
        await().until(() -> stored.of(runs), WorkloadState.RUNNING::equals);

        Set<Drift> gone = service.loop()
                .ask((engine, now) -> DriftCheck.compare(engine, List.of()))
                .orElseThrow()
                .join();
        Set<Drift> suspended = service.loop()
                .ask((engine, now) ->
                        DriftCheck.compare(engine, List.of(new ObservedJob(runs, "uid", 1, Phase.SUSPENDED))))
                .orElseThrow()
                .join();

        assertThat(gone).containsExactly(new Drift.ChargedWithoutPods(runs)).isEqualTo(suspended);
    }

    /** What two looks in a row agree on. */
    private Set<Drift> drift() {
        service.driftCheck().run();
        return service.driftCheck().run();
    }

    private long used() {
        return service.usage().queues().values().stream()
                .flatMap(queue -> queue.lines().stream())
                .mapToLong(line -> line.used() - line.earmarked())
                .sum();
    }

    /** GPUs under live pods, as the fleet's own record of what it started and what ended tells. */
    private long live() {
        return fleet.jobs().stream()
                .filter(job ->
                        job.phase() == Phase.STARTING || job.phase() == Phase.RUNNING || job.phase() == Phase.STOPPING)
                .mapToLong(job -> Long.parseLong(
                        stored.strings("""
                                select sum(u.value::bigint)::text from workload w,
                                json_array_elements(w.assignment -> 'podSets') p, json_each_text(p.value -> 'usage') u
                                where w.id = ?
                                """, job.workload().value()).getFirst()))
                .sum();
    }

    private static List<ObservedJob> jobs(SimulatedFleet fleet, WorkloadId workload) {
        return fleet.jobs().stream()
                .filter(job -> job.workload().equals(workload))
                .toList();
    }

    private void startByHand(WorkloadId id, long fence) {
        Workload workload = service.loop()
                .ask((engine, now) -> engine.workload(id).orElseThrow())
                .orElseThrow()
                .join();
        Assignment.PodSetAssignment pods = new Assignment.PodSetAssignment(
                workload.podSets().getFirst().name(), 1, new TreeMap<>(), new TreeMap<>());
        fleet.release(workload, new Assignment("research", List.of(pods), false), Placement.ANYWHERE, fence);
        await().until(() -> fleet.effects().stream()
                .anyMatch(effect -> effect.workload().equals(id) && effect.kind() == FleetEffect.Kind.RELEASED));
    }
}
