package dev.sluice.scheduling;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.StartRetries;
import dev.sluice.fleet.FleetEffect;
import dev.sluice.fleet.SimulatedFleet;
import dev.sluice.persistence.PostgresReplayReader;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.WorkloadPriorityClass;
import dev.sluice.testkit.FailingCommits;
import dev.sluice.testkit.FailingCommits.Fault;
import dev.sluice.testkit.LocalService;
import dev.sluice.testkit.LogReplay;
import dev.sluice.testkit.PostgresForTests;
import dev.sluice.testkit.StoredStates;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import io.agroal.api.AgroalDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The leader over a real PostgreSQL and a simulated fleet: what it commits, what it does after, and what a restart makes of it. */
class LeaderLoopTest {
    private static final Configuration TEAMS = aCluster()
            .cohort(
                    "org",
                    cohort -> cohort.queue("serving", queue -> queue.gpus(4).reclaimsAny())
                            .queue("research", queue -> queue.gpus(4)))
            .build();
    private static final Duration SHORT = Duration.ofMillis(50);

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
    void a_workload_travels_from_its_submission_to_its_end_and_leaves_nothing_charged() {
        WorkloadId workload = service.submit(aWorkload("train").in("research").gpus(4), SHORT);

        awaitState(workload, WorkloadState.SUCCEEDED);
        assertThat(stored.charged()).isZero();
        assertThat(releases(workload)).isEqualTo(1);
    }

    @Test
    void what_does_not_fit_waits_and_starts_when_room_is_free() {
        WorkloadId first = service.submit(aWorkload("first").in("research").gpus(8), null);
        awaitState(first, WorkloadState.RUNNING);
        WorkloadId second = service.submit(aWorkload("second").in("research").gpus(8), SHORT);
        await().untilAsserted(() -> assertThat(service.usage().queues())
                .hasEntrySatisfying(
                        "research", queue -> assertThat(queue.pending()).isEqualTo(1)));

        fleet.finish(first, true, "");

        awaitState(second, WorkloadState.SUCCEEDED);
    }

    @Test
    void borrowed_gpus_come_back_to_their_owner_once_the_pods_are_gone() {
        WorkloadId borrower =
                service.submit(aWorkload("borrower").in("research").gpus(8), null);
        awaitState(borrower, WorkloadState.RUNNING);

        WorkloadId owner = service.submit(aWorkload("owner").in("serving").gpus(4), null);

        awaitState(owner, WorkloadState.RUNNING);
        assertThat(stored.of(borrower)).isEqualTo(WorkloadState.PENDING);
        assertThat(stored.strings("select reason from eviction where victim_id = ?", borrower.value()))
                .containsExactly("InCohortReclamation");
    }

    @Test
    void cancelling_a_waiting_workload_is_answered_when_it_is_committed() {
        service.submit(aWorkload("holder").in("research").gpus(8), null);
        WorkloadId waiting = service.submit(aWorkload("waiting").in("research").gpus(8), null);

        assertThat(service.cancel(waiting)).isEqualTo(new CommandAnswer.Done());
        assertThat(stored.of(waiting)).isEqualTo(WorkloadState.CANCELLED);
    }

    @Test
    void cancelling_a_running_workload_passes_through_its_eviction() {
        WorkloadId running = service.submit(aWorkload("running").in("research").gpus(8), null);
        awaitState(running, WorkloadState.RUNNING);

        assertThat(service.cancel(running)).isEqualTo(new CommandAnswer.Done());

        awaitState(running, WorkloadState.CANCELLED);
        assertThat(stored.charged()).isZero();
    }

    @Test
    void what_runs_longer_than_it_may_is_stopped_and_does_not_come_back_by_itself() {
        WorkloadId endless =
                service.submit(aWorkload("endless").in("research").gpus(4).runsAtMost(Duration.ofMillis(100)), null);

        awaitState(endless, WorkloadState.INACTIVE);
        assertThat(stored.charged()).isZero();
        assertThat(stored.strings("select reason from eviction where victim_id = ?", endless.value()))
                .containsExactly("MaximumExecutionTimeExceeded");
    }

