package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadId;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whom one with an earmark waits for: no more of those on their way out than it needs. */
@Tag("core")
class AwaitedTest {
    /** Those run with as many GPUs each and are cancelled; then somebody asks. Returns whom it waits for. */
    private static List<WorkloadId> awaited(EngineStory story, long asked, long... leaving) {
        for (int number = 0; number < leaving.length; number++) {
            story.submit(aWorkload("l" + number).in("q").gpus(leaving[number]).priority(number));
        }
        for (int number = 0; number < leaving.length; number++) {
            story.cancel("l" + number);
        }
        story.submit(aWorkload("asks").in("q").gpus(asked));
        WaitReason reason = story.reason("asks");
        assertThat(reason).isInstanceOf(WaitReason.AwaitingVictims.class);
        return ((WaitReason.AwaitingVictims) reason).victims();
    }

    private static List<WorkloadId> ids(EngineStory story, String... names) {
        return Stream.of(names).map(story::id).toList();
    }

    @Test
    void the_first_to_go_is_enough() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 8));
        assertThat(awaited(story, 4, 4, 4)).isEqualTo(ids(story, "l0"));
        story.gone("l1");
        assertThat(story.running()).as("whoever is gone first").containsExactly("asks");
    }

    @Test
    void whom_it_could_do_without_once_a_larger_one_goes_it_does_not_wait_for() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 6));
        assertThat(awaited(story, 4, 2, 4)).isEqualTo(ids(story, "l1"));
    }

    @Test
    void whom_it_cannot_do_without_it_waits_for() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 4));
        assertThat(awaited(story, 4, 2, 2)).isEqualTo(ids(story, "l0", "l1"));
    }

    @Test
    void the_smaller_of_two_is_done_without_if_the_larger_is_needed() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 5));
        assertThat(awaited(story, 4, 1, 2, 2)).isEqualTo(ids(story, "l1", "l2"));
    }

    @Test
    void where_everybody_is_woken_room_that_is_getting_free_is_set_aside_for_who_may_not_preempt_too() {
        EngineStory story = EngineStory.on(
                aCluster()
                        .cohort(
                                "lab",
                                lab -> lab.queue(
                                                "reclaims",
                                                queue -> queue.gpus(4).reclaimsAny())
                                        .queue("waits", 4)
                                        .queue("borrows", 0))
                        .build(),
                WakingTest.wakingEverybody());
        story.submit(aWorkload("big").in("borrows").gpus(8));
        story.submit(aWorkload("patient").in("waits").gpus(4));
        assertThat(story.reason("patient").code()).isEqualTo("QUOTA_EXHAUSTED");
        story.submit(aWorkload("owner").in("reclaims").gpus(4));
        assertThat(story.reason("patient")).isEqualTo(new WaitReason.AwaitingVictims(ids(story, "big")));
        story.gone("big");
        assertThat(story.running()).containsExactly("patient", "owner");
    }
}
