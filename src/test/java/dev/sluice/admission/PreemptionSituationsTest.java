package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.FlavorFungibility;
import dev.sluice.quota.FlavorFungibility.Preference;
import dev.sluice.quota.FlavorFungibility.Search;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who must leave for whom, in situations that people met elsewhere. */
@Tag("core")
class PreemptionSituationsTest {
    @Test
    void victims_that_end_one_after_the_other_do_not_come_back_before_who_waits_for_the_last() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue("cq1", queue -> queue.gpus(6).reclaimsAny())
                                .queue("cq2", 1)
                                .queue("cq3", 1)));
        story.submit(aWorkload("a").in("cq2").gpus(4).priority(100));
        story.submit(aWorkload("b").in("cq3").gpus(4).priority(100));
        story.submit(aWorkload("p").in("cq1").gpus(6));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("a", "b");
        story.gone("a");
        story.after(Duration.ofMinutes(5));
        assertThat(story.state("a")).isEqualTo(WorkloadState.PENDING);
        story.gone("b");
        assertThat(story.running()).containsExactly("p");
        assertThat(story.evictions("a") + story.evictions("b")).isEqualTo(2);
    }

    @Test
    void who_finds_nobody_to_preempt_on_the_first_flavor_preempts_on_the_second() {
        EngineStory story = EngineStory.on(aCluster()
                .queue(
                        "q",
                        queue -> queue.quota("rf1", GPU, "1")
                                .quota("rf2", GPU, "1")
                                .preemptsLower()));
        story.submit(aWorkload("high").in("q").gpus(1).priority(100));
        story.submit(aWorkload("low").in("q").gpus(1).priority(1));
        story.submit(aWorkload("medium").in("q").gpus(1).priority(50));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("low");
        story.settle();
        assertThat(story.running()).containsExactly("high", "medium");
    }

    @Test
    void one_that_can_never_start_ahead_of_it_keeps_nobody_from_preempting() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "default",
                        x -> x.queue("placeholder", 4)
                                .queue(
                                        "cq-high",
                                        queue -> queue.gpus(0)
                                                .preemptsLower()
                                                .reclaimsLower()
                                                .preemptsWhileBorrowing(null))
                                .queue(
                                        "cq-low",
                                        queue -> queue.gpus(0)
                                                .preemptsLower()
                                                .reclaimsLower()
                                                .preemptsWhileBorrowing(null))));
        story.submit(aWorkload("hopeless").in("cq-high").gpus(5).priority(100));
        story.submit(aWorkload("low").in("cq-low").gpus(4).priority(1));
        story.submit(aWorkload("preempting").in("cq-high").gpus(4).priority(100));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("low");
        story.settle();
        assertThat(story.running()).containsExactly("preempting");
    }

    @Test
    void who_came_last_leaves_first_when_an_owner_takes_its_own_back() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue("a", 4).queue("b", queue -> queue.gpus(4).reclaimsAny())));
        for (int number = 1; number <= 6; number++) {
            story.submit(aWorkload("a" + number).in("a").gpus(1));
        }
        for (int number = 1; number <= 4; number++) {
            story.submit(aWorkload("b" + number).in("b").gpus(1));
        }
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("a5", "a6");
        story.settle();
        assertThat(story.running()).containsExactly("a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4");
    }

    @Test
    void an_older_one_of_another_queue_that_may_preempt_nobody_does_not_stand_in_the_way() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue("a", queue -> queue.gpus(2).reclaimsLower())
                                .queue("b", queue -> queue.gpus(2).reclaimsAny())
                                .queue("c", 0)));
        story.submit(aWorkload("c1").in("c").gpus(4).priority(5));
        story.submit(aWorkload("of-a").in("a").gpus(2));
        story.submit(aWorkload("of-b").in("b").gpus(2));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("c1");
        story.settle();
        assertThat(story.running()).containsExactly("of-a", "of-b");
    }

    @Test
    void a_queue_that_borrows_takes_as_few_of_its_own_as_it_needs_even_if_it_may_preempt_by_borrowing() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue(
                                        "a",
                                        queue -> queue.gpus(4)
                                                .preemptsLower()
                                                .reclaimsAny()
                                                .preemptsWhileBorrowing(null))
                                .queue("b", 4)));
        for (int number = 1; number <= 8; number++) {
            story.submit(aWorkload("w" + number).in("a").gpus(1));
        }
        story.submit(aWorkload("hi").in("a").gpus(2).priority(10));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("w7", "w8");
    }

    @Test
    void a_resource_of_which_nothing_is_asked_forbids_no_preemption_however_overdrawn_it_is() {
        EngineStory story = EngineStory.on(aCluster()
                .queue("q", queue -> queue.quota("cpu", "8").quota(GPU, "2").preemptsLower()));
        story.submit(aWorkload("cpus").in("q").asks("cpu", "8").gpus(0).priority(99));
        story.submit(aWorkload("lo").in("q").gpus(2));
        story.configure(aCluster()
                .queue("q", queue -> queue.quota("cpu", "4").quota(GPU, "2").preemptsLower()));
        story.submit(aWorkload("hi").in("q").gpus(2).asks("cpu", "0").priority(10));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lo");
        story.settle();
        assertThat(story.running()).containsExactly("cpus", "hi");
    }

    @Test
    void what_a_team_owns_its_queues_take_back_from_anybody_outside() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "root",
                        root -> root.queue("best-effort", 0)
                                .cohort(
                                        "guaranteed",
                                        team -> team.owns(own -> own.gpus(1))
                                                .queue(
                                                        "g",
                                                        queue -> queue.gpus(0).reclaimsAny()))));
        story.submit(aWorkload("be").in("best-effort").gpus(1).priority(9));
        story.submit(aWorkload("mine").in("g").gpus(1));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("be");
        story.settle();
        assertThat(story.running()).containsExactly("mine");
    }

    @Test
    void small_victims_make_room_together_and_only_on_what_is_short() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue(
                                        "own",
                                        queue -> queue.quota("cpu", "4")
                                                .quota(GPU, "2")
                                                .reclaimsAny())
                                .queue("other", queue -> queue.quota("cpu", "2").quota(GPU, "0"))));
        story.submit(aWorkload("v1").in("other").asks("cpu", "1").gpus(1));
        story.submit(aWorkload("v2").in("other").asks("cpu", "1").gpus(1));
        story.submit(aWorkload("v3").in("other").asks("cpu", "1").gpus(0));
        story.submit(aWorkload("p").in("own").asks("cpu", "3").gpus(2));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("v1", "v2");
        story.settle();
        assertThat(story.running()).containsExactly("v3", "p");
    }

    @Test
    void nobody_loses_a_gpu_for_one_that_lacks_a_cpu_that_nobody_gives_up() {
        EngineStory story = EngineStory.on(aCluster()
                .queue("q", queue -> queue.quota("cpu", "4").quota(GPU, "2").preemptsLower()));
        story.submit(aWorkload("important").in("q").asks("cpu", "3").gpus(0).priority(100));
        story.submit(aWorkload("lo").in("q").asks("cpu", "1").gpus(2));
        story.submit(aWorkload("hi").in("q").asks("cpu", "2").gpus(2).priority(10));
        assertThat(story.running()).containsExactly("important", "lo");
        assertThat(story.reason("hi")).isInstanceOf(WaitReason.QuotaExhausted.class);
    }

    @Test
    void two_gangs_of_equal_size_do_not_take_the_room_from_each_other_in_turns() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.owns(own -> own.gpus(1))
                                .queue(
                                        "qa",
                                        queue -> queue.gpus(5).borrowAtMost(5).reclaimsAny())
                                .queue(
                                        "qb",
                                        queue -> queue.gpus(5).borrowAtMost(5).reclaimsAny())));
        story.submit(aWorkload("a").in("qa").pods(5).atLeast(2).gpus(2));
        assertThat(story.admittedPods("a")).isEqualTo(5);
        story.submit(aWorkload("b").in("qb").pods(5).atLeast(2).gpus(2));
        story.settle();
        assertThat(story.running()).containsExactly("a", "b");
        assertThat(story.evictions("a")).isEqualTo(1);
        assertThat(story.evictions("b")).isZero();
    }

    @Test
    void the_lowest_priority_leaves_and_not_one_in_between() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(2).preemptsLower()));
        story.submit(aWorkload("low").in("q").gpus(1).priority(1));
        story.submit(aWorkload("mid").in("q").gpus(1).priority(5));
        story.submit(aWorkload("high").in("q").gpus(1).priority(10));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("low");
    }

    @Test
    void who_borrows_is_reclaimed_from_though_another_queue_that_may_not_be_touched_came_later() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "root",
                        root -> root.cohort(
                                        "org",
                                        org -> org.queue(
                                                        "reclaimer",
                                                        queue -> queue.gpus(4).reclaimsAny())
                                                .queue("batch", 0))
                                .queue("protected", 4)));
        story.submit(aWorkload("b1").in("batch").gpus(2));
        story.submit(aWorkload("b2").in("batch").gpus(3));
        story.submit(aWorkload("safe").in("protected").gpus(2));
        story.submit(aWorkload("mine").in("reclaimer").gpus(3));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("b1");
        story.settle();
        assertThat(story.running()).contains("safe", "mine");
    }

    private static EngineStory onTwoFlavors(Search whenCanPreempt) {
        return EngineStory.on(aCluster()
                .queue(
                        "q",
                        queue -> queue.quota("f1", GPU, "2")
                                .quota("f2", GPU, "2")
                                .preemptsLower()
                                .fungibility(new FlavorFungibility(
                                        Search.MAY_STOP_SEARCH,
                                        whenCanPreempt,
                                        Preference.BORROWING_OVER_PREEMPTION))));
    }

    @Test
    void nobody_leaves_as_long_as_a_flavor_further_on_is_free() {
        EngineStory story = onTwoFlavors(Search.TRY_NEXT_FLAVOR);
        story.submit(aWorkload("lo").in("q").gpus(2));
        story.submit(aWorkload("hi").in("q").gpus(2).priority(10));
        assertThat(story.running()).containsExactly("lo", "hi");
        assertThat(story.line("q", "f2", GPU).used()).isEqualTo(2);
    }

    @Test
    void who_preempts_on_the_first_flavor_starts_there_even_if_another_got_free_meanwhile() {
        EngineStory story = onTwoFlavors(Search.MAY_STOP_SEARCH);
        story.submit(aWorkload("lo").in("q").gpus(2));
        story.submit(aWorkload("also").in("q").gpus(2));
        story.submit(aWorkload("hi").in("q").gpus(2).priority(10));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lo");
        story.finish("also");
        story.settle();
        assertThat(story.running()).contains("hi", "lo");
        assertThat(story.line("q", "f1", GPU).used()).isEqualTo(2);
    }

    @Test
    void who_may_stop_at_a_flavor_by_preempting_goes_on_to_the_next_if_there_is_nobody_to_preempt() {
        EngineStory story = onTwoFlavors(Search.MAY_STOP_SEARCH);
        story.submit(aWorkload("w1").in("q").gpus(2), aWorkload("w2").in("q").gpus(2));
        assertThat(story.running()).containsExactly("w1", "w2");
    }

    @Test
    void a_preemptor_whose_priority_falls_below_its_victims_gives_the_room_back() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("lo").in("q").gpus(4).priority(5));
        story.submit(aWorkload("hi").in("q").gpus(4).priority(10));
        story.step(new EngineEvent.PriorityChanged(story.id("hi"), null, 1));
        story.settle();
        assertThat(story.running()).containsExactly("lo");
        assertThat(story.evictions("lo")).isEqualTo(1);
    }

    @Test
    void a_victim_that_is_raised_above_its_preemptor_on_its_way_out_takes_the_room_back_once() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("lo").in("q").gpus(4));
        story.submit(aWorkload("hi").in("q").gpus(4).priority(10));
        story.step(new EngineEvent.PriorityChanged(story.id("lo"), null, 20));
        story.settle();
        assertThat(story.running()).containsExactly("lo");
        assertThat(List.of(story.evictions("lo"), story.evictions("hi"))).containsExactly(1, 1);
    }

    @Test
    void a_workload_of_two_kinds_of_pods_that_together_never_fit_evicts_nobody() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("lo").in("q").gpus(3));
        story.submit(aWorkload("hi").in("q").gpus(2).priority(9).with(PodSet.of("extra", 1, Map.of(GPU, 3L))));
        assertThat(story.running()).containsExactly("lo");
        assertThat(story.reason("hi").isNever()).isTrue();
    }

    @Test
    void pods_of_two_kinds_preempt_for_all_of_them_at_once() {
        EngineStory story = EngineStory.on(aCluster()
                .queue("q", queue -> queue.quota("cpu", "4").quota(GPU, "4").preemptsLower()));
        story.submit(aWorkload("lo-gpu").in("q").gpus(4).asks("cpu", "0"));
        story.submit(aWorkload("lo-cpu").in("q").gpus(0).asks("cpu", "4"));
        story.submit(aWorkload("hi")
                .in("q")
                .gpus(2)
                .asks("cpu", "1")
                .priority(9)
                .with(PodSet.of("extra", 1, Map.of("cpu", 2000L))));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lo-gpu", "lo-cpu");
        story.settle();
        assertThat(story.running()).containsExactly("hi");
    }

    @Test
    void one_large_victim_is_enough_for_two_that_come_in_the_same_instant() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue("qA", queue -> queue.gpus(2).reclaimsAny())
                                .queue("qB", queue -> queue.gpus(2).reclaimsAny())
                                .queue("qC", 0)));
        story.submit(aWorkload("x").in("qC").gpus(4));
        story.submit(aWorkload("a").in("qA").gpus(2), aWorkload("b").in("qB").gpus(2));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("x");
        story.settle();
        assertThat(story.running()).containsExactly("a", "b");
        assertThat(story.evictions("x")).isEqualTo(1);
    }

    @Test
    void nobody_leaves_for_pods_of_two_kinds_that_the_devices_do_not_hold_together() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(8).preemptsLower()));
        story.capacity(new UsableCapacity(
                true,
                List.of(
                        new UsableCapacity.Node("n1", new TreeMap<>(), List.of(), new TreeMap<>(Map.of(GPU, 4L))),
                        new UsableCapacity.Node("n2", new TreeMap<>(), List.of(), new TreeMap<>(Map.of(GPU, 2L))))));
        story.submit(aWorkload("lo").in("q").gpus(4));
        story.submit(aWorkload("hi").in("q").gpus(4).priority(9).with(PodSet.of("extra", 1, Map.of(GPU, 3L))));
        assertThat(story.running()).containsExactly("lo");
        assertThat(story.reason("hi")).isEqualTo(new WaitReason.NotPlaceable(GPU, ClusterBuilder.FLAVOR, 7, 6));
        story.submit(aWorkload("smaller").in("q").gpus(4).priority(9).with(PodSet.of("extra", 1, Map.of(GPU, 2L))));
        story.settle();
        assertThat(story.running()).containsExactly("smaller");
    }

    @Test
    void a_flavor_without_a_usable_node_does_not_keep_one_from_preempting_on_the_other() {
        EngineStory story = EngineStory.on(aCluster()
                .flavor("a", Map.of("pool", "a"))
                .flavor("b", Map.of("pool", "b"))
                .queue(
                        "q",
                        queue -> queue.quota("a", GPU, "1").quota("b", GPU, "1").preemptsLower()));
        story.capacity(new UsableCapacity(
                true,
                List.of(new UsableCapacity.Node(
                        "n1", new TreeMap<>(Map.of("pool", "a")), List.of(), new TreeMap<>(Map.of(GPU, 1L))))));
        story.submit(aWorkload("lo").in("q").gpus(1));
        story.submit(aWorkload("hi").in("q").gpus(1).priority(10));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lo");
        story.settle();
        assertThat(story.running()).containsExactly("hi");
    }

    @Test
    void whose_minimum_time_runs_is_spared_and_an_older_one_goes() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", queue -> queue.gpus(2).preemptsLower()).build(),
                AdmissionSettings.defaults().with(new VictimChoice(Duration.ofHours(1), 0, Duration.ZERO, true, true)));
        story.submit(aWorkload("old").in("q").gpus(1).priority(2));
        story.after(Duration.ofHours(1));
        story.submit(aWorkload("new").in("q").gpus(1).priority(1));
        story.submit(aWorkload("hi").in("q").gpus(1).priority(10));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("old");
    }

    @Test
    void a_large_old_one_takes_the_room_of_younger_equals_and_then_all_is_quiet() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(10).preemptsLowerOrNewer()));
        story.submit(aWorkload("j1").in("q").gpus(3));
        story.submit(aWorkload("j2").in("q").gpus(3));
        story.submit(aWorkload("j3").in("q").gpus(5));
        story.submit(aWorkload("j4").in("q").gpus(4));
        assertThat(story.running()).containsExactly("j1", "j2", "j4");
        story.finish("j1");
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("j4");
        story.settle();
        assertThat(story.running()).containsExactly("j2", "j3");
        story.finish("j2");
        assertThat(story.running()).containsExactly("j3", "j4");
        assertThat(story.evictions("j4")).isEqualTo(1);
    }
}