    @Test
    void a_command_about_what_has_ended_is_refused_with_the_reason() {
        WorkloadId done = service.submit(aWorkload("done").in("research").gpus(1), SHORT);
        awaitState(done, WorkloadState.SUCCEEDED);

        assertThat(service.cancel(done)).isEqualTo(new CommandAnswer.Refused("the workload has ended"));
    }

    @Test
    void a_restart_lets_running_work_run_and_starts_nothing_twice() {
        WorkloadId running = service.submit(aWorkload("running").in("research").gpus(4), null);
        WorkloadId waiting = service.submit(aWorkload("waiting").in("research").gpus(8), SHORT);
        awaitState(running, WorkloadState.RUNNING);
        service.close();
        fleet.finish(running, true, "");

        service = LocalService.start(database, fleet);

        awaitState(running, WorkloadState.SUCCEEDED);
        awaitState(waiting, WorkloadState.SUCCEEDED);
        assertThat(releases(running)).isEqualTo(1);
        assertThat(releases(waiting)).isEqualTo(1);
    }

    @Test
    void a_submission_acknowledged_while_nobody_leads_is_taken_up_by_the_next_leader() {
        WorkloadId first = service.submit(aWorkload("first").in("research").gpus(1), SHORT);
        awaitState(first, WorkloadState.SUCCEEDED);
        service.loop().close();
        WorkloadId orphan = service.submit(aWorkload("orphan").in("research").gpus(1), SHORT);
        assertThat(stored.of(orphan)).isEqualTo(WorkloadState.PENDING);
        service.close();

        service = LocalService.start(database, fleet);

        awaitState(orphan, WorkloadState.SUCCEEDED);
    }

    @Test
    void pods_that_got_done_while_nobody_led_are_learned_and_their_quota_is_given_on() {
        WorkloadId job = service.submit(aWorkload("job").in("research").pods(4).gpus(2), null);
        awaitState(job, WorkloadState.RUNNING);
        service.close();
        fleet.succeedPods(job, "main", 3);

        service = LocalService.start(database, fleet);

        WorkloadId next = service.submit(aWorkload("next").in("research").gpus(6), null);
        awaitState(next, WorkloadState.RUNNING);
        service.close();
        service = LocalService.start(database, fleet);
        awaitUsed("research", 8);
        fleet.restart(job);
        awaitUsed("research", 14);
        assertThat(LogReplay.differences(new PostgresReplayReader(database))).isEmpty();
    }

    private void awaitUsed(String queue, long gpus) {
        await().ignoreExceptions()
                .untilAsserted(() -> assertThat(service.usage().queues())
                        .hasEntrySatisfying(
                                queue,
                                usage -> assertThat(usage.lines().getFirst().used())
                                        .isEqualTo(gpus)));
    }

    @Test
    void ff_05_classes_that_change_their_value_change_who_runs() {
        reconfigure(classes(1000, 2000));
        WorkloadId running = service.submit(aWorkload("job-2").in("one").gpus(1).priorityClass("p2", 2000), null);
        awaitState(running, WorkloadState.RUNNING);
        WorkloadId waiting = service.submit(aWorkload("job-1").in("one").gpus(1).priorityClass("p1", 1000), null);

        reconfigure(classes(3000, 500));

        awaitState(waiting, WorkloadState.RUNNING);
        awaitState(running, WorkloadState.PENDING);
        assertThat(stored.strings("select name || ' ' || priority from workload order by name"))
                .containsExactly("job-1 3000", "job-2 500");
    }

    /** Also while the leader begins anew because of an edit just before. */
    private void reconfigure(Configuration configuration) {
        await().ignoreExceptionsInstanceOf(StoreUnavailable.class)
                .untilAsserted(() -> service.configure(configuration));
    }

    private static Configuration classes(int first, int second) {
        return aCluster()
                .queue("one", queue -> queue.gpus(1).preemptsLower())
                .priorityClass("p1", first)
                .priorityClass("p2", second)
                .build();
    }

