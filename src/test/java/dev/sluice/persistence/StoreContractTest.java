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

import dev.sluice.admission.CheckStatus;
import dev.sluice.admission.LocalQueueUsage;
import dev.sluice.admission.Particulars;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.overview.WorkloadRow;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.Team;
import dev.sluice.scheduling.Batch.WorkloadChange;
import dev.sluice.scheduling.Command;
import dev.sluice.scheduling.CommandOutcome;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.ConfigurationMoved;
import dev.sluice.scheduling.Deposed;
import dev.sluice.scheduling.LeadershipStore.Leadership;
import dev.sluice.scheduling.QueuedCommand;
import dev.sluice.scheduling.SchedulingStore.Snapshot;
import dev.sluice.scheduling.SchedulingStore.StoredWorkload;
import dev.sluice.scheduling.Submission;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store promises about what is written: submissions, commands, batches, the lead. */
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
        List<PodSet> others = List.of(PodSet.of("main", 7, Map.of("cpu", 500L)));
        long shape = store.intake().enqueue(new Command.ChangePodSets(id, others), "bob");
        long active = store.intake().enqueue(new Command.ChangeActivation(id, false), "bob");

        assertThat(store.scheduling().commands(Set.of(), 10))
                .containsExactly(
                        new QueuedCommand(accepted.commandId(), new Command.Submit(accepted.workload(), null), "alice"),
                        new QueuedCommand(cancel, new Command.Cancel(id), "alice"),
                        new QueuedCommand(priority, new Command.ChangePriorityClass(id, null), "bob"),
                        new QueuedCommand(queue, new Command.ChangeQueue(id, "side"), "bob"),
                        new QueuedCommand(shape, new Command.ChangePodSets(id, others), "bob"),
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
                .containsExactly(queue, shape, active);
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
                "flavor=2",
                new Particulars(
                        new TreeMap<>(Map.of("main", 1)),
                        new TreeMap<>(Map.of("main", 3)),
                        workload.createdAt().plusSeconds(3),
                        workload.createdAt().plusSeconds(4),
                        Duration.ofMillis(90_061_001),
                        "team-a",
                        2,
                        4,
                        "an admission webhook said \"no\"",
                        workload.createdAt().plusSeconds(5),
                        workload.createdAt().plusSeconds(5),
                        true,
                        new TreeMap<>(Map.of(
                                "budget",
                                new CheckStatus(
                                        CheckStatus.State.READY, "fine", 2, List.of(StoreStory.podSetUpdate())))),
                        workload.createdAt().plusSeconds(6),
                        List.of(new WorkloadId("p")),
                        2,
                        workload.podSets()));
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
    void what_local_queues_used_is_kept_to_the_last_digit_until_it_is_forgotten() {
        Instant at = store.scheduling().now();
        LocalQueueUsage used = new LocalQueueUsage(
                "team-a/train", new TreeMap<>(Map.of("cpu", 2.3431457505076194, "memory", 1e15)), at);
        leader.use(used, new LocalQueueUsage("team-b/train", new TreeMap<>(Map.of("cpu", 0.1)), at))
                .commit();
        LocalQueueUsage later = new LocalQueueUsage(
                "team-a/train", new TreeMap<>(Map.of("cpu", 2.3431457505076194 * 0.1)), at.plusSeconds(1));
        leader.use(later, new LocalQueueUsage("team-b/train", new TreeMap<>(), at))
                .commit();

        assertThat(store.scheduling().load().usages()).containsExactly(later);
    }

    @Test
    void a_start_is_told_on_which_configuration_the_last_batch_was_decided() {
        assertThat(store.scheduling().load().decidedOn().version()).isZero();
        putTeam("before");
        leader.queued("train");
        Configuration decidedOn = store.scheduling().configuration();
        putTeam("edited while nobody led");

        Snapshot snapshot = store.scheduling().load();

        assertThat(snapshot.decidedOn()).isEqualTo(decidedOn);
        assertThat(snapshot.configuration()).isEqualTo(store.scheduling().configuration());
        assertThat(snapshot.configuration().version()).isGreaterThan(decidedOn.version());
    }

    private void putTeam(String displayName) {
        store.configuration()
                .edit(
                        "alice",
                        stored -> List.of(new ConfigurationChange.PutTeam(new Team("a", displayName, List.of()))));
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
}
