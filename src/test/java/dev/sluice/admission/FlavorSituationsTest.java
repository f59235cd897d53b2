package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.FlavorFungibility;
import dev.sluice.quota.FlavorFungibility.Preference;
import dev.sluice.quota.FlavorFungibility.Search;
import dev.sluice.quota.Taint;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadState;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** On which flavor a workload starts, in situations that people met elsewhere. */
@Tag("core")
class FlavorSituationsTest {
    private static final FlavorFungibility PREEMPT_BEFORE_BORROWING =
            new FlavorFungibility(Search.TRY_NEXT_FLAVOR, Search.TRY_NEXT_FLAVOR, Preference.PREEMPTION_OVER_BORROWING);

    @Test
    void a_flavor_with_nobody_to_preempt_is_no_better_than_one_that_fits_from_far_away() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "root",
                        root -> root.owns(own -> own.quota("a", "cpu", "0").quota("b", "cpu", "200"))
                                .cohort(
                                        "mid",
                                        mid -> mid.queue(
                                                "target",
                                                queue -> queue.quota("a", "cpu", "10")
                                                        .borrowAtMost(0)
                                                        .quota("b", "cpu", "0")
                                                        .preemptsLower()
                                                        .reclaimsAny()
                                                        .fungibility(PREEMPT_BEFORE_BORROWING)))));
        story.submit(aWorkload("fills").in("target").asks("cpu", "10").priority(5));
        story.submit(aWorkload("next").in("target").asks("cpu", "4"));
        assertThat(story.running()).containsExactly("fills", "next");
        assertThat(story.line("target", "b", "cpu").used()).isEqualTo(4000);
    }

    @Test
    void a_label_that_only_another_flavor_of_the_group_has_says_nothing_of_this_one() {
        EngineStory story = EngineStory.on(aCluster()
                .flavor("old", Map.of("zone", "a"))
                .flavor("new", Map.of("zone", "b", "disk", "ssd"))
                .queue("q", queue -> queue.quota("old", GPU, "4").quota("new", GPU, "0")));
        story.submit(aWorkload("w").in("q").gpus(1).onNodesWith("disk", "ssd"));
        assertThat(story.running()).containsExactly("w");
        assertThat(story.line("q", "old", GPU).used()).isEqualTo(1);
    }

    private static ClusterBuilder tainted(Taint... taints) {
        return aCluster()
                .flavor("spot", Map.of("pool", "spot"), taints)
                .queue("q", queue -> queue.quota("spot", GPU, "4"));
    }

    @Test
    void a_taint_that_is_taken_off_a_flavor_lets_start_who_did_not_tolerate_it() {
        EngineStory story = EngineStory.on(tainted(new Taint("spot", "true", "NoSchedule")));
        story.submit(aWorkload("w").in("q").gpus(1));
        assertThat(story.reason("w")).isInstanceOf(WaitReason.NoMatchingFlavor.class);
        story.configure(tainted());
        assertThat(story.running()).containsExactly("w");
        story.configure(tainted(new Taint("spot", "true", "NoSchedule")));
        assertThat(story.running()).as("what runs goes on").containsExactly("w");
    }

    @Test
    void labels_that_a_flavor_gets_later_let_start_who_asked_for_them() {
        ClusterBuilder before =
                aCluster().flavor("f", Map.of("gpu", "a100")).queue("q", queue -> queue.quota("f", GPU, "4"));
        ClusterBuilder after =
                aCluster().flavor("f", Map.of("gpu", "h100")).queue("q", queue -> queue.quota("f", GPU, "4"));
        EngineStory story = EngineStory.on(before);
        story.submit(aWorkload("w").in("q").gpus(1).onNodesWith("gpu", "h100"));
        assertThat(story.state("w")).isEqualTo(WorkloadState.PENDING);
        story.configure(after);
        assertThat(story.running()).containsExactly("w");
    }

    @Test
    void each_of_several_jobs_finds_the_one_flavor_that_it_asks_for() {
        EngineStory story = EngineStory.on(aCluster()
                .flavor("curie", Map.of("node", "curie"))
                .flavor("newton", Map.of("node", "newton"))
                .flavor("bohr", Map.of("node", "bohr"))
                .queue(
                        "q",
                        queue -> queue.quota("curie", GPU, "4")
                                .quota("bohr", GPU, "4")
                                .quota("newton", GPU, "4")
                                .preemptsLowerOrNewer()));
        story.submit(
                aWorkload("n1").in("q").gpus(4).onNodesWith("node", "newton"),
                aWorkload("n2").in("q").gpus(4).onNodesWith("node", "newton"),
                aWorkload("c1").in("q").gpus(4).onNodesWith("node", "curie"),
                aWorkload("b1").in("q").gpus(4).onNodesWith("node", "bohr"));
        assertThat(story.running()).containsExactly("n1", "c1", "b1");
        story.finish("n1");
        assertThat(story.running()).containsExactly("n2", "c1", "b1");
    }

    private static ClusterBuilder with(boolean second) {
        return aCluster().queue("q", queue -> {
            queue.quota("first", GPU, "2");
            if (second) {
                queue.quota("second", GPU, "2");
            }
        });
    }

    @Test
    void a_flavor_taken_from_a_queue_keeps_who_runs_on_it_and_takes_nobody_new() {
        EngineStory story = EngineStory.on(with(true));
        story.submit(aWorkload("w1").in("q").gpus(2), aWorkload("w2").in("q").gpus(2));
        story.configure(with(false));
        story.submit(aWorkload("w3").in("q").gpus(2));
        assertThat(story.running()).containsExactly("w1", "w2");
        story.configure(with(true));
        assertThat(story.running()).as("w2 is charged there still").containsExactly("w1", "w2");
        story.finish("w2");
        assertThat(story.running()).containsExactly("w1", "w3");
    }

    @Test
    void a_preemptor_whose_flavor_is_taken_away_meanwhile_starts_where_it_may() {
        EngineStory story = EngineStory.on(aCluster()
                .queue(
                        "q",
                        queue -> queue.quota("first", GPU, "2")
                                .quota("second", GPU, "2")
                                .preemptsLower()));
        story.submit(aWorkload("lo1").in("q").gpus(2).priority(1));
        story.submit(aWorkload("lo2").in("q").gpus(2).priority(2));
        story.submit(aWorkload("hi").in("q").gpus(2).priority(9));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lo1");
        story.configure(
                aCluster().queue("q", queue -> queue.quota("second", GPU, "2").preemptsLower()));
        story.settle();
        assertThat(story.running()).containsExactly("hi");
        assertThat(story.line("q", "second", GPU).used()).isEqualTo(2);
    }

    @Test
    void a_resource_of_which_nothing_is_asked_need_not_be_covered() {
        EngineStory story = EngineStory.on(aCluster().queue("q", queue -> queue.quota("memory", "36Gi")));
        story.submit(aWorkload("w").in("q").pods(3).asks("memory", "200Mi").gpus(0));
        assertThat(story.running()).containsExactly("w");
    }

    @Test
    void a_kind_of_pods_of_which_there_are_none_needs_no_flavor() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", queue -> queue.quota(GPU, "4").quota("pods", "4")));
        story.submit(aWorkload("w").in("q").gpus(1).pods(2).with(PodSet.of("none", 0, Map.of("example.com/fpga", 3L))));
        assertThat(story.running()).containsExactly("w");
        assertThat(story.line("q", ClusterBuilder.FLAVOR, "pods").used()).isEqualTo(2);
    }

    @Test
    void the_number_of_pods_can_be_what_is_short() {
        EngineStory story = EngineStory.on(aCluster()
                .queue(
                        "q",
                        queue -> queue.quota("cpu", "100").quota("pods", "3").preemptsLower()));
        story.submit(aWorkload("lo").in("q").asks("cpu", "1").pods(2));
        story.submit(aWorkload("same").in("q").asks("cpu", "1").pods(2));
        assertThat(story.reason("same"))
                .isEqualTo(new WaitReason.QuotaExhausted("pods", ClusterBuilder.FLAVOR, 2, 1, 1));
        story.submit(aWorkload("hi").in("q").asks("cpu", "1").pods(3).priority(5));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lo");
    }

    @Test
    void kinds_of_pods_that_ask_for_different_nodes_get_different_flavors() {
        EngineStory story = EngineStory.on(aCluster()
                .flavor("single", Map.of("nvlink", "single"))
                .flavor("multi", Map.of("nvlink", "multi"))
                .queue(
                        "q",
                        queue -> queue.quota("single", GPU, "16")
                                .quota("multi", GPU, "8")
                                .preemptsLower()));
        PodSet worker = PodSet.of("worker", 2, Map.of(GPU, 8L));
        story.submit(aWorkload("lo")
                .in("q")
                .gpus(8)
                .onNodesWith("nvlink", "multi")
                .with(worker)
                .priority(1));
        assertThat(story.line("q", "single", GPU).used()).isEqualTo(16);
        assertThat(story.line("q", "multi", GPU).used()).isEqualTo(8);
        story.submit(aWorkload("hi")
                .in("q")
                .gpus(8)
                .onNodesWith("nvlink", "multi")
                .with(worker)
                .priority(9));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lo");
        story.settle();
        assertThat(story.running()).containsExactly("hi");
    }

    @Test
    void resources_of_different_groups_choose_their_flavors_apart() {
        EngineStory story = EngineStory.on(aCluster()
                .queue(
                        "q",
                        queue -> queue.quota("x86", "cpu", "4")
                                .quota("arm", "cpu", "8")
                                .quota("a100", GPU, "1")
                                .quota("h100", GPU, "4")));
        story.submit(aWorkload("w1").in("q").asks("cpu", "3").gpus(1));
        story.submit(aWorkload("w2").in("q").asks("cpu", "3").gpus(2));
        assertThat(List.of(
                        story.line("q", "x86", "cpu").used(),
                        story.line("q", "arm", "cpu").used(),
                        story.line("q", "a100", GPU).used(),
                        story.line("q", "h100", GPU).used()))
                .containsExactly(3000L, 3000L, 1L, 2L);
    }

    @Test
    void a_smaller_request_starts_and_a_larger_one_waits_from_when_it_is_edited() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 4));
        story.submit(aWorkload("runs").in("q").gpus(2));
        story.submit(aWorkload("edited").in("q").gpus(4));
        story.step(new EngineEvent.PodSetsChanged(story.id("edited"), List.of(PodSet.of("main", 1, Map.of(GPU, 2L)))));
        assertThat(story.running()).containsExactly("runs", "edited");
    }
}
