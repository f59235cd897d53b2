package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadState;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How what can be borrowed is divided, in situations that people met elsewhere. */
@Tag("core")
class FairSharingSituationsTest {
    private static EngineStory fair(ClusterBuilder cluster) {
        return EngineStory.on(cluster.build(), AdmissionSettings.defaults().with(FairSharing.ON));
    }

    private static void submitOnes(EngineStory story, String queue, int count) {
        for (int number = 1; number <= count; number++) {
            story.submit(aWorkload(queue + number).in(queue).gpus(1));
        }
    }

    @Test
    void a_team_of_weight_nothing_keeps_what_is_its_own() {
        EngineStory story = fair(aCluster()
                .cohort(
                        "root",
                        root -> root.queue("important", queue -> queue.gpus(0).reclaimsAny())
                                .cohort(
                                        "best-effort",
                                        team -> team.owns(own -> own.gpus(1).weighs("0"))
                                                .queue(
                                                        "be",
                                                        queue -> queue.gpus(0).reclaimsAny()))));
        story.submit(aWorkload("own").in("be").gpus(1));
        story.submit(aWorkload("wants").in("important").gpus(1).priority(100));
        assertThat(story.running()).containsExactly("own");
    }

    @Test
    void a_queue_of_weight_nothing_keeps_and_takes_back_what_is_its_own() {
        EngineStory story = fair(aCluster()
                .cohort(
                        "root",
                        root -> root.queue("important", queue -> queue.gpus(1).reclaimsAny())
                                .queue("be", queue -> queue.gpus(1).weighs("0").reclaimsAny())));
        submitOnes(story, "important", 2);
        story.submit(aWorkload("own").in("be").gpus(1));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("important2");
        story.settle();
        assertThat(story.running()).containsExactly("important1", "own");
        story.submit(aWorkload("more").in("important").gpus(1).priority(9));
        assertThat(story.in(WorkloadState.EVICTING)).isEmpty();
    }

    @Test
    void a_gang_that_makes_it_even_gets_its_half_and_larger_ones_do_not() {
        EngineStory story = fair(aCluster()
                .cohort(
                        "x",
                        x -> x.owns(own -> own.gpus(8))
                                .queue("proj-1", queue -> queue.gpus(0).reclaimsAny())
                                .queue("proj-2", queue -> queue.gpus(0).reclaimsAny())));
        for (int number = 1; number <= 4; number++) {
            story.submit(aWorkload("gang" + number).in("proj-1").pods(2).gpus(1));
        }
        story.submit(aWorkload("six").in("proj-2").pods(6).gpus(1));
        story.submit(aWorkload("five").in("proj-2").pods(5).gpus(1));
        assertThat(story.in(WorkloadState.EVICTING)).isEmpty();
        story.submit(aWorkload("four").in("proj-2").pods(4).gpus(1));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("gang3", "gang4");
        story.settle();
        assertThat(story.running()).containsExactly("gang1", "gang2", "four");
        story.submit(aWorkload("three").in("proj-2").pods(3).gpus(1));
        story.settle();
        assertThat(story.running()).containsExactly("gang1", "gang2", "four");
        assertThat(story.evictions("gang3") + story.evictions("gang4")).isEqualTo(2);
    }

    private static ClusterBuilder teamOwnsOnePoolAndBorrowsOfAnother() {
        return aCluster()
                .flavor("reserved", Map.of("pool", "reserved"))
                .flavor("spot", Map.of("pool", "spot"))
                .cohort(
                        "org",
                        org -> org.owns(own -> own.quota("reserved", GPU, "0").quota("spot", GPU, "8"))
                                .cohort(
                                        "team-a",
                                        team -> team.owns(own -> own.quota("reserved", GPU, "4")
                                                        .quota("spot", GPU, "0"))
                                                .queue(
                                                        "a1",
                                                        queue -> queue.quota("reserved", GPU, "0")
                                                                .quota("spot", GPU, "0")
                                                                .reclaimsAny()))
                                .cohort(
                                        "team-b",
                                        team -> team.owns(own -> own.quota("reserved", GPU, "0")
                                                        .quota("spot", GPU, "0"))
                                                .queue(
                                                        "b1",
                                                        queue -> queue.quota("reserved", GPU, "0")
                                                                .quota("spot", GPU, "0")
                                                                .reclaimsAny())));
    }

