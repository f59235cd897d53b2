package dev.sluice.persistence;

import static dev.sluice.persistence.StoreStory.holding;
import static dev.sluice.persistence.StoreStory.submission;
import static dev.sluice.workload.WorkloadState.ADMITTED;
import static dev.sluice.workload.WorkloadState.EVICTING;
import static dev.sluice.workload.WorkloadState.PENDING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Decision;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.EvictionReason;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.overview.EvictionRow;
import dev.sluice.overview.WorkloadReader.EvictionFilter;
import dev.sluice.overview.WorkloadReader.Filter;
import dev.sluice.overview.WorkloadReader.LoggedEvent;
import dev.sluice.overview.WorkloadReader.Page;
import dev.sluice.overview.WorkloadReader.Sort;
import dev.sluice.overview.WorkloadRow;
import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.ConfigurationKind;
import dev.sluice.scheduling.ConfigurationStore.ObjectVersion;
import dev.sluice.scheduling.ConfigurationStore.Stored;
import dev.sluice.scheduling.ReplayReader.LoggedBatch;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.workload.Workload;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store promises about what is read back: configuration, lists, history, the log, a replay. */
abstract class StoreReadsContractTest {
    StoreUnderTest store;
    StoreStory leader;

    /** A store with nothing in it. */
    abstract StoreUnderTest freshStore();

    @BeforeEach
    void begin() {
        store = freshStore();
        leader = new StoreStory(store, "leader");
    }

    @Test
    void a_preemption_is_in_the_history_of_both_sides_and_in_the_log_of_evictions() {
        Workload victim = leader.queued("victim");
        Workload preemptor = leader.queued("preemptor");
        leader.admit(victim, 1).commit();
        Instant at = store.scheduling().now();
        leader.decide(new Decision.Preempt(
                        preemptor.id(),
                        StoreStory.assignment(),
                        List.of(new Decision.Victim(victim.id(), EvictionReason.IN_COHORT_RECLAMATION, "org"))))
                .change(victim, List.of(EVICTING), holding(victim, EVICTING))
                .change(preemptor, List.of(), holding(preemptor, PENDING))
                .evict(new Batch.Eviction(
                        victim.id(), "InCohortReclamation", preemptor.id(), "serving", "research", "org", at))
                .commit();

        assertThat(store.workloads().history(victim.id()))
                .extracting(LoggedEvent::kind)
                .containsExactly("WorkloadQueued", "Admit", "Preempt");
        assertThat(store.workloads().history(preemptor.id()))
                .extracting(LoggedEvent::kind)
                .containsExactly("WorkloadQueued", "Preempt");
        List<EvictionRow> evictions = store.workloads()
                .evictions(new EvictionFilter(victim.id(), null, null, null), 10, null)
                .items();
        assertThat(evictions)
                .containsExactly(new EvictionRow(
                        evictions.getFirst().id(),
                        victim.id(),
                        "victim",
                        "team-a",
                        "research",
                        "InCohortReclamation",
                        preemptor.id(),
                        "preemptor",
                        "team-a",
                        "serving",
                        "org",
                        at));
        assertThat(store.workloads().find(victim.id()).orElseThrow().evictions())
                .isEqualTo(evictions);
        assertThat(store.workloads()
                        .evictions(new EvictionFilter(null, null, "nobody", null), 10, null)
                        .items())
                .isEmpty();
    }

    @Test
    void the_log_is_read_on_from_a_position() {
        leader.queued("one");
        leader.queued("two");
        leader.queued("three");

        assertThat(store.log().after(0, 2)).extracting(LoggedEvent::position).containsExactly(1L, 2L);
        assertThat(store.log().after(2, 2)).extracting(LoggedEvent::position).containsExactly(3L);
        assertThat(store.log().after(3, 2)).isEmpty();
        assertThat(store.log().end()).isEqualTo(3);
    }

