package dev.sluice.persistence;

import static dev.sluice.persistence.StoreStory.ended;
import static dev.sluice.persistence.StoreStory.holding;
import static dev.sluice.persistence.StoreStory.pending;
import static dev.sluice.persistence.StoreStory.submission;
import static dev.sluice.workload.WorkloadState.ADMITTED;
import static dev.sluice.workload.WorkloadState.CANCELLED;
import static dev.sluice.workload.WorkloadState.EVICTING;
import static dev.sluice.workload.WorkloadState.PENDING;
import static dev.sluice.workload.WorkloadState.RUNNING;
import static dev.sluice.workload.WorkloadState.SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import dev.sluice.scheduling.Batch.WorkloadChange;
import dev.sluice.scheduling.Command;
import dev.sluice.scheduling.CommandOutcome;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.ConfigurationKind;
import dev.sluice.scheduling.ConfigurationMoved;
import dev.sluice.scheduling.ConfigurationStore.ObjectVersion;
import dev.sluice.scheduling.ConfigurationStore.Stored;
import dev.sluice.scheduling.Deposed;
import dev.sluice.scheduling.LeadershipStore.Leadership;
import dev.sluice.scheduling.QueuedCommand;
import dev.sluice.scheduling.ReplayReader.LoggedBatch;
import dev.sluice.scheduling.SchedulingStore.Snapshot;
import dev.sluice.scheduling.SchedulingStore.StoredWorkload;
import dev.sluice.scheduling.Submission;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store promises; a subclass says which. */
abstract class StoreContractTest {
    private static final Duration LEAD = StoreStory.LEAD;

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
    void a_submission_gets_a_sequence_and_the_stores_time_and_is_pending() {
        Submission submission = submission("train");
        Workload workload = leader.submit(submission).workload();

        WorkloadRow row = store.workloads().find(submission.id()).orElseThrow();

        assertThat(row.workload()).isEqualTo(workload);
        assertThat(row.status().state()).isEqualTo(PENDING);
        assertThat(row.status().queuedAt()).isEqualTo(workload.createdAt());
        assertThat(row.deciding()).isTrue();
        assertThat(row.cancelling()).isFalse();
        assertThat(workload.sequence()).isPositive();
    }

    @Test
    void submissions_of_one_call_are_in_sequence_as_given() {
        List<SubmissionResult> results =
                store.intake().submit(List.of(submission("zebra"), submission("ant"), submission("mole")));

        assertThat(results)
                .extracting(result ->
                        ((SubmissionResult.Accepted) result).workload().sequence())
                .isSorted()
                .doesNotHaveDuplicates();
    }

    @Test
    void a_taken_name_does_not_hinder_the_others() {
        Submission first = submission("train");
        leader.submit(first);

        List<SubmissionResult> results = store.intake()
                .submit(List.of(submission("before"), submission("train"), submission("after"), submission("after")));

        assertThat(results.get(0)).isInstanceOf(SubmissionResult.Accepted.class);
        assertThat(results.get(1)).isEqualTo(new SubmissionResult.NameTaken(first.id()));
        assertThat(results.get(2)).isInstanceOf(SubmissionResult.Accepted.class);
        WorkloadId after =
                ((SubmissionResult.Accepted) results.get(2)).workload().id();
        assertThat(results.get(3)).isEqualTo(new SubmissionResult.NameTaken(after));
    }

    @Test
    void a_name_is_free_again_once_its_workload_has_ended() {
        Workload first = leader.queued("train");
        leader.change(first, List.of(CANCELLED), ended(first, CANCELLED)).commit();

        assertThat(leader.submit(submission("train")).workload().id()).isNotEqualTo(first.id());
    }

    @Test
    void a_repeated_key_gives_the_workload_that_its_first_use_made() {
        Submission first = submission("train", "key-1", "body");
        leader.submit(first);

        List<SubmissionResult> results = store.intake()
                .submit(List.of(
                        submission("train", "key-1", "body"),
                        submission("train", "key-1", "another body"),
                        submission("other", "key-2", "body"),
                        submission("other", "key-2", "body"),
                        submission("other", "key-2", "another body")));

        WorkloadId other =
                ((SubmissionResult.Accepted) results.get(2)).workload().id();
        assertThat(results.get(0)).isEqualTo(new SubmissionResult.AlreadySubmitted(first.id()));
        assertThat(results.get(1)).isEqualTo(new SubmissionResult.KeyReused("key-1"));
        assertThat(results.get(3)).isEqualTo(new SubmissionResult.AlreadySubmitted(other));
        assertThat(results.get(4)).isEqualTo(new SubmissionResult.KeyReused("key-2"));
    }