    @Test
    void what_a_team_owns_of_one_pool_it_gets_back_however_much_it_borrows_of_another() {
        EngineStory story = fair(teamOwnsOnePoolAndBorrowsOfAnother());
        for (int number = 1; number <= 8; number++) {
            story.submit(aWorkload("spot" + number).in("a1").gpus(1).onNodesWith("pool", "spot"));
        }
        story.submit(aWorkload("lent1").in("b1").gpus(2).onNodesWith("pool", "reserved"));
        story.submit(aWorkload("lent2").in("b1").gpus(2).onNodesWith("pool", "reserved"));
        assertThat(story.running()).hasSize(10);
        story.submit(aWorkload("mine").in("a1").gpus(2).onNodesWith("pool", "reserved"));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lent2");
        story.settle();
        assertThat(story.running()).contains("mine", "lent1");
    }

    @Test
    void in_parity_only_what_a_queue_owns_counts() {
        EngineStory story = EngineStory.on(
                teamOwnsOnePoolAndBorrowsOfAnother().build(),
                AdmissionSettings.kueueParity().with(FairSharing.ON));
        for (int number = 1; number <= 8; number++) {
            story.submit(aWorkload("spot" + number).in("a1").gpus(1).onNodesWith("pool", "spot"));
        }
        story.submit(aWorkload("lent").in("b1").gpus(4).onNodesWith("pool", "reserved"));
        story.submit(aWorkload("mine").in("a1").gpus(2).onNodesWith("pool", "reserved"));
        assertThat(story.in(WorkloadState.EVICTING)).isEmpty();
    }

    @Test
    void whose_team_stays_within_its_own_of_what_is_asked_comes_first_whatever_else_the_team_borrows() {
        EngineStory story = fair(teamOwnsOnePoolAndBorrowsOfAnother());
        for (int number = 1; number <= 8; number++) {
            story.submit(aWorkload("spot" + number).in("a1").gpus(1).onNodesWith("pool", "spot"));
        }
        story.submit(
                aWorkload("borrows").in("b1").gpus(3).onNodesWith("pool", "reserved"),
                aWorkload("mine").in("a1").gpus(3).onNodesWith("pool", "reserved"));
        assertThat(story.running())
                .as("it starts first, and nobody outside takes it by shares")
                .contains("mine")
                .doesNotContain("borrows");
    }

    @Test
    void in_a_queue_of_its_own_the_search_for_victims_comes_to_an_end() {
        EngineStory story = fair(
                aCluster().queue("alone", queue -> queue.gpus(4).preemptsLower().reclaimsAny()));
        story.submit(aWorkload("lo").in("alone").gpus(2));
        story.submit(aWorkload("peer").in("alone").gpus(2).priority(5));
        story.submit(aWorkload("large").in("alone").gpus(4).priority(5));
        assertThat(story.in(WorkloadState.EVICTING)).isEmpty();
        story.submit(aWorkload("hi").in("alone").gpus(2).priority(5));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lo");
        story.settle();
        assertThat(story.running()).containsExactly("peer", "hi");
    }

    private static ClusterBuilder weighing(String a, String b, long shared) {
        return aCluster()
                .cohort(
                        "x",
                        x -> x.owns(own -> own.gpus(shared))
                                .queue("a", queue -> queue.gpus(0).weighs(a).reclaimsAny())
                                .queue("b", queue -> queue.gpus(0).weighs(b).reclaimsAny()));
    }

    @Test
    void weights_may_be_fractions() {
        EngineStory story = fair(weighing("0.5", "1", 9));
        submitOnes(story, "a", 9);
        submitOnes(story, "b", 9);
        story.settle();
        assertThat(List.of(story.gpus("a"), story.gpus("b"))).containsExactly(3L, 6L);
    }