    @Test
    void ff_10_of_a_job_whose_start_is_rejected_the_reason_is_kept_and_the_next_one_runs() {
        reconfigure(aCluster().queue("one", 1).build());
        fleet.script().workload("bad", behavior -> behavior.startsRejected("quota of the namespace is used up"));
        WorkloadId bad = service.submit(aWorkload("bad").in("one").gpus(1), null);
        WorkloadId good = service.submit(aWorkload("good").in("one").gpus(1), SHORT);

        awaitState(good, WorkloadState.SUCCEEDED);
        awaitState(bad, WorkloadState.PENDING);
        assertThat(stored.strings("select particulars ->> 'failedStart' from workload where name = 'bad'"))
                .containsExactly("quota of the namespace is used up");
        assertThat(stored.strings("select reason from eviction")).containsExactly("StartRejected");
        service.close();
        service = LocalService.start(database, fleet);
        assertThat(LogReplay.differences(new PostgresReplayReader(database))).isEmpty();
        assertThat(stored.of(bad)).isEqualTo(WorkloadState.PENDING);
    }

    @Test
    void lc_23_pods_that_get_ready_while_nothing_is_heard_of_them_are_not_stopped_for_being_late() {
        service.close();
        Duration limit = Duration.ofSeconds(2);
        service = LocalService.start(
                database,
                fleet,
                AdmissionSettings.defaults()
                        .with(new StartRetries(limit, true, 0, Duration.ofHours(1), Duration.ofHours(1), 0, true)));
        reconfigure(aCluster().queue("one", 2).build());
        fleet.script()
                .workload("slow", behavior -> behavior.startingAfter(Duration.ofSeconds(1)))
                .workload("never", behavior -> behavior.startingAfter(Duration.ofDays(1)));
        WorkloadId slow = service.submit(aWorkload("slow").in("one").gpus(1), null);
        WorkloadId never = service.submit(aWorkload("never").in("one").gpus(1), null);
        await().until(() -> releases(slow) + releases(never) == 2);
        fleet.setAway(true);
        await().pollDelay(limit.plusSeconds(1)).until(() -> true);

        assertThat(stored.of(never)).as("it cannot be looked at").isEqualTo(WorkloadState.ADMITTED);
        fleet.setAway(false);

        awaitState(slow, WorkloadState.RUNNING);
        awaitState(never, WorkloadState.PENDING);
        assertThat(stored.strings("select reason from eviction")).containsExactly("PodsReadyTimeout");
        assertThat(LogReplay.differences(new PostgresReplayReader(database))).isEmpty();
    }

    @Test
    void a_leader_that_takes_over_while_the_cluster_is_away_decides_by_what_is_known_and_compares_later() {
        WorkloadId steady = service.submit(aWorkload("steady").in("research").gpus(2), null);
        WorkloadId ending = service.submit(aWorkload("ending").in("research").gpus(4), null);
        awaitState(steady, WorkloadState.RUNNING);
        awaitState(ending, WorkloadState.RUNNING);
        service.close();
        fleet.setAway(true);
        service = LocalService.start(database, fleet);
        fleet.finish(ending, true, "");

        WorkloadId fitting = service.submit(aWorkload("fitting").in("research").gpus(2), null);
        WorkloadId waiting = service.submit(aWorkload("waiting").in("research").gpus(4), null);

        awaitState(fitting, WorkloadState.ADMITTED);
        await().during(Duration.ofMillis(500)).until(() -> stored.of(waiting) == WorkloadState.PENDING);
        assertThat(stored.of(ending)).as("nobody saw its end").isEqualTo(WorkloadState.RUNNING);
        assertThat(releases(fitting)).isZero();
        fleet.setAway(false);

        awaitState(ending, WorkloadState.SUCCEEDED);
        awaitState(fitting, WorkloadState.RUNNING);
        awaitState(waiting, WorkloadState.RUNNING);
        assertThat(releases(fitting)).isEqualTo(1);
        assertThat(releases(steady)).as("of the first leader").isEqualTo(1);
        assertThat(LogReplay.differences(new PostgresReplayReader(database))).isEmpty();
    }

