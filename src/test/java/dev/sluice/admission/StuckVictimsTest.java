package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.admission.StuckVictims.Then;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A victim that was told to leave and does not end: who is told, and what whoever waits for its room does. */
@Tag("core")
class StuckVictimsTest {
    private static final Duration AFTER = Duration.ofMinutes(10);

    private static ClusterBuilder ownerAndBorrowers() {
        return aCluster()
                .cohort(
                        "x",
                        x -> x.queue("owner", queue -> queue.gpus(4).reclaimsAny())
                                .queue("other", queue -> queue.gpus(4).reclaimsAny())
                                .queue("borrower", queue -> queue.gpus(0)));
    }

    private static EngineStory under(ClusterBuilder cluster, AdmissionSettings settings) {
        return EngineStory.on(cluster.build(), settings.with(StartRetries.KUEUE).with(OrderKeeping.KUEUE));
    }

    private static EngineStory choosing() {
        return under(ownerAndBorrowers(), AdmissionSettings.defaults().with(choosesAnother()));
    }

    private static StuckVictims choosesAnother() {
        return new StuckVictims(AFTER, Then.CHOOSE_ANOTHER);
    }

    /** Two borrow four each, and the owner of four takes back what is its own. Returns when the second was told to leave. */
    private static Instant ownerTakesBack(EngineStory story) {
        story.submit(aWorkload("b1").in("borrower").gpus(4));
        story.submit(aWorkload("b2").in("borrower").gpus(4));
        story.submit(aWorkload("task").in("owner").gpus(4));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("b2");
        return story.now();
    }

    private static int stuck(EngineStory story, String queue) {
        return Objects.requireNonNull(story.engine().usage().queues().get(queue))
                .stuck();
    }

    @Test
    void by_default_people_are_told_once_and_the_preemptor_waits_on() {
        EngineStory story =
                under(ownerAndBorrowers(), AdmissionSettings.defaults().with(new StuckVictims(AFTER, Then.WAIT)));
        Instant told = ownerTakesBack(story);

        assertThat(story.engine().nextTimer()).contains(told.plus(AFTER));
        assertThat(story.at(told.plus(AFTER).minusSeconds(1))).isEmpty();
        assertThat(story.reason("task")).isEqualTo(new WaitReason.AwaitingVictims(List.of(story.id("b2"))));
        assertThat(story.at(told.plus(AFTER))).containsExactly(new Decision.Stuck(story.id("b2"), "borrower", told));
        assertThat(story.reason("task"))
                .isEqualTo(new WaitReason.AwaitingVictims(
                        List.of(story.id("b2")), new TreeMap<>(Map.of(story.id("b2"), told))));
        assertThat(stuck(story, "borrower")).isEqualTo(1);
        assertThat(story.engine().nextTimer()).isEmpty();
        assertThat(story.after(Duration.ofHours(5))).isEmpty();

        story.gone("b2");
        assertThat(story.running()).containsExactly("b1", "task");
        assertThat(stuck(story, "borrower")).isZero();
    }

    @Test
    void the_default_is_a_quarter_of_an_hour_and_to_wait() {
        EngineStory story = under(ownerAndBorrowers(), AdmissionSettings.defaults());
        Instant told = ownerTakesBack(story);
        assertThat(story.engine().nextTimer()).contains(told.plus(Duration.ofMinutes(15)));
        story.at(told.plus(Duration.ofMinutes(15)));
        assertThat(story.running()).containsExactly("b1");
    }

    @Test
    void parity_waits_and_tells_nobody_as_kueue_does() {
        EngineStory story = under(ownerAndBorrowers(), AdmissionSettings.kueueParity());
        story.submit(aWorkload("b1").in("borrower").gpus(4));
        story.submit(aWorkload("b2").in("borrower").gpus(4));
        story.submit(aWorkload("task").in("owner").gpus(4));
        assertThat(story.engine().nextTimer()).isEmpty();
        assertThat(story.after(Duration.ofDays(7))).isEmpty();
        assertThat(story.running()).hasSize(1);
    }

    @Test
    void by_policy_another_is_chosen_and_the_stuck_one_keeps_what_it_occupies() {
        EngineStory story = choosing();
        Instant told = ownerTakesBack(story);

        List<Decision> decided = story.at(told.plus(AFTER));

        assertThat(decided)
                .containsExactly(
                        new Decision.Stuck(story.id("b2"), "borrower", told),
                        new Decision.DropEarmark(story.id("task"), "it waited for b2, and that does not end"),
                        new Decision.Preempt(
                                story.id("task"),
                                Objects.requireNonNull(
                                        story.status("task").orElseThrow().assignment()),
                                List.of(new Decision.Victim(
                                        story.id("b1"), EvictionReason.IN_COHORT_RECLAMATION, "x"))));
        assertThat(story.reason("task")).isEqualTo(new WaitReason.AwaitingVictims(List.of(story.id("b1"))));
        assertThat(story.gpus("borrower")).as("what b2 still occupies").isEqualTo(4);
        story.gone("b1");
        assertThat(story.running()).containsExactly("task");
        story.submit(aWorkload("next").in("other").gpus(4));
        assertThat(story.state("next")).as("the rest is b2's until it ends").isEqualTo(WorkloadState.PENDING);
        story.gone("b2");
        assertThat(story.running()).containsExactly("task", "next");
        assertThat(story.state("b2")).isEqualTo(WorkloadState.PENDING);
    }

