package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.FLAVOR;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadState;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Quota and borrowing, as users met them elsewhere. */
@Tag("core")
class QuotaCasesTest {
    private static ClusterBuilder twoQueues(long a, long b) {
        return aCluster().cohort("x", x -> x.queue("qA", a).queue("qB", b));
    }

    @Test
    void qm_01_quota_of_a_deleted_queue_is_not_lent_any_more() {
        EngineStory story = EngineStory.on(twoQueues(4, 4));
        story.configure(twoQueues(4, 4).without("qB"));
        story.submit(aWorkload("w1").in("qA").gpus(6));
        assertThat(story.reason("w1")).isEqualTo(new WaitReason.ExceedsMaximum(ClusterBuilder.GPU, FLAVOR, 6, 4));
    }

    @Test
    void qm_01_what_runs_in_a_deleted_queue_stays_counted_until_it_ends() {
        EngineStory story = EngineStory.on(twoQueues(4, 4));
        story.submit(aWorkload("old").in("qB").gpus(4));
        story.configure(twoQueues(4, 4).without("qB"));
        story.submit(aWorkload("w1").in("qA").gpus(2));
        assertThat(story.running()).containsExactly("old");
        story.finish("old");
        assertThat(story.running()).containsExactly("w1");
    }

    @Test
    void qm_02_memory_stays_counted_when_a_queue_stops_listing_it() {
        EngineStory story = EngineStory.on(withMemory(true));
        story.submit(aWorkload("wl1").in("q1").asks("cpu", "2").asks("memory", "2"));
        story.submit(aWorkload("wl2").in("q2").asks("cpu", "1").asks("memory", "1"));
        assertThat(story.running()).containsExactly("wl1");
        story.configure(withMemory(false));
        assertThat(story.state("wl1")).isEqualTo(WorkloadState.ADMITTED);
        assertThat(story.state("wl2")).isEqualTo(WorkloadState.PENDING);
        assertThat(story.line("q1", FLAVOR, "memory").used()).isEqualTo(2);
        story.finish("wl1");
        assertThat(story.running()).containsExactly("wl2");
    }

    @Test
    void qm_02_what_runs_on_a_line_that_nobody_lists_any_more_is_restored_with_its_charge() {
        EngineStory story = EngineStory.on(withMemory(true));
        story.submit(aWorkload("wl1").in("q1").asks("cpu", "1").asks("memory", "1"));
        var configuration =
                aCluster().queue("q1", queue -> queue.quota("cpu", "1")).build();
        Engine restored = new Engine(AdmissionSettings.defaults());
        restored.apply(new EngineEvent.ConfigurationReplaced(configuration), story.now());
        restored.apply(
                new EngineEvent.WorkloadRestored(
                        aWorkload("wl1")
                                .in("q1")
                                .asks("cpu", "1")
                                .asks("memory", "1")
                                .build(),
                        story.status("wl1").orElseThrow()),
                story.now());
        assertThat(restored.decide(story.now())).isEmpty();
        assertThat(restored.usage().queues().get("q1"))
                .satisfies(queue -> assertThat(queue == null ? List.<QuotaUsage.Line>of() : queue.lines())
                        .extracting(QuotaUsage.Line::resource, QuotaUsage.Line::used)
                        .containsExactly(Tuple.tuple("cpu", 1000L), Tuple.tuple("memory", 1L)));
    }

    private static ClusterBuilder withMemory(boolean listed) {
        return aCluster()
                .cohort(
                        "x",
                        x -> x.queue("q1", queue -> {
                                    queue.quota("cpu", "1");
                                    if (listed) {
                                        queue.quota("memory", "1");
                                    }
                                })
                                .queue("q2", queue -> queue.quota("cpu", "2").quota("memory", "1")));
    }

