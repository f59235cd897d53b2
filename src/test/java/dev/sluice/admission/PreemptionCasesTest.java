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
import dev.sluice.workload.WorkloadState;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Preemption and order, as users met them elsewhere; and what earmarks promise. */
@Tag("core")
class PreemptionCasesTest {
    private static EngineStory twoFlavors(Preference preference) {
        FlavorFungibility fungibility =
                new FlavorFungibility(Search.TRY_NEXT_FLAVOR, Search.TRY_NEXT_FLAVOR, preference);
        return EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue(
                                        "cq-1",
                                        queue -> queue.quota("flavor1", GPU, "0")
                                                .quota("flavor2", GPU, "1")
                                                .fungibility(fungibility)
                                                .reclaimsAny()
                                                .preemptsLower())
                                .queue(
                                        "cq-2",
                                        queue -> queue.quota("flavor1", GPU, "1")
                                                .quota("flavor2", GPU, "0")
                                                .fungibility(fungibility)
                                                .reclaimsAny()
                                                .preemptsLower())));
    }

    @Test
    void pr_20_who_prefers_preemption_to_borrowing_takes_its_own_flavor_back_and_is_not_evicted_later() {
        EngineStory story = twoFlavors(Preference.PREEMPTION_OVER_BORROWING);
        story.submit(aWorkload("lo").in("cq-1").gpus(1));
        story.submit(aWorkload("hi").in("cq-1").gpus(1).priority(10));
        assertThat(story.state("lo")).isEqualTo(WorkloadState.EVICTING);
        story.gone("lo");
        assertThat(story.running()).contains("hi");
        story.submit(aWorkload("lo2").in("cq-2").gpus(1));
        story.gone("lo");
        assertThat(story.running()).containsExactly("hi", "lo2");
    }

    @Test
    void pr_20_who_prefers_borrowing_may_be_called_back_while_a_lower_priority_runs_on() {
        EngineStory story = twoFlavors(Preference.BORROWING_OVER_PREEMPTION);
        story.submit(aWorkload("lo").in("cq-1").gpus(1));
        story.submit(aWorkload("hi").in("cq-1").gpus(1).priority(10));
        assertThat(story.running()).containsExactly("lo", "hi");
        story.submit(aWorkload("lo2").in("cq-2").gpus(1));
        assertThat(story.state("hi")).isEqualTo(WorkloadState.EVICTING);
    }

    @Test
    void pr_01_a_head_that_never_fits_does_not_take_the_turn_of_a_preemptor() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue("qA", queue -> queue.gpus(3).reclaimsAny()).queue("qB", 0)));
        story.submit(aWorkload("w1").in("qB").gpus(1));
        story.submit(aWorkload("w4").in("qA").gpus(4));
        story.submit(aWorkload("w3").in("qA").gpus(3));
        story.gone("w1");
        assertThat(story.running()).containsExactly("w3");
        assertThat(story.reason("w4").code()).isEqualTo("EXCEEDS_MAXIMUM");
        assertThat(story.status("w1").orElseThrow().evictionCount()).isEqualTo(1);
        assertThat(story.state("w1")).isEqualTo(WorkloadState.PENDING);
    }

    @Test
    void pr_02_who_runs_within_its_queues_own_quota_is_not_preempted_for_a_borrower() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue(
                                        "qA",
                                        queue -> queue.gpus(4).reclaimsLower().preemptsWhileBorrowing(null))
                                .queue("qB", 4)));
        story.submit(aWorkload("hi0").in("qA").gpus(4).priority(100));
        story.submit(aWorkload("lo").in("qB").gpus(4));
        story.submit(aWorkload("hi1").in("qA").gpus(4).priority(100));
        assertThat(story.running()).containsExactly("hi0", "lo");
    }

    @Test
    void pr_07_a_borrowing_queue_evicts_only_as_many_of_its_own_as_are_needed() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue("qA", queue -> queue.gpus(4).preemptsLower())
                                .queue("qB", 4)));
        for (int number = 1; number <= 8; number++) {
            story.submit(aWorkload("w" + number).in("qA").gpus(1));
        }
        story.submit(aWorkload("hi").in("qA").gpus(4).priority(10));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("w5", "w6", "w7", "w8");
        story.gone("w5", "w6", "w7", "w8");
        assertThat(story.running()).contains("hi").hasSize(5);
        assertThat(story.gpus("qA")).isEqualTo(8);
    }

    @Test
    void pr_08_a_request_above_nominal_that_may_not_borrow_by_preempting_is_refused_with_the_reason() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue(
                                        "cq1",
                                        queue -> queue.gpus(2).preemptsLower().reclaimsAny())
                                .queue("cq2", 2)));
        story.submit(aWorkload("lo").in("cq1").gpus(4));
        story.submit(aWorkload("hi").in("cq1").gpus(4).priority(10));
        assertThat(story.running()).containsExactly("lo");
        Explanation explanation =
                story.engine().explain(story.id("hi"), story.now()).orElseThrow();
        assertThat(explanation.verdict()).isEqualTo(Explanation.Verdict.WAIT);
        assertThat(explanation.requirements().getFirst().flavors().getFirst().preemption())
                .isEqualTo(new Explanation.PreemptionFinding(false, "WOULD_BORROW"));
    }

    @Test
    void pr_10_one_victim_however_long_its_pods_take() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(
                aWorkload("w1").in("q").gpus(1),
                aWorkload("w2").in("q").gpus(1),
                aWorkload("w3").in("q").gpus(1),
                aWorkload("w4").in("q").gpus(1));
        story.submit(aWorkload("hi").in("q").gpus(1).priority(10));
        for (int cycle = 0; cycle < 5; cycle++) {
            story.step();
        }
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("w4");
    }

    @Test
    void pr_13_a_workload_without_candidates_holds_up_nobody_in_the_tree() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "root",
                        root -> root.queue("q1", queue -> queue.gpus(4).reclaimsAny())
                                .queue("q2", 10)));
        story.submit(aWorkload("own").in("q1").gpus(4).priority(10));
        story.submit(aWorkload("big").in("q1").gpus(8));
        for (int number = 1; number <= 10; number++) {
            story.submit(aWorkload("j" + number).in("q2").gpus(1));
        }
        assertThat(story.running()).hasSizeGreaterThanOrEqualTo(3);
        story.finish("own");
        assertThat(story.in(WorkloadState.PENDING)).hasSizeLessThan(12);
    }

    @Test
    void pr_14_two_preemptors_with_victims_of_their_own_do_not_wait_for_each_other() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue("qA", queue -> queue.gpus(4).reclaimsAny())
                                .queue("qB", queue -> queue.gpus(4).reclaimsAny())
                                .queue("qC", 0)));
        story.submit(aWorkload("x").in("qC").gpus(4));
        story.submit(aWorkload("y").in("qC").gpus(4));
        story.submit(aWorkload("a").in("qA").gpus(4), aWorkload("b").in("qB").gpus(4));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("x", "y");
        story.gone("y");
        assertThat(story.running()).as("one of the two starts at once").hasSize(1);
        story.gone("x");
        assertThat(story.running()).containsExactly("a", "b");
    }

    @Test
    void pr_16_nobody_is_evicted_for_what_no_node_matches() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.capacity(new UsableCapacity(
                true,
                List.of(new UsableCapacity.Node(
                        "n1", new TreeMap<>(), List.of(), new TreeMap<>(Map.of(ClusterBuilder.GPU, 4L))))));
        story.submit(aWorkload("lo").in("q").gpus(4));
        story.submit(aWorkload("hi").in("q").gpus(2).priority(10).onNodesWith("zone", "nowhere"));
        assertThat(story.running()).containsExactly("lo");
        assertThat(story.reason("hi"))
                .isEqualTo(new WaitReason.NotPlaceable(ClusterBuilder.GPU, ClusterBuilder.FLAVOR, 2, 0));
    }

    @Test
    void pr_16_parity_evicts_as_kueue_does() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()).build(), AdmissionSettings.kueueParity());
        story.capacity(new UsableCapacity(true, List.of()));
        story.submit(aWorkload("lo").in("q").gpus(4));
        story.submit(aWorkload("hi").in("q").gpus(2).priority(10));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lo");
    }

    @Test
    void pr_19_a_victim_is_not_admitted_again_in_the_round_that_evicted_it() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "root",
                        root -> root.queue("x", 2)
                                .queue("y", queue -> queue.gpus(2).reclaimsAny())));
        story.submit(aWorkload("x1").in("x").gpus(2));
        story.submit(aWorkload("x2").in("x").gpus(2));
        story.submit(aWorkload("y1").in("y").gpus(2));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("x2");
        story.gone("x2");
        assertThat(story.running()).containsExactly("x1", "y1");
        assertThat(story.state("x2")).isEqualTo(WorkloadState.PENDING);
    }

    @Test
    void ff_02_workloads_that_cannot_start_do_not_hide_those_behind_them() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", queue -> queue.quota("cpu", "100").quota("gpu", "1")));
        story.submit(
                aWorkload("a").in("q").asks("gpu", "4"),
                aWorkload("b").in("q").asks("gpu", "4"),
                aWorkload("c").in("q").asks("gpu", "4"),
                aWorkload("e").in("q").asks("cpu", "1"),
                aWorkload("f").in("q").asks("cpu", "1"),
                aWorkload("g").in("q").asks("gpu", "1"));
        assertThat(story.running()).containsExactly("e", "f", "g");
    }

    @Test
    void ff_04_nobody_passes_the_head_of_a_strict_queue() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(8).strict()));
        story.submit(
                aWorkload("r1").in("q").gpus(2),
                aWorkload("r2").in("q").gpus(2),
                aWorkload("r3").in("q").gpus(2));
        story.submit(aWorkload("big").in("q").gpus(8));
        story.finish("r1");
        story.submit(aWorkload("small").in("q").gpus(2));
        assertThat(story.running()).containsExactly("r2", "r3");
        story.finish("r2", "r3");
        assertThat(story.running()).containsExactly("big");
    }

    @Test
    void ff_05_changed_priorities_count_at_once() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(1).preemptsLower()));
        story.submit(aWorkload("job-2").in("q").gpus(1).priorityClass("p2", 2000));
        story.submit(aWorkload("job-1").in("q").gpus(1).priorityClass("p1", 1000));
        story.step(
                new EngineEvent.PriorityChanged(story.id("job-2"), "p2", 500),
                new EngineEvent.PriorityChanged(story.id("job-1"), "p1", 3000));
        assertThat(story.state("job-2")).isEqualTo(WorkloadState.EVICTING);
        story.gone("job-2");
        assertThat(story.running()).containsExactly("job-1");
    }

    @Test
    void an_earmark_keeps_the_part_that_was_free_already() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(6).preemptsLower()));
        story.submit(aWorkload("lo").in("q").gpus(4));
        story.submit(aWorkload("hi").in("q").gpus(6).priority(10));
        story.submit(aWorkload("small").in("q").gpus(2).priority(5));
        assertThat(story.running()).as("the two free GPUs are hi's").isEmpty();
        assertThat(story.reason("small").code()).isEqualTo("QUOTA_EXHAUSTED");
        story.gone("lo");
        assertThat(story.running()).containsExactly("hi");
    }

    private static ClusterBuilder twoThatListGpusOnly() {
        return aCluster()
                .cohort(
                        "x",
                        x -> x.queue("queue1", queue -> queue.gpus(2).reclaimsAny())
                                .queue("queue2", queue -> queue.gpus(2)));
    }

    @Test
    void pr_23_what_a_queue_has_no_quota_of_does_not_keep_it_from_taking_back_what_it_has() {
        EngineStory story = EngineStory.on(twoThatListGpusOnly());
        story.submit(
                aWorkload("a").in("queue2").gpus(2).asks("cpu", "8"),
                aWorkload("b").in("queue2").gpus(2).asks("cpu", "8"));
        story.submit(aWorkload("job").in("queue1").gpus(2).asks("cpu", "16").asks("memory", "64Gi"));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("b");
        story.gone("b");
        assertThat(story.running()).containsExactly("a", "job");
    }

    @Test
    void parity_refuses_what_a_queue_has_no_quota_of_and_devices_need_one_always() {
        EngineStory parity = EngineStory.on(twoThatListGpusOnly().build(), AdmissionSettings.kueueParity());
        parity.submit(aWorkload("job").in("queue1").gpus(2).asks("cpu", "16"));
        assertThat(parity.reason("job").code()).isEqualTo("RESOURCE_NOT_COVERED");

        EngineStory story = EngineStory.on(twoThatListGpusOnly());
        story.submit(aWorkload("other").in("queue1").asks("example.com/fpga", "1"));
        assertThat(story.reason("other").code()).isEqualTo("RESOURCE_NOT_COVERED");
    }

    @Test
    void a_preemptor_that_waits_holds_up_nobody_behind_it() {
        EngineStory story = EngineStory.on(waitsWithCpuFree().build(), AdmissionSettings.defaults());
        tellPreemptionThenCpu(story);
        assertThat(story.running()).containsExactly("cpu-only");
    }

    @Test
    void parity_keeps_a_preemptor_at_the_head_until_its_victims_are_gone() {
        EngineStory story = EngineStory.on(waitsWithCpuFree().build(), AdmissionSettings.kueueParity());
        tellPreemptionThenCpu(story);
        assertThat(story.running()).isEmpty();
        assertThat(story.reason("cpu-only").code()).isEqualTo("BLOCKED_BY_EARLIER");
        story.gone("lo");
        assertThat(story.running()).containsExactly("hi", "cpu-only");
    }

    private static ClusterBuilder waitsWithCpuFree() {
        return aCluster()
                .queue("q", queue -> queue.quota("gpu", "4").quota("cpu", "8").preemptsLower());
    }

    private static void tellPreemptionThenCpu(EngineStory story) {
        story.submit(aWorkload("lo").in("q").asks("gpu", "4"));
        story.submit(aWorkload("hi").in("q").asks("gpu", "4").priority(10));
        story.submit(aWorkload("cpu-only").in("q").asks("cpu", "1"));
    }

    @Test
    void what_a_victim_frees_beyond_the_need_is_used_only_when_its_pods_are_gone() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(8).preemptsLower()));
        story.submit(aWorkload("lo").in("q").gpus(8));
        story.submit(aWorkload("hi").in("q").gpus(2).priority(10));
        story.submit(aWorkload("next").in("q").gpus(4).priority(5));
        assertThat(story.running()).isEmpty();
        assertThat(story.reason("next")).isEqualTo(new WaitReason.AwaitingVictims(List.of(story.id("lo"))));
        story.gone("lo");
        assertThat(story.running()).containsExactly("hi", "next");
    }

    @Test
    void a_higher_priority_takes_an_earmark_over() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("lo").in("q").gpus(4));
        story.submit(aWorkload("mid").in("q").gpus(4).priority(5));
        story.submit(aWorkload("top").in("q").gpus(4).priority(10));
        assertThat(story.decisions()).contains(new Decision.DropEarmark(story.id("mid"), "taken over by top"));
        story.gone("lo");
        assertThat(story.running()).containsExactly("top");
    }

    @Test
    void an_earmark_ends_with_its_workload_and_what_it_held_goes_to_the_next() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("lo").in("q").gpus(4));
        story.submit(aWorkload("hi").in("q").gpus(4).priority(10));
        story.submit(aWorkload("next").in("q").gpus(4).priority(5));
        story.cancel("hi");
        assertThat(story.reason("next")).isEqualTo(new WaitReason.AwaitingVictims(List.of(story.id("lo"))));
        story.gone("lo");
        assertThat(story.running()).containsExactly("next");
    }
}
