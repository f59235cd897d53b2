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

    /** Tells the engine of an end, without letting it decide. */
    private static void endsUndecided(EngineStory story, String name) {
        story.engine().apply(new EngineEvent.WorkloadFinished(story.id(name), true), story.now());
    }

    @Test
    void what_ended_and_is_not_decided_on_yet_is_in_the_numbers() {
        for (AdmissionSettings settings : BOTH) {
            EngineStory story = EngineStory.on(aCluster().queue("q", 8).build(), settings);
            story.submit(aWorkload("a").in("q").gpus(5), aWorkload("b").in("q").gpus(3));
            story.submit(aWorkload("waits").in("q").gpus(6));
            endsUndecided(story, "a");
            assertThat(story.reason("waits")).isEqualTo(new WaitReason.QuotaExhausted(GPU, FLAVOR, 6, 5, 1));
            endsUndecided(story, "b");
            assertThat(story.engine().reason(story.id("waits")).orElseThrow())
                    .as("nothing is missing any more: what was found last is told until it starts")
                    .extracting("requested", "shortBy")
                    .containsExactly(6L, 6L);
        }
    }

    @Test
    void what_was_found_short_first_is_not_told_when_it_is_another_resource_by_now() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", queue -> queue.quota("gpu", "4").quota("cpu", "8")));
        story.submit(aWorkload("has-the-gpus").in("q").asks("gpu", "4"));
        story.submit(aWorkload("waits").in("q").asks("gpu", "2").asks("cpu", "6"));
        assertThat(story.reason("waits")).isEqualTo(new WaitReason.QuotaExhausted("gpu", FLAVOR, 2, 0, 2));
        story.submit(aWorkload("takes-cpus").in("q").asks("cpu", "4"));
        story.finish("has-the-gpus");
        assertThat(story.running()).containsExactly("takes-cpus");
        assertThat(story.reason("waits")).isEqualTo(new WaitReason.QuotaExhausted("cpu", FLAVOR, 6000, 4000, 2000));
    }

    @Test
    void in_a_best_effort_queue_nobody_waits_behind_the_first_even_before_it_was_looked_at() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 4));
        story.submit(aWorkload("runs").in("q").gpus(4));
        story.engine().apply(story.queued(aWorkload("first").in("q").gpus(4)), story.now());
        story.engine().apply(story.queued(aWorkload("second").in("q").gpus(2)), story.now());
        assertThat(story.reason("second")).isEqualTo(new WaitReason.NotYetConsidered());
    }

    private static EngineStory strictWithAHeadThatLacksGpus(String cpusInUse) {
        EngineStory story = EngineStory.on(aCluster()
                .queue("q", queue -> queue.quota("gpu", "4").quota("cpu", "8").strict()));
        story.submit(aWorkload("runs").in("q").asks("gpu", "3").asks("cpu", cpusInUse));
        story.submit(aWorkload("head").in("q").asks("gpu", "4"));
        return story;
    }

    @Test
    void who_lacks_something_else_than_the_head_of_a_strict_queue_is_told_what() {
        EngineStory story = strictWithAHeadThatLacksGpus("6");
        story.submit(aWorkload("second").in("q").asks("cpu", "5"));
        assertThat(story.reason("second")).isEqualTo(new WaitReason.QuotaExhausted("cpu", FLAVOR, 5000, 2000, 3000));
    }

    @Test
    void where_a_strict_head_leaves_nothing_whoever_comes_waits_behind_it() {
        EngineStory story = strictWithAHeadThatLacksGpus("8");
        story.submit(aWorkload("second").in("q").asks("cpu", "5"));
        assertThat(story.reason("second"))
                .isEqualTo(new WaitReason.BlockedByEarlier(
                        story.id("head"), new WaitReason.QuotaExhausted("gpu", FLAVOR, 4, 1, 3)));
    }

    @Test
    void a_resource_of_which_the_head_asks_for_nothing_is_not_what_it_needs() {
        EngineStory story = EngineStory.on(aCluster()
                .queue("q", queue -> queue.quota("gpu", "4").quota("cpu", "8").strict()));
        story.submit(aWorkload("runs").in("q").asks("gpu", "3"));
        story.submit(aWorkload("head").in("q").asks("gpu", "4").asks("cpu", "0"));
        assertThat(reasonIfSubmitted(story, aWorkload("other").in("q").asks("cpu", "1")))
                .as("it would start")
                .isEqualTo(new WaitReason.NotYetConsidered());
    }
}