    @Test
    void a_key_whose_submission_was_refused_may_be_used_again() {
        Workload first = leader.queued("train");
        Submission refused = submission("train", "key-1", "body");
        assertThat(store.intake().submit(List.of(refused))).containsExactly(new SubmissionResult.NameTaken(first.id()));
        leader.change(first, List.of(CANCELLED), ended(first, CANCELLED)).commit();

        assertThat(leader.submit(submission("train", "key-1", "corrected body")))
                .isInstanceOf(SubmissionResult.Accepted.class);
    }

    @Test
    void commands_come_as_stored_without_those_known_and_leave_with_their_outcome() {
        SubmissionResult.Accepted accepted = leader.submit(submission("train"));
        WorkloadId id = accepted.workload().id();
        long cancel = store.intake().enqueue(new Command.Cancel(id), "alice");
        long priority = store.intake().enqueue(new Command.ChangePriorityClass(id, null), "bob");
        long queue = store.intake().enqueue(new Command.ChangeQueue(id, "side"), "bob");
        long active = store.intake().enqueue(new Command.ChangeActivation(id, false), "bob");

        assertThat(store.scheduling().commands(Set.of(), 10))
                .containsExactly(
                        new QueuedCommand(accepted.commandId(), new Command.Submit(accepted.workload(), null), "alice"),
                        new QueuedCommand(cancel, new Command.Cancel(id), "alice"),
                        new QueuedCommand(priority, new Command.ChangePriorityClass(id, null), "bob"),
                        new QueuedCommand(queue, new Command.ChangeQueue(id, "side"), "bob"),
                        new QueuedCommand(active, new Command.ChangeActivation(id, false), "bob"));
        assertThat(store.scheduling().commands(Set.of(accepted.commandId(), queue), 2))
                .extracting(QueuedCommand::id)
                .containsExactly(cancel, priority);
        assertThat(store.workloads().find(id).orElseThrow().cancelling()).isTrue();

        leader.queue(accepted)
                .settle(cancel, "it has ended")
                .settle(priority, null)
                .commit();

        assertThat(store.intake().outcome(cancel)).contains(new CommandOutcome(cancel, "it has ended"));
        assertThat(store.intake().outcome(priority)).contains(new CommandOutcome(priority, null));
        assertThat(store.intake().outcome(queue)).isEmpty();
        assertThat(store.scheduling().commands(Set.of(), 10))
                .extracting(QueuedCommand::id)
                .containsExactly(queue, active);
        assertThat(store.workloads().find(id).orElseThrow().cancelling()).isFalse();
    }

    @Test
    void what_a_batch_writes_is_what_a_start_loads() {
        Workload workload = leader.queued("train");
        WorkloadStatus status = new WorkloadStatus(
                ADMITTED,
                "side",
                "team-b",
                "serving",
                1000,
                false,
                workload.createdAt().plusSeconds(1),
                StoreStory.assignment(),
                workload.createdAt().plusSeconds(2),
                Long.MAX_VALUE,
                true,
                List.of(new WorkloadId("v-1"), new WorkloadId("v,2")),
                PENDING,
                3,
                workload.createdAt().plusSeconds(9),
                "flavor=2");
        Instant started = workload.createdAt().plusMillis(7);
        leader.change(new WorkloadChange(
                        workload.id(), List.of(ADMITTED), status, 12, "uid-1", started, null, "not yet"))
                .commit();

        Snapshot snapshot = store.scheduling().load();

        assertThat(snapshot.workloads())
                .containsExactly(new StoredWorkload(workload, status, 12, "uid-1", null, started));
        assertThat(snapshot.batchNumber()).isEqualTo(2);
        assertThat(snapshot.logPosition()).isEqualTo(store.log().end()).isEqualTo(1);
        assertThat(snapshot.lastDecidedAt()).isNotNull();
        WorkloadRow row = store.workloads().find(workload.id()).orElseThrow();
        assertThat(row.workload()).isEqualTo(workload);
        assertThat(row.status()).isEqualTo(status);
        assertThat(row.failure()).isEqualTo("not yet");
    }

    @Test
    void a_start_loads_what_has_not_ended_or_is_still_charged_and_leaves_out_what_waits_in_the_intake() {
        Workload waiting = leader.queued("waiting");
        Workload finished = leader.queued("finished");
        Workload charged = leader.queued("charged");
        leader.admit(finished, 1).admit(charged, 2).commit();
        leader.change(finished, List.of(SUCCEEDED), ended(finished, SUCCEEDED))
                .change(charged, List.of(SUCCEEDED), holding(charged, SUCCEEDED))
                .commit();
        leader.submit(submission("not yet taken in"));

        assertThat(store.scheduling().load().workloads())
                .extracting(stored -> stored.workload().id())
                .containsExactly(waiting.id(), charged.id());
    }