    @Test
    void where_nobody_else_can_go_it_waits_as_for_work_that_runs_and_says_who_is_in_its_way() {
        EngineStory story = choosing();
        story.submit(aWorkload("b").in("borrower").gpus(8));
        story.submit(aWorkload("task").in("owner").gpus(4));
        Instant told = story.now();

        story.at(told.plus(AFTER));

        assertThat(story.reason("task")).isInstanceOf(WaitReason.QuotaExhausted.class);
        assertThat(story.engine()
                        .explain(story.id("task"), story.now())
                        .orElseThrow()
                        .requirements()
                        .getFirst()
                        .flavors()
                        .getFirst()
                        .blockedBy())
                .extracting(Explanation.Holder::workload)
                .containsExactly(story.id("b"));
        story.finish("b");
        assertThat(story.running()).containsExactly("task");
    }

    @Test
    void what_others_free_goes_first_to_who_is_first_in_line() {
        EngineStory story = under(
                aCluster().queue("q", queue -> queue.gpus(8).preemptsLower()),
                AdmissionSettings.defaults().with(choosesAnother()));
        story.submit(aWorkload("lo1").in("q").gpus(4));
        story.submit(aWorkload("lo2").in("q").gpus(4).priority(1));
        story.submit(aWorkload("hi").in("q").gpus(4).priority(10));
        Instant told = story.now();
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lo1");
        story.after(Duration.ofMinutes(5));
        story.submit(aWorkload("mid").in("q").gpus(4).priority(5));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lo1", "lo2");

        assertThat(story.at(told.plus(AFTER)))
                .containsExactly(
                        new Decision.Stuck(story.id("lo1"), "q", told),
                        new Decision.DropEarmark(story.id("mid"), "others go first to what gets free"));
        assertThat(story.reason("hi")).isEqualTo(new WaitReason.AwaitingVictims(List.of(story.id("lo2"))));
        story.gone("lo2");
        assertThat(story.running()).containsExactly("hi");
        story.gone("lo1");
        assertThat(story.running()).containsExactly("hi", "mid");
    }

    @Test
    void one_that_is_cancelled_and_does_not_end_is_told_of_although_nobody_waits_for_it() {
        EngineStory story = choosing();
        story.submit(aWorkload("b1").in("borrower").gpus(4));
        story.cancel("b1");
        Instant told = story.now();
        assertThat(story.at(told.plus(AFTER))).containsExactly(new Decision.Stuck(story.id("b1"), "borrower", told));
        assertThat(story.gpus("borrower")).isEqualTo(4);
        story.gone("b1");
        assertThat(story.status("b1")).isEmpty();
        assertThat(story.gpus("borrower")).isZero();
    }

    @Test
    void one_that_ends_in_time_is_told_of_only_in_its_next_eviction() {
        EngineStory story = choosing();
        ownerTakesBack(story);
        story.gone("b2");
        assertThat(story.engine().nextTimer()).isEmpty();
        assertThat(story.after(Duration.ofHours(1))).isEmpty();
        story.finish("task");
        assertThat(story.running()).containsExactly("b1", "b2");
        story.cancel("b2");
        assertThat(story.after(AFTER)).hasSize(1).first().isInstanceOf(Decision.Stuck.class);
    }

    @Test
    void a_stuck_one_is_not_chosen_again_by_shares_either() {
        EngineStory story = under(
                ownerAndBorrowers(),
                AdmissionSettings.defaults().with(FairSharing.ON).with(choosesAnother()));
        Instant told = ownerTakesBack(story);
        story.at(told.plus(AFTER));
        assertThat(story.reason("task")).isEqualTo(new WaitReason.AwaitingVictims(List.of(story.id("b1"))));
        assertThat(story.engine().ledgerDrift()).isEmpty();
    }

    @Test
    void pods_of_a_stuck_one_that_end_free_quota_at_once() {
        EngineStory story = choosing();
        story.submit(aWorkload("b").in("borrower").gpus(2).pods(4));
        story.submit(aWorkload("task").in("owner").gpus(4));
        story.at(story.now().plus(AFTER));
        assertThat(story.state("task")).isEqualTo(WorkloadState.PENDING);
        story.step(new EngineEvent.PodsReclaimable(story.id("b"), new TreeMap<>(Map.of("main", 2))));
        assertThat(story.running()).containsExactly("task");
        assertThat(story.gpus("borrower")).isEqualTo(4);
    }