    @Test
    void a_reader_of_the_log_moves_on_from_where_it_stands_only() {
        assertThat(store.positions().position("relay")).isZero();
        assertThat(store.positions().advance("relay", 0, 5)).isTrue();
        assertThat(store.positions().advance("relay", 0, 9)).isFalse();
        assertThat(store.positions().advance("relay", 5, 9)).isTrue();
        assertThat(store.positions().position("relay")).isEqualTo(9);
    }

    @Test
    void a_replay_gives_back_every_entry_in_full() {
        StoreConfigurations.putTeam(store, "team-a");
        EngineEvent configured =
                new EngineEvent.ConfigurationReplaced(store.scheduling().configuration());
        SubmissionResult.Accepted accepted = leader.submit(submission("train"));
        leader.input(configured)
                .input(new EngineEvent.EngineRestarted(AdmissionSettings.defaults()))
                .queue(accepted);
        Batch first = leader.batch();
        leader.commit();
        StoreConfigurations.putTeam(store, "team-b");
        Workload workload = accepted.workload();
        leader.change(
                workload,
                List.of(),
                new WorkloadStatus(
                        PENDING,
                        "side",
                        null,
                        "serving",
                        1000,
                        true,
                        workload.createdAt(),
                        null,
                        null,
                        0,
                        false,
                        List.of(),
                        null,
                        0,
                        null,
                        null));
        StoreConfigurations.everyEntry(workload).forEach(entry -> {
            switch (entry) {
                case EngineEvent event -> leader.input(event);
                case Decision decision -> leader.decide(decision);
                default -> throw new IllegalStateException("neither event nor decision: " + entry);
            }
        });
        Batch second = leader.batch();
        leader.commit();

        List<LoggedBatch> replayed = new ArrayList<>();
        store.replay().replay(replayed::add);

        assertThat(replayed).extracting(LoggedBatch::number).containsExactly(1L, 2L);
        assertThat(replayed.get(0).entries()).isEqualTo(first.entries());
        assertThat(replayed.get(1).entries()).isEqualTo(second.entries());
    }

    @Test
    void configuration_comes_back_as_it_was_written() {
        Stored written = store.configuration().edit("admin", stored -> StoreConfigurations.oneOfEverything());

        Stored read = store.configuration().read();
        assertThat(read).isEqualTo(written);
        Configuration expected =
                ConfigurationChange.applied(Configuration.EMPTY, StoreConfigurations.oneOfEverything());
        assertThat(read.configuration().clusterQueues()).isEqualTo(expected.clusterQueues());
        // equal by value is not enough: 4.0 must not come back as 4
        assertThat(read.configuration().toString())
                .isEqualTo(expected.toString().replace("version=0", "version=1"));
        assertThat(store.scheduling().configuration()).isEqualTo(read.configuration());
        assertThat(store.scheduling().load().configuration()).isEqualTo(read.configuration());
        assertThat(read.version(ConfigurationKind.LOCAL_QUEUE, "team-a/main"))
                .isNotNull()
                .extracting(ObjectVersion::generation)
                .isEqualTo(1L);
    }

    @Test
    void an_edit_that_changes_nothing_takes_no_version() {
        store.configuration().edit("admin", stored -> StoreConfigurations.oneOfEverything());

        Stored after = store.configuration().edit("admin", stored -> StoreConfigurations.oneOfEverything());

        assertThat(after.configuration().version()).isEqualTo(1);
    }

    @Test
    void an_edit_takes_one_version_and_marks_only_what_it_changed() {
        store.configuration().edit("admin", stored -> StoreConfigurations.oneOfEverything());

        Stored after = store.configuration()
                .edit(
                        "admin",
                        stored -> List.of(
                                new ConfigurationChange.PutClusterQueue(
                                        StoreConfigurations.clusterQueue("team-a", "research", "24")),
                                new ConfigurationChange.PutClusterQueue(
                                        StoreConfigurations.clusterQueue("team-b", "research", "8")),
                                new ConfigurationChange.Delete(ConfigurationKind.TEAM, "team-a"),
                                new ConfigurationChange.Delete(ConfigurationKind.TEAM, "nobody")));

        assertThat(after.configuration().version()).isEqualTo(2);
        assertThat(generation(after, ConfigurationKind.CLUSTER_QUEUE, "team-a")).isEqualTo(2);
        assertThat(generation(after, ConfigurationKind.CLUSTER_QUEUE, "team-b")).isEqualTo(2);
        assertThat(generation(after, ConfigurationKind.COHORT, "research")).isEqualTo(1);
        assertThat(after.version(ConfigurationKind.TEAM, "team-a")).isNull();
        assertThat(after.configuration().teams()).isEmpty();
    }