    @Test
    void qm_05_a_workload_larger_than_what_is_left_waits() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 10));
        story.submit(aWorkload("nine").in("q").gpus(9), aWorkload("ten").in("q").gpus(10));
        assertThat(story.running()).containsExactly("nine");
        assertThat(story.reason("ten")).isEqualTo(new WaitReason.QuotaExhausted(ClusterBuilder.GPU, FLAVOR, 10, 1, 9));
        assertThat(story.gpus("q")).isEqualTo(9);
    }

    @Test
    void qm_10_a_cut_quota_is_overcommitted_not_borrowed() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 3));
        story.submit(aWorkload("old").in("q").gpus(3));
        story.configure(aCluster().queue("q", 1));
        story.submit(aWorkload("new").in("q").gpus(1));
        QuotaUsage.Line line = story.line("q", FLAVOR, ClusterBuilder.GPU);
        assertThat(line.borrowed()).isZero();
        assertThat(line.overcommitted()).isEqualTo(2);
        assertThat(story.running()).containsExactly("old");
    }

    @Test
    void bo_01_a_waiting_strict_head_that_can_always_reclaim_blocks_no_borrower() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue(
                                        "qG",
                                        queue -> queue.quota("cpu", "200m")
                                                .strict()
                                                .reclaimsAny())
                                .queue("qBE", queue -> queue.quota("cpu", "0"))));
        story.submit(aWorkload("g1").in("qG").asks("cpu", "100m"));
        story.submit(aWorkload("g2").in("qG").asks("cpu", "200m"));
        story.submit(aWorkload("be1").in("qBE").asks("cpu", "100m"));
        assertThat(story.running()).containsExactly("g1", "be1");
        story.finish("g1");
        assertThat(story.state("be1")).isEqualTo(WorkloadState.EVICTING);
        story.gone("be1");
        assertThat(story.running()).containsExactly("g2");
    }

    @Test
    void bo_08_what_the_nearest_cohort_owns_is_borrowed_first() {
        var fungibility = new dev.sluice.quota.FlavorFungibility(
                dev.sluice.quota.FlavorFungibility.Search.TRY_NEXT_FLAVOR,
                dev.sluice.quota.FlavorFungibility.Search.TRY_NEXT_FLAVOR,
                dev.sluice.quota.FlavorFungibility.Preference.BORROWING_OVER_PREEMPTION);
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "r",
                        r -> r.owns(own -> own.quota("f1", "cpu", "4"))
                                .cohort(
                                        "c",
                                        c -> c.owns(own -> own.quota("f2", "cpu", "4"))
                                                .queue(
                                                        "q",
                                                        queue -> queue.quota("f1", "cpu", "0")
                                                                .quota("f2", "cpu", "0")
                                                                .fungibility(fungibility)))));
        story.submit(aWorkload("w").in("q").asks("cpu", "2"));
        assertThat(story.line("q", "f2", "cpu").used()).isEqualTo(2000);
        assertThat(story.line("q", "f1", "cpu").used()).isZero();
    }

    @Test
    void bo_10_what_needs_no_preemption_does_not_forbid_it_for_what_does() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue(
                                        "q1",
                                        queue -> queue.quota("cpu", "4")
                                                .quota("gpu-mem", "8")
                                                .reclaimsAny())
                                .queue("q2", queue -> queue.quota("cpu", "3").quota("gpu-mem", "0"))));
        story.submit(aWorkload("used").in("q1").asks("cpu", "6").asks("gpu-mem", "0"));
        story.submit(aWorkload("b1").in("q2").asks("cpu", "0").asks("gpu-mem", "4"));
        story.submit(aWorkload("b2").in("q2").asks("cpu", "0").asks("gpu-mem", "4"));
        story.submit(aWorkload("w").in("q1").asks("cpu", "1").asks("gpu-mem", "4"));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("b2");
        story.gone("b2");
        assertThat(story.running()).contains("w");
    }

    @Test
    void mv_01_the_head_of_a_strict_queue_counts_as_pending() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(9).strict()));
        story.submit(aWorkload("blocker").in("q").gpus(9));
        for (int number = 1; number <= 5; number++) {
            story.submit(aWorkload("w" + number).in("q").gpus(1));
        }
        assertThat(story.engine().usage().queues().get("q"))
                .satisfies(
                        queue -> assertThat(queue == null ? 0 : queue.pending()).isEqualTo(5));
        assertThat(story.reason("w2")).isEqualTo(new WaitReason.BlockedByEarlier(story.id("w1"), story.reason("w1")));
    }

    @Test
    void mv_02_a_cancelled_workload_is_pending_no_more() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 1));
        story.submit(aWorkload("a").in("q").gpus(1), aWorkload("b").in("q").gpus(1));
        story.cancel("b");
        assertThat(story.engine().pending("q")).isEmpty();
        assertThat(story.status("b")).isEmpty();
    }

    @Test
    void mv_08_being_preempted_again_and_again_does_not_make_the_reason_longer() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("lo").in("q").gpus(4));
        List<WaitReason> reasons = new ArrayList<>();
        for (int time = 1; time <= 5; time++) {
            story.submit(aWorkload("hi" + time).in("q").gpus(4).priority(10));
            story.gone("lo");
            story.ready("hi" + time);
            reasons.add(story.reason("lo"));
            story.finish("hi" + time);
            assertThat(story.running()).containsExactly("lo");
        }
        assertThat(reasons).hasSize(5).allMatch(reasons.getFirst()::equals);
        assertThat(story.status("lo").orElseThrow().evictionCount()).isEqualTo(5);
    }

    @Test
    void mv_11_the_workloads_of_a_deleted_local_queue_leave_the_cluster_queue() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 0));
        story.submit(aWorkload("a").in("q").gpus(1), aWorkload("b").in("q").gpus(1));
        assertThat(story.engine().pending("q")).hasSize(2);
        story.configure(aCluster().queue("q", 0).withoutLocalQueue("q"));
        assertThat(story.engine().pending("q")).isEmpty();
        assertThat(story.reason("a")).isEqualTo(new WaitReason.QueueInactive("q", "LocalQueue q does not exist"));
    }

    @Test
    void qt_01_one_exa_of_cpu_is_very_much() {
        EngineStory story = EngineStory.on(aCluster().queue("q", queue -> queue.quota("cpu", "1E")));
        story.submit(aWorkload("w").in("q").asks("cpu", "1"));
        assertThat(story.running()).containsExactly("w");
    }

    @Test
    void qt_04_amounts_beyond_the_range_wait_and_usage_is_never_negative() {
        EngineStory story = EngineStory.on(aCluster().queue("q", queue -> queue.quota("cpu", "10")));
        story.submit(
                aWorkload("a").in("q").asks("cpu", "9223372036854775807"),
                aWorkload("b").in("q").asks("cpu", "9e15").pods(2000));
        assertThat(story.running()).isEmpty();
        assertThat(story.reason("a").isNever()).isTrue();
        assertThat(story.reason("b").isNever()).isTrue();
        assertThat(story.line("q", FLAVOR, "cpu").used()).isZero();
    }

    @Test
    void qt_07_a_fraction_more_than_the_quota_waits() {
        EngineStory story = EngineStory.on(aCluster().queue("q", queue -> queue.quota("memory", "4Gi")));
        story.submit(aWorkload("w").in("q").asks("memory", "4.1Gi"));
        story.submit(aWorkload("v").in("q").asks("memory", "1.5Gi"));
        assertThat(story.running()).containsExactly("v");
        assertThat(story.line("q", FLAVOR, "memory").used()).isEqualTo(3L << 29);
    }

    @Test
    void what_a_queue_that_is_gone_held_is_free_again_when_the_queue_comes_back_elsewhere() {
        ClusterBuilder before = aCluster()
                .cohort("lab", lab -> lab.owns(own -> own.gpus(4)).queue("a", 0).queue("old", 0));
        EngineStory story = EngineStory.on(before);
        story.submit(aWorkload("first").in("old").gpus(4));
        story.configure(aCluster()
                .cohort("lab", lab -> lab.owns(own -> own.gpus(4)).queue("a", 0)));
        story.submit(aWorkload("second").in("a").gpus(4));
        assertThat(story.running()).containsExactly("first");

        story.configure(aCluster()
                .cohort("lab", lab -> lab.owns(own -> own.gpus(4)).queue("a", 0))
                .cohort("elsewhere", elsewhere -> elsewhere.queue("old", 4)));

        assertThat(story.running()).containsExactly("first", "second");
    }
}