    @Test
    void a_leader_that_never_saw_the_cluster_waits_for_it() {
        service.close();
        try (AgroalDataSource empty = PostgresForTests.freshDatabase().open()) {
            fleet.setAway(true);
            try (LocalService first = LocalService.start(empty, fleet)) {
                first.configure(TEAMS);
                WorkloadId workload =
                        first.submit(aWorkload("early").in("research").gpus(1), SHORT);
                StoredStates states = new StoredStates(empty);
                await().during(Duration.ofSeconds(2))
                        .until(() -> states.of(workload) == null || states.of(workload) == WorkloadState.PENDING);
                fleet.setAway(false);
                await().atMost(Duration.ofSeconds(20))
                        .until(() -> states.of(workload), WorkloadState.SUCCEEDED::equals);
            }
        }
        service = LocalService.start(database, fleet);
    }

    @Test
    void of_two_replicas_one_leads_and_work_given_to_the_other_is_done_all_the_same() {
        try (LocalService other = LocalService.start(database, fleet)) {
            WorkloadId workload =
                    other.submit(aWorkload("elsewhere").in("research").gpus(1), SHORT);

            awaitState(workload, WorkloadState.SUCCEEDED);
            assertThat(List.of(service.loop().isLeading(), other.loop().isLeading()))
                    .containsExactlyInAnyOrder(true, false);
        }
    }

    @Test
    void a_commit_that_fails_costs_a_term_and_no_workload() {
        service.close();
        AtomicInteger commits = new AtomicInteger();
        service = LocalService.start(database, fleet, store -> everyThirdFails(store, commits));

        List<WorkloadId> workloads = new ArrayList<>();
        for (int index = 0; index < 30; index++) {
            workloads.add(service.submit(aWorkload("w" + index).in("research").gpus(2), SHORT));
        }

        workloads.forEach(workload -> awaitState(workload, WorkloadState.SUCCEEDED));
        assertThat(service.loop().status().failures()).isPositive();
        assertThat(workloads)
                .allSatisfy(workload -> assertThat(releases(workload)).isEqualTo(1));
        assertThat(stored.charged()).isZero();
    }

    @Test
    @Timeout(60)
    void an_edit_that_meets_the_end_of_a_term_is_made_all_the_same() {
        service.close();
        AtomicInteger commits = new AtomicInteger();
        service = LocalService.start(database, fleet, store -> everyThirdFails(store, commits));

        for (int index = 1; index <= 60; index++) {
            service.submit(aWorkload("w" + index).in("research").gpus(2), SHORT);
            int value = index;
            service.configurations()
                    .edit(
                            "tester",
                            stored -> List.of(new ConfigurationChange.PutWorkloadPriorityClass(
                                    new WorkloadPriorityClass("urgent", value, ""))));
        }

        assertThat(Objects.requireNonNull(service.configurations()
                                .read()
                                .configuration()
                                .priorityClasses()
                                .get("urgent"))
                        .value())
                .isEqualTo(60);
        assertThat(service.loop().status().failures()).isPositive();
    }

    private static SchedulingStore everyThirdFails(SchedulingStore store, AtomicInteger commits) {
        return new FailingCommits(store, batch -> {
            int number = commits.incrementAndGet();
            return number % 6 == 3 ? Fault.BEFORE : number % 6 == 0 ? Fault.AFTER : Fault.NONE;
        });
    }

    private void awaitState(WorkloadId workload, WorkloadState state) {
        await().atMost(Duration.ofSeconds(20)).until(() -> stored.of(workload), state::equals);
    }

    /** How often its pods were started. */
    private long releases(WorkloadId workload) {
        return fleet.effects().stream()
                .filter(effect -> effect.workload().equals(workload) && effect.kind() == FleetEffect.Kind.RELEASED)
                .count();
    }
}
