package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.FLAVOR;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadState;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Work whose author asks for something else than before: while it waits that counts, while it runs with fewer pods it goes on. */
@Tag("core")
class ReshapedTest {
    private static final ClusterBuilder FOUR_GPUS = aCluster().queue("q", 4);

    @Test
    void who_waits_and_asks_for_less_starts_if_that_fits() {
        EngineStory story = EngineStory.on(FOUR_GPUS);
        story.submit(aWorkload("w").in("q").gpus(2).pods(3));
        assertThat(story.state("w")).isEqualTo(WorkloadState.PENDING);

        asks(story, "w", 2, 2);

        assertThat(story.running()).containsExactly("w");
        assertThat(story.gpus("q")).isEqualTo(4);
    }

    @Test
    void who_waits_and_asks_for_more_than_there_is_says_so() {
        EngineStory story = EngineStory.on(FOUR_GPUS);
        story.submit(aWorkload("other").in("q").gpus(4), aWorkload("w").in("q").gpus(2));

        asks(story, "w", 3, 2);

        assertThat(story.reason("w"))
                .isInstanceOfSatisfying(
                        WaitReason.ExceedsMaximum.class,
                        exceeds -> assertThat(exceeds.requested()).isEqualTo(6));
        story.finish("other");
        assertThat(story.state("w")).isEqualTo(WorkloadState.PENDING);
    }

    @Test
    void who_waits_for_its_victims_gives_its_place_up_and_is_looked_at_anew() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("low").in("q").gpus(4));
        story.submit(aWorkload("high").in("q").gpus(4).priority(10));
        assertThat(story.state("low")).isEqualTo(WorkloadState.EVICTING);

        asks(story, "high", 1, 8);
        story.gone("low");

        assertThat(story.running()).containsExactly("low");
    }

    @Test
    void what_only_reserved_its_quota_gives_it_back_and_waits_for_what_it_asks_for_now() {
        EngineStory story = EngineStory.on(aCluster()
                .admissionCheck("budget")
                .queue("q", queue -> queue.gpus(4).checks("budget")));
        story.submit(aWorkload("w").in("q").gpus(4));
        assertThat(story.state("w")).isEqualTo(WorkloadState.RESERVED);

        asks(story, "w", 1, 8);

        assertThat(story.state("w")).isEqualTo(WorkloadState.PENDING);
        assertThat(story.gpus("q")).isZero();
    }

    @Test
    void what_holds_quota_for_other_pods_than_it_asks_for_leaves_and_is_charged_anew() {
        EngineStory story = EngineStory.on(FOUR_GPUS);
        story.submit(aWorkload("w").in("q").gpus(2).pods(2));

        asks(story, "w", 1, 3);

        assertThat(story.state("w")).isEqualTo(WorkloadState.EVICTING);
        assertThat(story.engine().charged())
                .as("until its pods are gone")
                .containsEntry(story.id("w"), WorkloadState.EVICTING);
        asks(story, "w", 3, 1);
        story.gone("w");
        assertThat(story.running()).containsExactly("w");
        assertThat(story.gpus("q")).as("what it asked for last").isEqualTo(3);
        assertThat(story.engine().ledgerDrift()).isEmpty();
    }

    @Test
    void who_was_scaled_to_nothing_holds_nothing_and_asks_anew_for_what_it_wants_then() {
        EngineStory story = EngineStory.on(FOUR_GPUS);
        story.submit(aWorkload("w").in("q").gpus(2).pods(2));
        story.ready("w");
        scale(story, "w", 0);
        assertThat(story.gpus("q")).isZero();
        assertThat(story.state("w")).isEqualTo(WorkloadState.RUNNING);
        story.submit(aWorkload("other").in("q").gpus(4));
        assertThat(story.running()).containsExactlyInAnyOrder("other", "w");

        asks(story, "w", 2, 2);
        story.gone("w");

        assertThat(story.state("w")).isEqualTo(WorkloadState.PENDING);
        story.finish("other");
        assertThat(story.running()).containsExactly("w");
        assertThat(story.gpus("q")).isEqualTo(4);
        assertThat(story.engine().ledgerDrift()).isEmpty();
    }

    @Test
    void lc_14_a_job_of_a_hundred_pods_that_is_scaled_to_fifty_frees_the_quota_of_fifty_for_good() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 100));
        story.submit(aWorkload("many").in("q").gpus(1).pods(100));
        story.ready("many");
        story.step(new EngineEvent.PodsReclaimable(story.id("many"), new TreeMap<>(Map.of("main", 10))));
        story.submit(aWorkload("next").in("q").gpus(50));
        assertThat(story.state("next")).isEqualTo(WorkloadState.PENDING);

        scale(story, "many", 50);

        assertThat(story.running()).containsExactly("many", "next");
        assertThat(story.admittedPods("many")).isEqualTo(50);
        assertThat(story.gpus("q")).isEqualTo(50 - 10 + 50);
        assertThat(story.engine().ledgerDrift()).isEmpty();
        story.step(new EngineEvent.PodsReclaimable(story.id("many"), new TreeMap<>()));
        assertThat(story.gpus("q")).as("of fifty, whatever is done").isEqualTo(100);
    }

    @Test
    void what_was_scaled_down_is_evicted_whole_and_comes_back_for_the_smaller_number() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(8).preemptsLower()));
        story.submit(aWorkload("w").in("q").gpus(2).pods(4));
        scale(story, "w", 1);
        assertThat(story.gpus("q")).isEqualTo(2);

        story.submit(aWorkload("high").in("q").gpus(8).priority(10));
        story.gone("w");
        assertThat(story.running()).containsExactly("high");
        assertThat(story.gpus("q")).isEqualTo(8);
        story.finish("high");

        assertThat(story.running()).containsExactly("w");
        assertThat(story.line("q", FLAVOR, ClusterBuilder.GPU).used()).isEqualTo(2);
    }

    @Test
    void more_pods_than_were_admitted_are_no_scaling_down() {
        EngineStory story = EngineStory.on(FOUR_GPUS);
        story.submit(aWorkload("w").in("q").gpus(1).pods(2));

        scale(story, "w", 4);

        assertThat(story.gpus("q")).isEqualTo(2);
        assertThat(story.admittedPods("w")).isEqualTo(2);
    }

    private static void asks(EngineStory story, String workload, int pods, long gpusPerPod) {
        story.step(new EngineEvent.PodSetsChanged(
                story.id(workload), List.of(PodSet.of("main", pods, Map.of(ClusterBuilder.GPU, gpusPerPod)))));
    }

    private static void scale(EngineStory story, String workload, int pods) {
        story.step(new EngineEvent.PodsScaledDown(story.id(workload), new TreeMap<>(Map.of("main", pods))));
    }
}
