package dev.sluice.platform.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.admission.Engine;
import dev.sluice.admission.QuotaUsage;
import dev.sluice.admission.WaitReason;
import dev.sluice.fleet.FleetNode;
import dev.sluice.fleet.FleetSettings;
import dev.sluice.fleet.SimulatedFleet;
import dev.sluice.overview.Announcement;
import dev.sluice.overview.EngineReader;
import dev.sluice.overview.EvictionRow;
import dev.sluice.overview.FleetOverview;
import dev.sluice.overview.RecentDecisions;
import dev.sluice.overview.WorkloadReader;
import dev.sluice.persistence.PostgresEventLogReader;
import dev.sluice.persistence.PostgresWorkloadReader;
import dev.sluice.testkit.LocalService;
import dev.sluice.testkit.PostgresForTests;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import io.agroal.api.AgroalDataSource;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The demo on a real leader, a real PostgreSQL and forty simulated GPUs: its numbers, step by step. */
class DemoPlayerTest {
    private static final Duration FOREVER = Duration.ofDays(1);

    private final AgroalDataSource database = PostgresForTests.freshDatabase().open();
    private final SimulatedFleet fleet = SimulatedFleet.started(
            FleetSettings.of(FleetNode.parse("5xgpu nvidia.com/gpu=8")).withTerminationDelay(Duration.ofMillis(200)));
    private final LocalService service = LocalService.start(database, fleet);
    private final WorkloadReader workloads = new PostgresWorkloadReader(database);
    private final Announcement announcement = new Announcement();
    private final DemoPlayer player = player();

    @AfterEach
    void close() {
        service.close();
        fleet.close();
        database.close();
    }

    @Test
    void three_teams_share_forty_gpus() throws InterruptedException {
        player.prepare();

        List<WorkloadId> sweeps = player.borrow("aaaa");
        assertThat(used()).containsExactly(0L, 0L, 20L);
        assertThat(line("research").borrowed()).isEqualTo(12);
        assertThat(overview().summary()).containsExactly("20 of 40 GPUs are in use.", "Nobody waits.");

        List<WorkloadId> evaluations = player.keep("aaaa");
        assertThat(used()).containsExactly(0L, 12L, 20L);
        assertThat(states(evaluations))
                .as("six run, four wait")
                .containsExactly(repeated(6, WorkloadState.RUNNING, 4, WorkloadState.PENDING));
        Optional<WaitReason> reason = ask((engine, at) -> engine.reason(evaluations.get(6)));
        assertThat(reason).contains(new WaitReason.QuotaExhausted(ThreeTeams.GPU, "default", 2, 0, 2));
        assertThat(overview().pending().queues().getFirst().first().getFirst().sentence())
                .isEqualTo(
                        "Needs 2 GPUs; team batch can get 0 now: nominal 12, used 12; of the cohort's other 28, 20 are"
                                + " in use and serving keeps 8 to itself.");

        List<WorkloadId> chats = player.callBack("aaaa");
        assertThat(used()).containsExactly(20L, 12L, 8L);
        assertThat(states(chats)).containsOnly(WorkloadState.RUNNING);
        assertThat(evicted())
                .as("the six newest research jobs, by admission")
                .containsExactlyInAnyOrderElementsOf(sweeps.subList(4, 10));

        player.giveBack(chats);
        await().untilAsserted(() -> assertThat(used()).containsExactly(0L, 18L, 14L));
        assertThat(overview().summary().getFirst()).isEqualTo("32 of 40 GPUs are in use.");
        assertThat(told())
                .anySatisfy(sentence -> assertThat(sentence)
                        .isEqualTo(
                                "chat-aaaa-03 of serving calls back what its queue had lent: sweep-aaaa-10 and sweep-aaaa-09"
                                        + " of research make room for its 4 GPUs."));
    }

    @Test
    void a_demo_that_was_cut_off_is_cleared_away_by_the_next_one_and_configures_nothing_twice()
            throws InterruptedException {
        player.prepare();
        List<WorkloadId> left = player.borrow("aaaa");
        long version = service.configurations().read().configuration().version();

        DemoPlayer next = player();
        next.prepare();

        assertThat(service.configurations().read().configuration().version()).isEqualTo(version);
        assertThat(used()).containsExactly(0L, 0L, 0L);
        assertThat(workloads.findAll(left))
                .allSatisfy(row -> assertThat(row.status().state()).isEqualTo(WorkloadState.CANCELLED));
        next.borrow("aaaa");
        assertThat(used()).containsExactly(0L, 0L, 20L);
    }

    private DemoPlayer player() {
        return new DemoPlayer(
                service.configurations(),
                service.commands(),
                engine(),
                workloads,
                announcement,
                Clock.systemUTC(),
                Duration.ZERO,
                FOREVER);
    }

    private FleetOverview overview() {
        return FleetOverview.read(engine());
    }

    private List<String> told() {
        return new RecentDecisions(new PostgresEventLogReader(database), workloads)
                .latest(service.configurations().read().configuration(), 50).stream()
                        .map(RecentDecisions.Told::sentence)
                        .toList();
    }

    private List<WorkloadId> evicted() {
        return workloads
                .evictions(new WorkloadReader.EvictionFilter(null, "research", "serving", null), 100, null)
                .items()
                .stream()
                .map(EvictionRow::victim)
                .toList();
    }

    private List<WorkloadState> states(List<WorkloadId> all) {
        return ask((engine, at) ->
                all.stream().map(id -> engine.status(id).orElseThrow().state()).toList());
    }

    private List<Long> used() {
        return ThreeTeams.TEAMS.stream().map(team -> line(team).used()).toList();
    }

    private QuotaUsage.Line line(String team) {
        return Objects.requireNonNull(service.usage().queues().get(team))
                .lines()
                .getFirst();
    }

    private <T> T ask(BiFunction<Engine, Instant, T> question) {
        return engine().ask(question);
    }

    /** Waits while nobody leads: a configuration edit can end a term, and the next one begins at once. */
    private EngineReader engine() {
        return new EngineReader() {
            @Override
            public <T> T ask(BiFunction<Engine, Instant, T> question) {
                Optional<CompletableFuture<T>> answer =
                        await().until(() -> service.loop().ask(question), Optional::isPresent);
                try {
                    return answer.orElseThrow().get();
                } catch (ExecutionException failed) {
                    throw new AssertionError(failed);
                } catch (InterruptedException stopping) {
                    Thread.currentThread().interrupt();
                    throw new AssertionError(stopping);
                }
            }
        };
    }

    private static WorkloadState[] repeated(int first, WorkloadState state, int second, WorkloadState other) {
        WorkloadState[] states = new WorkloadState[first + second];
        for (int index = 0; index < states.length; index++) {
            states[index] = index < first ? state : other;
        }
        return states;
    }
}