    @Test
    void a_workload_may_pass_several_states_in_one_instant() {
        Workload workload = leader.queued("train");
        leader.admit(workload, 1).commit();
        leader.change(workload, List.of(EVICTING), holding(workload, EVICTING)).commit();

        leader.change(workload, List.of(PENDING, ADMITTED), holding(workload, ADMITTED))
                .commit();
        leader.change(workload, List.of(RUNNING, EVICTING, PENDING), pending(workload))
                .commit();
        leader.change(workload, List.of(ADMITTED, RUNNING, SUCCEEDED), ended(workload, SUCCEEDED))
                .commit();

        assertThat(store.workloads().find(workload.id()).orElseThrow().status().state())
                .isEqualTo(SUCCEEDED);
    }

    @Test
    void an_illegal_change_of_state_writes_nothing() {
        Workload workload = leader.queued("train");
        Workload other = leader.queued("other");
        leader.admit(other, 1).change(workload, List.of(RUNNING), holding(workload, RUNNING));

        assertThatThrownBy(leader::commit).isInstanceOf(IllegalStateException.class);

        assertThat(store.scheduling().load().workloads())
                .extracting(stored -> stored.status().state())
                .containsOnly(PENDING);
        assertThat(store.log().end()).isEqualTo(2);
    }

    @Test
    void a_batch_for_an_unknown_workload_is_a_bug() {
        Workload workload = leader.queued("train");
        WorkloadChange change =
                new WorkloadChange(new WorkloadId("nobody"), List.of(), pending(workload), 1, null, null, null, null);

        assertThatThrownBy(() -> leader.change(change).commit()).isInstanceOf(RuntimeException.class);
    }

    @Test
    void only_one_leads_at_a_time_and_every_taking_is_a_new_epoch() {
        assertThat(store.leadership().acquire("rival", LEAD)).isEmpty();
        assertThat(store.leadership().current()).contains(leader.leadership);

        Leadership again = store.leadership().acquire("leader", LEAD).orElseThrow();
        assertThat(again.epoch()).isGreaterThan(leader.leadership.epoch());

        store.leadership().resign(leader.leadership);
        assertThat(store.leadership().acquire("rival", LEAD))
                .as("resigning of an old epoch does nothing")
                .isEmpty();
        store.leadership().resign(again);
        Leadership rival = store.leadership().acquire("rival", LEAD).orElseThrow();
        assertThat(rival.epoch()).isGreaterThan(again.epoch());
        assertThat(store.leadership().current()).contains(rival);
    }

    @Test
    void a_deposed_leader_writes_nothing() {
        Workload workload = leader.queued("train");
        store.leadership().resign(leader.leadership);
        StoreStory next = new StoreStory(store, "next");

        assertThatThrownBy(() -> leader.admit(workload, 1).commit()).isInstanceOf(Deposed.class);
        assertThatThrownBy(() -> store.scheduling().renew(leader.leadership, LEAD))
                .isInstanceOf(Deposed.class);

        assertThat(store.workloads().find(workload.id()).orElseThrow().status().state())
                .isEqualTo(PENDING);
        next.admit(workload, 1).commit();
        assertThat(store.workloads().find(workload.id()).orElseThrow().status().state())
                .isEqualTo(ADMITTED);
    }

    @Test
    void a_leader_whose_time_ran_out_is_deposed_although_nobody_took_over() {
        store.scheduling().renew(leader.leadership, Duration.ZERO);

        assertThatThrownBy(() -> store.scheduling().renew(leader.leadership, LEAD))
                .isInstanceOf(Deposed.class);
        assertThat(store.leadership().acquire("rival", LEAD)).isPresent();
    }

    @Test
    void a_batch_of_an_older_configuration_is_not_written() {
        Workload workload = leader.queued("train");
        long before = store.scheduling().configurationVersion();
        StoreConfigurations.putTeam(store, "team-a");
        leader.admit(workload, 1);

        assertThatThrownBy(() -> store.scheduling().commit(leader.leadership, leader.batchOn(before), LEAD))
                .isInstanceOf(ConfigurationMoved.class);
        assertThat(store.workloads().find(workload.id()).orElseThrow().status().state())
                .isEqualTo(PENDING);

        leader.commit();
        assertThat(store.workloads().find(workload.id()).orElseThrow().status().state())
                .isEqualTo(ADMITTED);
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
                        List.of(new Decision.Victim(victim.id(), EvictionReason.IN_COHORT_RECLAMATION))))
                .change(victim, List.of(EVICTING), holding(victim, EVICTING))
                .change(preemptor, List.of(), holding(preemptor, PENDING))
                .evict(new Batch.Eviction(
                        victim.id(), "InCohortReclamation", preemptor.id(), "serving", "research", at))
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
        leader.input(configured).input(new EngineEvent.EngineRestarted()).queue(accepted);
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