    @Test
    void who_is_even_takes_nothing_from_the_other_though_both_have_more_waiting() {
        EngineStory story = fair(weighing("1", "1", 8));
        submitOnes(story, "a", 8);
        submitOnes(story, "b", 8);
        story.settle();
        assertThat(List.of(story.gpus("a"), story.gpus("b"))).containsExactly(4L, 4L);
        int decisions = story.decisions().size();
        for (int event = 1; event <= 5; event++) {
            story.submit(aWorkload("late" + event).in("b").gpus(1).priority(event));
        }
        assertThat(story.decisions()).hasSize(decisions);
    }

    @Test
    void a_weight_set_to_nothing_while_its_work_runs_gives_all_that_is_borrowed_to_who_waits() {
        EngineStory story = fair(weighing("1", "1", 8));
        submitOnes(story, "a", 8);
        submitOnes(story, "b", 8);
        story.settle();
        story.configure(weighing("0", "1", 8));
        story.settle();
        assertThat(List.of(story.gpus("a"), story.gpus("b"))).containsExactly(0L, 8L);
        story.configure(weighing("1", "1", 8));
        story.settle();
        assertThat(List.of(story.gpus("a"), story.gpus("b"))).containsExactly(4L, 4L);
    }

    @Test
    void teams_share_first_and_then_the_queues_within_a_team() {
        EngineStory story = fair(aCluster()
                .cohort(
                        "org",
                        org -> org.owns(own -> own.gpus(12))
                                .cohort(
                                        "t1",
                                        t1 -> t1.queue(
                                                        "a",
                                                        queue -> queue.gpus(0).reclaimsAny())
                                                .queue(
                                                        "b",
                                                        queue -> queue.gpus(0).reclaimsAny()))
                                .cohort(
                                        "t2",
                                        t2 -> t2.queue(
                                                "c", queue -> queue.gpus(0).reclaimsAny()))));
        submitOnes(story, "a", 12);
        submitOnes(story, "b", 12);
        submitOnes(story, "c", 12);
        story.settle();
        assertThat(List.of(story.gpus("a"), story.gpus("b"), story.gpus("c"))).containsExactly(3L, 3L, 6L);
    }

    @Test
    void best_effort_tenants_are_called_back_once_and_for_good() {
        EngineStory story = fair(aCluster()
                .cohort(
                        "root",
                        root -> root.cohort(
                                        "guaranteed",
                                        team -> team.owns(own -> own.quota("cpu", "300m"))
                                                .queue(
                                                        "g",
                                                        queue -> queue.quota("cpu", "0")
                                                                .reclaimsAny()
                                                                .preemptsLower()))
                                .queue(
                                        "tenant-a",
                                        queue -> queue.quota("cpu", "0").reclaimsAny())
                                .queue(
                                        "tenant-b",
                                        queue -> queue.quota("cpu", "0").reclaimsAny())));
        story.submit(aWorkload("a1").in("tenant-a").asks("cpu", "100m"));
        story.submit(aWorkload("a2").in("tenant-a").asks("cpu", "100m"));
        story.submit(aWorkload("b1").in("tenant-b").asks("cpu", "50m"));
        story.submit(aWorkload("b2").in("tenant-b").asks("cpu", "50m"));
        story.submit(aWorkload("g1").in("g").asks("cpu", "50m"));
        story.settle();
        story.submit(aWorkload("g2").in("g").asks("cpu", "100m"));
        story.settle();
        assertThat(story.running()).contains("g1", "g2");
        for (String tenant : List.of("a1", "a2", "b1", "b2")) {
            assertThat(story.evictions(tenant)).as(tenant).isLessThan(2);
        }
    }

    @Test
    void preempting_while_borrowing_is_left_to_the_shares() {
        EngineStory story = fair(aCluster()
                .cohort(
                        "x",
                        x -> x.owns(own -> own.gpus(4))
                                .queue(
                                        "a",
                                        queue -> queue.gpus(0).reclaimsLower().preemptsWhileBorrowing(null))
                                .queue(
                                        "b",
                                        queue -> queue.gpus(0).reclaimsLower().preemptsWhileBorrowing(null))));
        submitOnes(story, "a", 4);
        story.submit(aWorkload("b1").in("b").gpus(1).priority(9));
        story.submit(aWorkload("b2").in("b").gpus(1).priority(9));
        story.submit(aWorkload("b3").in("b").gpus(1).priority(9));
        story.settle();
        assertThat(List.of(story.gpus("a"), story.gpus("b"))).containsExactly(2L, 2L);
    }