    private static long generation(Stored stored, ConfigurationKind kind, String key) {
        return Objects.requireNonNull(stored.version(kind, key)).generation();
    }

    @Test
    void an_object_that_is_deleted_and_made_again_has_a_generation_of_its_own() {
        StoreConfigurations.putTeam(store, "team-a");
        store.configuration()
                .edit("admin", stored -> List.of(new ConfigurationChange.Delete(ConfigurationKind.TEAM, "team-a")));
        StoreConfigurations.putTeam(store, "team-a");

        assertThat(generation(store.configuration().read(), ConfigurationKind.TEAM, "team-a"))
                .isEqualTo(3);
    }

    @Test
    void an_edit_that_throws_writes_nothing() {
        assertThatThrownBy(() -> store.configuration().edit("admin", stored -> {
                    throw new IllegalArgumentException("cycle");
                }))
                .hasMessage("cycle");
        assertThat(store.configuration().read().configuration().version()).isZero();
    }

    @Test
    void pages_go_on_where_the_last_one_ended_in_every_order() {
        store.configuration().edit("admin", stored -> StoreConfigurations.oneOfEverything());
        List<Workload> all = new ArrayList<>();
        for (String name : List.of("delta", "alpha", "echo", "bravo", "charlie")) {
            all.add(leader.queued(name));
        }
        leader.admit(all.get(2), 1).commit();

        assertThat(names(EVERYTHING, Sort.CREATED_ASCENDING))
                .containsExactly("delta", "alpha", "echo", "bravo", "charlie");
        assertThat(names(EVERYTHING, Sort.CREATED_DESCENDING))
                .containsExactly("charlie", "bravo", "echo", "alpha", "delta");
        assertThat(names(EVERYTHING, Sort.NAME_ASCENDING))
                .containsExactly("alpha", "bravo", "charlie", "delta", "echo");
        assertThat(names(EVERYTHING, Sort.PRIORITY_DESCENDING))
                .containsExactly("delta", "alpha", "echo", "bravo", "charlie");
        Filter waiting =
                new Filter("team-a", "team-a", "team-a", List.of(PENDING), "batch", "h100.gpu.example.com", null);
        assertThat(names(waiting, Sort.CREATED_ASCENDING)).containsExactly("delta", "alpha", "bravo", "charlie");
        assertThat(names(named("bravo"), Sort.CREATED_ASCENDING)).containsExactly("bravo");
        assertThat(store.workloads().counts(waiting))
                .containsExactlyInAnyOrderEntriesOf(Map.of(PENDING, 4L, ADMITTED, 1L));
        assertThat(store.workloads()
                        .page(EVERYTHING, Sort.NAME_ASCENDING, 5, null)
                        .next())
                .isNull();
        assertThatThrownBy(() -> store.workloads().page(EVERYTHING, Sort.NAME_ASCENDING, 5, "nonsense"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static final Filter EVERYTHING = named(null);

    private static Filter named(@Nullable String name) {
        return new Filter(null, null, null, List.of(), null, null, name);
    }

    private List<String> names(Filter filter, Sort sort) {
        List<String> names = new ArrayList<>();
        String after = null;
        do {
            Page<WorkloadRow> page = store.workloads().page(filter, sort, 2, after);
            page.items().forEach(row -> names.add(row.workload().name()));
            after = page.next();
        } while (after != null);
        return names;
    }
}
