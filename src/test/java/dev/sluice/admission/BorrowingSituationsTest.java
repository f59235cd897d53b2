package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.FLAVOR;
import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadState;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who may borrow how much from whom, in situations that people met elsewhere. */
@Tag("core")
class BorrowingSituationsTest {
    @Test
    void who_is_within_its_own_quota_takes_it_back_before_an_older_one_beyond_its_limit_keeps_it() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue(
                                        "full",
                                        queue -> queue.gpus(4).borrowAtMost(0).reclaimsAny())
                                .queue("owner", queue -> queue.gpus(4).reclaimsAny())
                                .queue("borrower", 0)));
        story.submit(aWorkload("runs").in("full").gpus(4));
        story.submit(aWorkload("borrowed").in("borrower").gpus(4));
        story.submit(
                aWorkload("older").in("full").gpus(2),
                aWorkload("entitled").in("owner").gpus(4));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("borrowed");
        story.settle();
        assertThat(story.running()).containsExactly("runs", "entitled");
    }

    @Test
    void two_that_want_the_last_of_what_is_lent_do_not_both_get_it() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort("x", x -> x.owns(own -> own.gpus(4)).queue("a", 0).queue("b", 0)));
        story.submit(
                aWorkload("of-a").in("a").gpus(3), aWorkload("of-b").in("b").gpus(3));
        assertThat(story.running()).containsExactly("of-a");
        assertThat(story.reason("of-b")).isEqualTo(new WaitReason.QuotaExhausted(GPU, FLAVOR, 3, 1, 2));
    }

    @Test
    void several_queues_borrow_in_one_instant_as_long_as_there_is_something() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.owns(own -> own.gpus(4))
                                .queue("a", 0)
                                .queue("b", 0)
                                .queue("c", 0)));
        story.submit(
                aWorkload("of-a").in("a").gpus(1),
                aWorkload("of-b").in("b").gpus(2),
                aWorkload("of-c").in("c").gpus(1));
        assertThat(story.running()).containsExactly("of-a", "of-b", "of-c");
    }

    @Test
    void a_cohort_that_is_gone_takes_what_stood_below_it_out_of_the_tree() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort("root", root -> root.queue("q1", 4).cohort("mid", mid -> mid.queue("q2", 4))));
        story.configure(
                aCluster().cohort("root", root -> root.queue("q1", 4)).cohort("mid", mid -> mid.queue("q2", 4)));
        story.submit(aWorkload("w").in("q1").gpus(6));
        assertThat(story.reason("w")).isEqualTo(new WaitReason.ExceedsMaximum(GPU, FLAVOR, 6, 4));
    }

    @Test
    void the_queues_of_a_team_together_borrow_no_more_than_the_team_may() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "org",
                        org -> org.owns(own -> own.gpus(8))
                                .cohort(
                                        "team",
                                        team -> team.owns(own -> own.gpus(2).borrowAtMost(3))
                                                .queue("a", 1)
                                                .queue("b", 1))));
        for (int number = 1; number <= 5; number++) {
            story.submit(aWorkload("a" + number).in("a").gpus(1));
            story.submit(aWorkload("b" + number).in("b").gpus(1));
        }
        assertThat(story.gpus("a") + story.gpus("b")).isEqualTo(7);
        story.submit(aWorkload("eight").in("a").gpus(8));
        assertThat(story.reason("eight")).isEqualTo(new WaitReason.ExceedsMaximum(GPU, FLAVOR, 8, 7));
    }

    @Test
    void what_a_queue_never_lends_is_there_for_it_however_much_the_others_want() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue(
                                        "q1",
                                        queue -> queue.gpus(3).borrowAtMost(2).lendAtMost(1))
                                .queue(
                                        "q2",
                                        queue -> queue.gpus(3).borrowAtMost(2).lendAtMost(1))
                                .queue(
                                        "q3",
                                        queue -> queue.gpus(3).borrowAtMost(2).lendAtMost(1))));
        story.submit(aWorkload("j1").in("q1").gpus(4));
        story.submit(aWorkload("j2").in("q2").gpus(4));
        story.submit(aWorkload("j3").in("q3").gpus(2));
        assertThat(story.running()).containsExactly("j1", "j3");
        assertThat(story.reason("j2")).isEqualTo(new WaitReason.QuotaExhausted(GPU, FLAVOR, 4, 3, 1));
    }

    @Test
    void who_lends_a_part_takes_back_that_part_and_what_it_kept_was_never_gone() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue(
                                        "owner",
                                        queue -> queue.gpus(10).lendAtMost(4).reclaimsAny())
                                .queue("borrower", 0)));
        story.submit(aWorkload("b1").in("borrower").gpus(2));
        story.submit(aWorkload("b2").in("borrower").gpus(2));
        story.submit(aWorkload("b3").in("borrower").gpus(1));
        story.submit(aWorkload("own1").in("owner").gpus(6));
        assertThat(story.running()).containsExactly("b1", "b2", "own1");
        story.submit(aWorkload("own2").in("owner").gpus(2));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("b2");
        story.settle();
        assertThat(story.running()).containsExactly("b1", "own1", "own2");
    }

    private static ClusterBuilder lending(long limit) {
        return aCluster()
                .cohort(
                        "x",
                        x -> x.queue(
                                        "owner",
                                        queue -> queue.gpus(4).lendAtMost(limit).reclaimsAny())
                                .queue("borrower", 0));
    }

    @Test
    void who_lends_nothing_any_more_lets_run_what_was_lent_and_takes_it_back_when_it_needs_it() {
        EngineStory story = EngineStory.on(lending(4));
        story.submit(aWorkload("lent1").in("borrower").gpus(2));
        story.submit(aWorkload("lent2").in("borrower").gpus(1));
        story.configure(lending(0));
        story.submit(aWorkload("late").in("borrower").gpus(1));
        assertThat(story.running()).containsExactly("lent1", "lent2");
        assertThat(story.reason("late").isNever()).isTrue();
        story.submit(aWorkload("own").in("owner").gpus(4));
        story.settle();
        assertThat(story.running()).contains("own");
    }

    private static ClusterBuilder limited(long limit) {
        return aCluster()
                .cohort(
                        "x",
                        x -> x.queue("lender", 8)
                                .queue("borrower", queue -> queue.gpus(2).borrowAtMost(limit)));
    }

    @Test
    void a_higher_borrowing_limit_lets_start_who_waited_for_it_and_a_lower_one_stops_nobody() {
        EngineStory story = EngineStory.on(limited(0));
        story.submit(aWorkload("w").in("borrower").gpus(4));
        assertThat(story.reason("w")).isEqualTo(new WaitReason.ExceedsMaximum(GPU, FLAVOR, 4, 2));
        story.configure(limited(2));
        assertThat(story.running()).containsExactly("w");
        story.configure(limited(0));
        story.submit(aWorkload("next").in("borrower").gpus(1));
        assertThat(story.running()).containsExactly("w");
        assertThat(story.reason("next")).isEqualTo(new WaitReason.QuotaExhausted(GPU, FLAVOR, 1, 0, 1));
    }

    @Test
    void a_queue_that_moves_to_another_cohort_takes_its_debt_along() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort("old", old -> old.queue("moves", 2).queue("lender", 4))
                .cohort("new", other -> other.queue("neighbour", 4)));
        story.submit(aWorkload("w").in("moves").gpus(5));
        story.submit(aWorkload("of-lender").in("lender").gpus(4));
        assertThat(story.running()).containsExactly("w");
        story.configure(aCluster()
                .cohort("old", old -> old.queue("lender", 4))
                .cohort("new", other -> other.queue("moves", 2).queue("neighbour", 4)));
        assertThat(story.running()).containsExactly("w", "of-lender");
        story.submit(aWorkload("of-neighbour").in("neighbour").gpus(2));
        assertThat(story.reason("of-neighbour")).isEqualTo(new WaitReason.QuotaExhausted(GPU, FLAVOR, 2, 1, 1));
    }

    @Test
    void a_job_that_ends_in_a_full_queue_makes_room_for_its_size_and_no_more() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 2));
        story.submit(
                aWorkload("w1").in("q").gpus(1),
                aWorkload("w2").in("q").gpus(1),
                aWorkload("w3").in("q").gpus(1),
                aWorkload("w4").in("q").gpus(1));
        story.finish("w1");
        assertThat(story.running()).containsExactly("w2", "w3");
        assertThat(story.gpus("q")).isEqualTo(2);
    }

    @Test
    void a_quota_cut_below_what_runs_lends_nothing_until_it_is_worked_off() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue("a", 6).queue("b", queue -> queue.gpus(2).reclaimsAny())));
        story.submit(aWorkload("a1").in("a").gpus(3), aWorkload("a2").in("a").gpus(3));
        story.configure(aCluster()
                .cohort(
                        "x",
                        x -> x.queue("a", 2).queue("b", queue -> queue.gpus(2).reclaimsAny())));
        story.submit(aWorkload("more").in("a").gpus(1));
        assertThat(story.state("more")).isEqualTo(WorkloadState.PENDING);
        story.submit(aWorkload("of-b").in("b").gpus(2));
        assertThat(story.in(WorkloadState.EVICTING))
                .as("4 must go before b's 2 are free")
                .hasSize(2);
        story.settle();
        assertThat(story.running()).contains("of-b");
        assertThat(story.gpus("a") + story.gpus("b")).isLessThanOrEqualTo(4);
    }
}