    // Restarts

    @Test
    void a_restored_engine_tells_at_the_same_time_and_chooses_the_same() {
        EngineStory story = choosing();
        Instant told = ownerTakesBack(story);

        Engine restored = restored(story, choosesAnother());
        assertThat(restored.nextTimer()).contains(told.plus(AFTER));
        assertThat(restored.decide(told.plus(AFTER)))
                .isEqualTo(story.at(told.plus(AFTER)))
                .hasSize(3);
    }

    @Test
    void after_a_restart_a_stuck_one_is_not_told_of_again_and_still_counts_as_one_that_stays() {
        EngineStory story = choosing();
        Instant told = ownerTakesBack(story);
        story.at(told.plus(AFTER));
        story.gone("b1");

        Engine restored = restored(story, choosesAnother());
        assertThat(restored.decide(story.now())).isEmpty();
        assertThat(restored.usage()).isEqualTo(story.engine().usage());
        assertThat(restored.nextTimer()).isEmpty();
        story.submit(aWorkload("next").in("other").gpus(4));
        assertThat(story.state("next")).isEqualTo(WorkloadState.PENDING);
    }

    @Test
    void the_policy_of_a_restart_counts_for_those_that_are_stuck_already() {
        EngineStory story =
                under(ownerAndBorrowers(), AdmissionSettings.defaults().with(new StuckVictims(AFTER, Then.WAIT)));
        Instant told = ownerTakesBack(story);
        story.at(told.plus(AFTER));

        AdmissionSettings other = story.engine().settings().with(choosesAnother());
        List<Decision> decided = story.step(new EngineEvent.EngineRestarted(other));
        assertThat(decided).hasSize(2).first().isInstanceOf(Decision.DropEarmark.class);
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("b1", "b2");

        // Told to wait again, one counts on the other's end as well.
        AdmissionSettings waits = other.with(new StuckVictims(AFTER, Then.WAIT));
        story.step(new EngineEvent.EngineRestarted(waits));
        assertThat(story.gpus("borrower")).isZero();
        story.gone("b2");
        assertThat(story.running()).containsExactly("task");
    }

    @Test
    void who_left_before_anybody_was_told_of_such_has_the_time_from_the_restart_on() {
        EngineStory story =
                under(ownerAndBorrowers(), AdmissionSettings.defaults().with(StuckVictims.OFF));
        ownerTakesBack(story);
        assertThat(story.engine().nextTimer()).isEmpty();
        story.after(Duration.ofHours(1));

        story.step(new EngineEvent.EngineRestarted(story.engine().settings().with(choosesAnother())));
        Instant restart = story.now();
        assertThat(story.engine().nextTimer()).contains(restart.plus(AFTER));
        assertThat(story.at(restart.plus(AFTER))).contains(new Decision.Stuck(story.id("b2"), "borrower", restart));
    }

    @Test
    void a_new_configuration_does_not_make_anybody_forget_who_is_stuck() {
        EngineStory story = choosing();
        Instant told = ownerTakesBack(story);
        story.configure(ownerAndBorrowers().priorityClass("unrelated", 7));
        assertThat(story.engine().nextTimer()).contains(told.plus(AFTER));
        story.at(told.plus(AFTER));
        story.configure(ownerAndBorrowers().priorityClass("unrelated", 8));
        assertThat(story.gpus("borrower")).isEqualTo(4);
        assertThat(story.reason("task")).isEqualTo(new WaitReason.AwaitingVictims(List.of(story.id("b1"))));
        assertThat(story.engine().nextTimer()).contains(told.plus(AFTER).plus(AFTER));
    }

    private static Engine restored(EngineStory story, StuckVictims policy) {
        Engine engine = new Engine(story.engine().settings().with(policy));
        engine.apply(new EngineEvent.ConfigurationReplaced(story.engine().configuration()), story.now());
        for (String name : List.of("b1", "b2", "task")) {
            WorkloadId id = story.id(name);
            story.engine()
                    .workload(id)
                    .ifPresent(workload -> engine.apply(
                            new EngineEvent.WorkloadRestored(
                                    workload, story.status(name).orElseThrow()),
                            story.now()));
        }
        engine.apply(new EngineEvent.EngineRestarted(engine.settings()), story.now());
        return engine;
    }

    @Test
    void a_time_in_the_past_is_no_time() {
        assertThatThrownBy(() -> new StuckVictims(Duration.ofSeconds(-1), Then.WAIT))
                .hasMessageContaining("PT-1S");
    }
}