    @Test
    void who_lends_nothing_makes_nobody_elses_share_larger() {
        EngineStory story = fair(aCluster()
                .cohort(
                        "x",
                        x -> x.owns(own -> own.gpus(6))
                                .queue("keeps", queue -> queue.gpus(100).lendAtMost(0))
                                .queue("a", queue -> queue.gpus(0).reclaimsAny())
                                .queue("b", queue -> queue.gpus(0).weighs("2").reclaimsAny())));
        submitOnes(story, "a", 6);
        submitOnes(story, "b", 6);
        story.settle();
        assertThat(List.of(story.gpus("a"), story.gpus("b"))).containsExactly(2L, 4L);
    }

    @Test
    void what_is_ones_own_comes_back_from_a_borrower_whose_share_is_next_to_nothing() {
        EngineStory story = fair(aCluster()
                .cohort(
                        "x",
                        x -> x.owns(own -> own.gpus(1_000_000_000))
                                .queue("huge", queue -> queue.gpus(0).weighs("1000"))
                                .queue("owner", queue -> queue.gpus(1).reclaimsAny())
                                .queue("tiny", 0)));
        story.submit(aWorkload("giant").in("huge").gpus(1_000_000_000));
        story.submit(aWorkload("small").in("tiny").gpus(1));
        story.submit(aWorkload("mine").in("owner").gpus(1));
        assertThat(story.in(WorkloadState.EVICTING)).hasSize(1);
        story.settle();
        assertThat(story.running()).contains("mine");
    }

    @Test
    void of_two_resources_the_one_that_is_scarcer_for_a_queue_is_its_share() {
        EngineStory story = fair(aCluster()
                .cohort(
                        "x",
                        x -> x.owns(own -> own.quota("cpu", "100").quota(GPU, "8"))
                                .queue(
                                        "a",
                                        queue -> queue.quota("cpu", "0")
                                                .quota(GPU, "0")
                                                .reclaimsAny())
                                .queue(
                                        "b",
                                        queue -> queue.quota("cpu", "0")
                                                .quota(GPU, "0")
                                                .reclaimsAny())));
        for (int number = 1; number <= 10; number++) {
            story.submit(aWorkload("cpu" + number).in("a").asks("cpu", "10").gpus(0));
        }
        for (int number = 1; number <= 4; number++) {
            story.submit(aWorkload("gpu" + number).in("b").asks("cpu", "10").gpus(1));
        }
        story.settle();
        assertThat(story.gpus("b"))
                .as("b's share is half of the GPUs and 4/10 of the CPUs")
                .isEqualTo(4);
        assertThat(story.in(WorkloadState.PENDING)).containsExactly("cpu7", "cpu8", "cpu9", "cpu10");
    }

    /** Of an equal share only that is fair to take by which the share does not fall: here it is a share of memory. */
    @Test
    void who_has_an_equal_share_of_something_else_gives_what_does_not_lower_it() {
        EngineStory story = fair(aCluster()
                .cohort(
                        "root",
                        root -> root.queue(
                                        "lender",
                                        queue -> queue.quota("f", GPU, "8").quota("f", "memory", "80"))
                                .queue(
                                        "gpus",
                                        queue -> queue.quota("f", GPU, "0").quota("f", "memory", "0"))
                                .queue(
                                        "memory",
                                        queue -> queue.quota("f", GPU, "0").quota("f", "memory", "0"))
                                .queue(
                                        "asks",
                                        queue -> queue.quota("f", GPU, "0")
                                                .quota("f", "memory", "0")
                                                .reclaimsAny())));
        story.submit(
                aWorkload("half").in("gpus").gpus(4),
                aWorkload("large").in("memory").asks("memory", "40"),
                aWorkload("small").in("memory").gpus(2));
        story.submit(aWorkload("wants").in("asks").gpus(4));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("small");
        story.settle();
        assertThat(story.running()).containsExactly("half", "large", "wants");
    }
}
