package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.FLAVOR;
import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.EngineStory;
import dev.sluice.testkit.WorkloadBuilder;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Why somebody waits is told with the numbers of now, whenever it was found; also of work that is not submitted yet. */
@Tag("core")
class ReasonsOfNowTest {
    private static final List<AdmissionSettings> BOTH =
            List.of(AdmissionSettings.defaults(), AdmissionSettings.kueueParity());

    private static WaitReason reasonIfSubmitted(EngineStory story, WorkloadBuilder workload) {
        WaitReason reason = story.engine()
                .explain(workload.createdAt(story.now()).sequence(99).build(), story.now())
                .reason();
        return reason == null ? new WaitReason.NotYetConsidered() : reason;
    }

    @Test
    void what_ended_since_it_was_looked_at_is_in_the_numbers() {
        for (AdmissionSettings settings : BOTH) {
            EngineStory story = EngineStory.on(aCluster().queue("q", 8).build(), settings);
            story.submit(
                    aWorkload("a").in("q").gpus(5),
                    aWorkload("b").in("q").gpus(2),
                    aWorkload("c").in("q").gpus(1));
            story.submit(aWorkload("waits").in("q").gpus(6));
            assertThat(story.reason("waits")).isEqualTo(new WaitReason.QuotaExhausted(GPU, FLAVOR, 6, 0, 6));
            story.finish("b");
            assertThat(story.reason("waits")).isEqualTo(new WaitReason.QuotaExhausted(GPU, FLAVOR, 6, 2, 4));
            story.finish("c");
            assertThat(story.reason("waits")).isEqualTo(new WaitReason.QuotaExhausted(GPU, FLAVOR, 6, 3, 3));
        }
    }

    @Test
    void what_began_since_it_was_looked_at_is_in_the_numbers() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 8));
        story.submit(aWorkload("a").in("q").gpus(5));
        story.submit(aWorkload("waits").in("q").gpus(6));
        assertThat(story.reason("waits")).isEqualTo(new WaitReason.QuotaExhausted(GPU, FLAVOR, 6, 3, 3));
        story.submit(aWorkload("small").in("q").gpus(2));
        assertThat(story.running()).containsExactly("a", "small");
        assertThat(story.reason("waits")).isEqualTo(new WaitReason.QuotaExhausted(GPU, FLAVOR, 6, 1, 5));
    }

    @Test
    void nobody_waits_behind_another_in_a_queue_where_all_may_pass() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 4));
        story.submit(aWorkload("runs").in("q").gpus(3));
        story.submit(aWorkload("first").in("q").gpus(4));
        story.submit(aWorkload("second").in("q").gpus(2));
        assertThat(story.reason("second")).isEqualTo(new WaitReason.QuotaExhausted(GPU, FLAVOR, 2, 1, 1));
    }

    @Test
    void what_would_need_the_same_as_the_head_of_a_strict_queue_would_wait_behind_it_and_nothing_else() {
        EngineStory story = EngineStory.on(aCluster()
                .queue("q", queue -> queue.quota("gpu", "4").quota("cpu", "8").strict()));
        story.submit(aWorkload("runs").in("q").asks("gpu", "3"));
        story.submit(aWorkload("head").in("q").asks("gpu", "4"));
        WaitReason ofTheHead = new WaitReason.QuotaExhausted("gpu", "default", 4, 1, 3);
        assertThat(story.reason("head")).isEqualTo(ofTheHead);
        assertThat(reasonIfSubmitted(story, aWorkload("same").in("q").asks("gpu", "1")))
                .isEqualTo(new WaitReason.BlockedByEarlier(story.id("head"), ofTheHead));
        assertThat(reasonIfSubmitted(story, aWorkload("other").in("q").asks("cpu", "1")))
                .as("it would start")
                .isEqualTo(new WaitReason.NotYetConsidered());
        assertThat(reasonIfSubmitted(
                        story, aWorkload("none").in("q").asks("cpu", "1").asks("gpu", "0")))
                .as("none of it is the same")
                .isEqualTo(new WaitReason.NotYetConsidered());
    }

    @Test
    void in_parity_whatever_comes_waits_behind_the_head_of_a_strict_queue() {
        EngineStory story = EngineStory.on(
                aCluster()
                        .queue(
                                "q",
                                queue -> queue.quota("gpu", "4")
                                        .quota("cpu", "8")
                                        .strict())
                        .build(),
                AdmissionSettings.kueueParity());
        story.submit(aWorkload("runs").in("q").asks("gpu", "3"));
        story.submit(aWorkload("head").in("q").asks("gpu", "4"));
        assertThat(reasonIfSubmitted(story, aWorkload("other").in("q").asks("cpu", "1")))
                .isInstanceOf(WaitReason.BlockedByEarlier.class);
    }

    @Test
    void the_first_of_a_best_effort_queue_that_waited_long_is_what_others_wait_behind() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", 4).build(),
                AdmissionSettings.defaults().with(new OrderKeeping(true, Duration.ofMinutes(10))));
        story.submit(aWorkload("runs").in("q").gpus(3));
        story.submit(aWorkload("gang").in("q").gpus(4));
        story.after(Duration.ofMinutes(20));
        story.submit(aWorkload("small").in("q").gpus(1));
        assertThat(story.running()).containsExactly("runs");
        assertThat(story.reason("small"))
                .isEqualTo(new WaitReason.BlockedByEarlier(
                        story.id("gang"), new WaitReason.QuotaExhausted(GPU, FLAVOR, 4, 1, 3)));
        assertThat(story.reason("gang")).isEqualTo(new WaitReason.QuotaExhausted(GPU, FLAVOR, 4, 1, 3));
    }

    @Test
    void who_does_not_wait_has_no_reason() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 4));
        story.submit(aWorkload("runs").in("q").gpus(3));
        assertThat(story.engine().reason(story.id("runs"))).isEmpty();
        story.cancel("runs");
        assertThat(story.engine().reason(story.id("runs"))).as("on its way out").isEmpty();
    }
}
