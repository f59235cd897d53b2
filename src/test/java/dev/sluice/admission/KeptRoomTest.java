package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What somebody at the front keeps for itself, from whom, and from whom not. */
@Tag("core")
class KeptRoomTest {
    private static final Duration GUARD = Duration.ofMinutes(10);

    private static AdmissionSettings guarding() {
        return AdmissionSettings.defaults().with(new OrderKeeping(true, GUARD));
    }

    private static ClusterBuilder ownerAndBorrower() {
        return aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue(
                                        "owner",
                                        queue -> queue.quota("gpus", GPU, "4").quota("cpus", "cpu", "10"))
                                .queue("borrower", queue -> queue.quota("cpus", "cpu", "0")));
    }

    /** Five of ten CPUs are free; a gang that waited for long lacks GPUs and keeps four CPUs. */
    private static EngineStory aGangKeepsFourOfFive() {
        EngineStory story = EngineStory.on(ownerAndBorrower().build(), guarding());
        story.submit(
                aWorkload("runs").in("owner").gpus(4).asks("cpu", "2"),
                aWorkload("two").in("owner").asks("cpu", "2"),
                aWorkload("one").in("owner").asks("cpu", "1"));
        story.submit(aWorkload("gang").in("owner").gpus(4).asks("cpu", "4"));
        story.after(GUARD);
        return story;
    }

    @Test
    void who_finds_too_little_beside_what_a_gang_keeps_is_told_so_and_is_in_no_other_queues_way() {
        EngineStory story = aGangKeepsFourOfFive();
        story.submit(aWorkload("behind").in("owner").asks("cpu", "3"));
        story.submit(aWorkload("elsewhere").in("borrower").asks("cpu", "2"));
        assertThat(story.reason("behind"))
                .isEqualTo(new WaitReason.BlockedByEarlier(
                        story.id("gang"), new WaitReason.QuotaExhausted(GPU, "gpus", 4, 0, 4)));
        story.finish("one");
        assertThat(story.running())
                .as("two are free beside what the gang keeps: enough for one that borrows, not for behind")
                .containsExactly("runs", "two", "elsewhere");
        assertThat(story.reason("behind"))
                .isEqualTo(new WaitReason.BlockedByEarlier(
                        story.id("gang"), new WaitReason.QuotaExhausted(GPU, "gpus", 4, 0, 4)));
    }

    @Test
    void who_finds_enough_beside_what_a_gang_keeps_starts() {
        EngineStory story = aGangKeepsFourOfFive();
        story.submit(aWorkload("behind").in("owner").asks("cpu", "3"));
        story.finish("two");
        assertThat(story.running()).containsExactly("runs", "one", "behind");
        story.finish("runs");
        assertThat(story.running()).containsExactly("one", "gang", "behind");
    }

    @Test
    void just_enough_for_one_that_comes_after_is_not_too_little() {
        EngineStory story = aGangKeepsFourOfFive();
        story.submit(aWorkload("exactly").in("owner").asks("cpu", "5"));
        assertThat(story.reason("exactly"))
                .as("five are free, and four of them are kept")
                .isEqualTo(new WaitReason.BlockedByEarlier(
                        story.id("gang"), new WaitReason.QuotaExhausted(GPU, "gpus", 4, 0, 4)));
    }

    @Test
    void where_the_front_leaves_nothing_nobody_behind_it_is_in_another_queues_way() {
        EngineStory story = EngineStory.on(
                aCluster()
                        .cohort(
                                "lab",
                                lab -> lab.queue("owner", queue -> queue.gpus(8).borrowAtMost(0))
                                        .queue("lender", 2)
                                        .queue("borrower", 0))
                        .build(),
                guarding());
        story.submit(
                aWorkload("runs").in("owner").gpus(6),
                aWorkload("small").in("owner").gpus(2),
                aWorkload("lent").in("borrower").gpus(2));
        story.submit(aWorkload("behind").in("owner").gpus(2));
        story.submit(aWorkload("gang").in("owner").gpus(8).priority(1));
        story.submit(aWorkload("elsewhere").in("borrower").gpus(2));
        story.after(GUARD);
        story.finish("small", "lent");
        assertThat(story.running())
                .as("what its owner has free the gang keeps, and the rest is for others to borrow")
                .containsExactly("runs", "elsewhere");
    }

    @Test
    void where_the_front_leaves_nothing_who_needs_nothing_starts_and_the_others_are_told_whom_they_wait_for() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", queue -> queue.gpus(8).preemptsLower()).build(), guarding());
        story.submit(
                aWorkload("firm").in("q").gpus(6).priority(9),
                aWorkload("small").in("q").gpus(1));
        story.submit(aWorkload("gang").in("q").gpus(8).priority(8));
        story.after(GUARD);
        story.submit(aWorkload("behind").in("q").gpus(1).priority(5));
        story.submit(aWorkload("none").in("q").asks(GPU, "0"));
        assertThat(story.running()).containsExactly("firm", "small", "none");
        assertThat(story.reason("behind"))
                .isEqualTo(new WaitReason.BlockedByEarlier(
                        story.id("gang"), new WaitReason.QuotaExhausted(GPU, "default", 8, 1, 7)));
        story.cancel("gang");
        assertThat(story.running()).containsExactly("firm", "small", "behind", "none");
    }

    private static ClusterBuilder ofFourGpusAndFiveCpus() {
        return aCluster()
                .queue(
                        "q",
                        queue -> queue.quota("gpus", GPU, "4")
                                .quota("cpus", "cpu", "5")
                                .reclaimsAny());
    }

    /** One of higher priority that has not waited for long stands before the gang, and asks for nothing of what it keeps. */
    @Test
    void a_gang_keeps_its_room_over_an_edit_and_whoever_waited_for_that_starts_when_it_goes() {
        EngineStory story = EngineStory.on(ofFourGpusAndFiveCpus().build(), guarding());
        story.submit(aWorkload("runs").in("q").gpus(4));
        story.submit(aWorkload("gang").in("q").gpus(4).asks("cpu", "4"));
        story.after(GUARD);
        story.submit(aWorkload("behind").in("q").asks("cpu", "3"));
        story.submit(aWorkload("urgent").in("q").gpus(4).priority(9));
        story.configure(ofFourGpusAndFiveCpus().priorityClass("other", 3).version(2));
        assertThat(story.running()).containsExactly("runs");
        story.cancel("gang");
        assertThat(story.running()).containsExactly("runs", "behind");
    }

    /** The gang is looked at in every cycle here, for what it might preempt for is kept from other queues, too. */
    @Test
    void whoever_waited_for_a_gang_that_goes_just_after_an_edit_starts() {
        EngineStory story = aGangKeepsFourOfFive();
        story.submit(aWorkload("behind").in("owner").asks("cpu", "3"));
        story.step(
                new EngineEvent.ConfigurationReplaced(
                        ownerAndBorrower().priorityClass("other", 3).version(2).build()),
                new EngineEvent.CancelRequested(story.id("gang")));
        assertThat(story.running()).containsExactly("runs", "two", "one", "behind");
    }

    // The head of a strict queue keeps what it would preempt for, from the whole tree

    private static EngineStory aStrictHeadThatMayNotPreempt() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue(
                                        "strict",
                                        queue -> queue.quota("gpus", GPU, "4")
                                                .quota("cpus", "cpu", "4")
                                                .preemptsLower()
                                                .reclaimsLower()
                                                .strict())
                                .queue(
                                        "other",
                                        queue -> queue.quota("gpus", GPU, "0").quota("cpus", "cpu", "0"))));
        story.submit(aWorkload("runs").in("other").gpus(2).priority(9));
        story.submit(aWorkload("head").in("strict").gpus(4));
        return story;
    }

    @Test
    void a_strict_head_keeps_its_own_quota_from_borrowers_while_one_behind_it_passes() {
        EngineStory story = aStrictHeadThatMayNotPreempt();
        story.submit(
                aWorkload("passes").in("strict").asks("cpu", "4"),
                aWorkload("borrows").in("other").gpus(2));
        assertThat(story.running()).containsExactly("runs", "passes");
        story.cancel("head");
        assertThat(story.running()).containsExactly("runs", "passes", "borrows");
    }

    @Test
    void one_behind_a_strict_head_that_waits_for_something_else_keeps_its_order_and_nothing_from_other_queues() {
        EngineStory story = aStrictHeadThatMayNotPreempt();
        story.submit(aWorkload("has-cpus").in("other").asks("cpu", "3").priority(9));
        story.submit(
                aWorkload("second").in("strict").asks("cpu", "2"),
                aWorkload("third").in("strict").asks("cpu", "1"),
                aWorkload("borrows").in("other").asks("cpu", "1"));
        assertThat(story.running())
                .as("third keeps its order behind second")
                .containsExactly("runs", "has-cpus", "borrows");
    }

    @Test
    void what_a_strict_head_could_never_get_it_keeps_from_nobody() {
        EngineStory story = EngineStory.on(aCluster()
                .queue(
                        "q",
                        queue -> queue.quota("gpus", GPU, "4")
                                .quota("cpus", "cpu", "8")
                                .strict()));
        story.submit(aWorkload("runs").in("q").gpus(2));
        story.submit(aWorkload("never").in("q").gpus(5).asks("cpu", "8"));
        story.submit(
                aWorkload("gpus").in("q").gpus(2), aWorkload("cpus").in("q").asks("cpu", "1"));
        assertThat(story.running())
                .as("GPUs it can never have; CPUs it keeps as long as it stands there")
                .containsExactly("runs", "gpus");
        assertThat(story.reason("never").isNever()).isTrue();
    }

    @Test
    void nobody_is_preempted_for_one_behind_a_front_on_what_the_front_keeps() {
        EngineStory story = EngineStory.on(aCluster()
                .queue(
                        "q",
                        queue -> queue.quota("gpus", GPU, "4")
                                .quota("cpus", "cpu", "8")
                                .preemptsLower()
                                .strict()));
        story.submit(aWorkload("firm").in("q").gpus(2).priority(9));
        story.submit(aWorkload("low").in("q").gpus(2));
        story.submit(aWorkload("head").in("q").gpus(4).priority(5));
        story.submit(aWorkload("behind").in("q").gpus(1).priority(4));
        assertThat(story.in(WorkloadState.EVICTING)).isEmpty();
        assertThat(story.running()).containsExactly("firm", "low");
    }

    @Test
    void who_could_preempt_stays_behind_a_front_that_may_not_where_both_need_the_same() {
        EngineStory story = EngineStory.on(
                aCluster()
                        .queue(
                                "q",
                                queue -> queue.quota("gpus", GPU, "8")
                                        .quota("cpus", "cpu", "8")
                                        .preemptsLower()
                                        .goesByUsage()
                                        .strict())
                        .localQueue("heavy", "q", "1")
                        .localQueue("light", "q", "1")
                        .build(),
                AdmissionSettings.defaults());
        story.submit(aWorkload("five").in("heavy").gpus(8).asks("cpu", "7").priority(5));
        story.submit(aWorkload("front").in("light").gpus(2).priority(1));
        story.submit(aWorkload("nine").in("heavy").gpus(4).priority(9));
        assertThat(story.in(WorkloadState.EVICTING)).isEmpty();
        story.submit(aWorkload("other").in("heavy").asks("cpu", "2").priority(9));
        assertThat(story.in(WorkloadState.EVICTING))
                .as("of CPUs the front needs none")
                .containsExactly("five");
    }
}
