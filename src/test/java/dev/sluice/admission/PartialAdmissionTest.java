package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.FLAVOR;
import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.Explanation.Verdict;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadState;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A workload that may start with fewer pods starts with as many as fit. */
@Tag("core")
class PartialAdmissionTest {
    private static EngineStory withFree(long gpus) {
        return EngineStory.on(aCluster().queue("q", gpus));
    }

    @ParameterizedTest(name = "of 10 pods at least {0}, room for {1}: {2}")
    @CsvSource({"4,20,10", "4,10,10", "4,9,9", "4,7,7", "4,4,4", "4,3,0", "1,1,1", "1,0,0", "10,9,0", "9,9,9"})
    void as_many_pods_start_as_fit_but_not_fewer_than_are_enough(int fewest, int room, int started) {
        EngineStory story = withFree(room);
        story.submit(aWorkload("w").in("q").pods(10).atLeast(fewest).gpus(1));
        assertThat(story.admittedPods("w")).isEqualTo(started);
        assertThat(story.gpus("q")).isEqualTo(started);
    }

    @Test
    void what_started_with_fewer_pods_does_not_grow_and_leaves_the_rest_to_others() {
        EngineStory story = withFree(5);
        story.submit(aWorkload("running").in("q").gpus(2));
        story.submit(aWorkload("shrinking").in("q").pods(5).atLeast(2).gpus(1));
        story.finish("running");
        story.submit(aWorkload("next").in("q").gpus(2));
        assertThat(story.admittedPods("shrinking")).isEqualTo(3);
        assertThat(story.running()).containsExactly("shrinking", "next");
    }

    @Test
    void all_pods_by_preemption_are_better_than_a_few_without() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(7).preemptsLower()));
        story.submit(aWorkload("low").in("q").gpus(3));
        story.submit(aWorkload("high").in("q").priority(1).pods(6).atLeast(2).gpus(1));
        assertThat(story.state("low")).isEqualTo(WorkloadState.EVICTING);
        story.gone("low");
        assertThat(story.admittedPods("high")).isEqualTo(6);
    }

    @Test
    void it_preempts_for_as_many_as_it_may_if_it_cannot_have_all() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(6).preemptsLower()));
        story.submit(aWorkload("low").in("q").gpus(4));
        story.submit(aWorkload("peer").in("q").priority(1).gpus(2));
        story.submit(aWorkload("high").in("q").priority(1).pods(6).atLeast(3).gpus(1));
        assertThat(story.state("low")).isEqualTo(WorkloadState.EVICTING);
        story.gone("low");
        assertThat(story.admittedPods("high")).isEqualTo(4);
        assertThat(story.running()).containsExactly("peer", "high");
    }

    @Test
    void why_it_waits_is_told_of_the_fewest_pods_and_never_only_if_not_even_they_could_ever_start() {
        EngineStory story = withFree(8);
        story.submit(aWorkload("running").in("q").gpus(6));
        story.submit(
                aWorkload("larger-than-the-queue").in("q").pods(20).atLeast(4).gpus(1));
        assertThat(story.reason("larger-than-the-queue"))
                .isEqualTo(new WaitReason.QuotaExhausted(GPU, FLAVOR, 4, 2, 2));
        story.submit(aWorkload("hopeless").in("q").pods(20).atLeast(9).gpus(1));
        assertThat(story.reason("hopeless")).isEqualTo(new WaitReason.ExceedsMaximum(GPU, FLAVOR, 9, 8));
    }

    @Test
    void an_explanation_tells_the_pods_that_would_start_and_what_else_would_help() {
        EngineStory story = withFree(8);
        story.submit(aWorkload("running").in("q").gpus(6));
        Explanation two = story.engine()
                .explain(aWorkload("two").in("q").pods(5).atLeast(1).gpus(1).build(), story.now());
        assertThat(two.verdict()).isEqualTo(Verdict.ADMIT);
        assertThat(two.assignment())
                .satisfies(assignment -> assertThat(
                                assignment == null
                                        ? 0
                                        : assignment.podSets().getFirst().count())
                        .isEqualTo(2));

        story.submit(aWorkload("three").in("q").pods(5).atLeast(3).gpus(1));
        Explanation three =
                story.engine().explain(story.id("three"), story.now()).orElseThrow();
        assertThat(three.verdict()).isEqualTo(Verdict.WAIT);
        assertThat(three.wouldRunIf()).extracting(Explanation.Change::change).containsExactly("podSets.main.count = 2");
        story.finish("running");
        assertThat(story.admittedPods("three")).isEqualTo(5);
    }

    @Test
    void an_evicted_workload_asks_for_all_its_pods_again() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("w").in("q").pods(6).atLeast(1).gpus(1));
        assertThat(story.admittedPods("w")).isEqualTo(4);
        story.submit(aWorkload("urgent").in("q").priority(1).gpus(3));
        story.gone("w");
        assertThat(story.admittedPods("w")).isEqualTo(1);
        story.step(new EngineEvent.ActivationChanged(story.id("w"), false));
        story.gone("w");
        story.configure(aCluster().queue("q", 9));
        story.step(new EngineEvent.ActivationChanged(story.id("w"), true));
        assertThat(story.admittedPods("w")).isEqualTo(6);
    }

    @Test
    void pods_that_are_done_are_left_out_of_what_may_shrink() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("w").in("q").pods(4).atLeast(2).gpus(1));
        story.step(new EngineEvent.PodsReclaimable(story.id("w"), new TreeMap<>(Map.of("main", 3))));
        story.submit(aWorkload("urgent").in("q").priority(1).gpus(4));
        story.gone("w");
        assertThat(story.state("w")).isEqualTo(WorkloadState.PENDING);
        story.finish("urgent");
        assertThat(story.admittedPods("w")).isEqualTo(1);
    }
}
