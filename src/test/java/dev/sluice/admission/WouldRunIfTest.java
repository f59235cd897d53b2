package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.EngineStory;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A change that an explanation names does make the workload start, and keeps it from being taken again at once. */
@Tag("core")
class WouldRunIfTest {
    private static List<Explanation.Change> changes(EngineStory story, String name) {
        return story.engine().explain(story.id(name), story.now()).orElseThrow().wouldRunIf();
    }

    @Test
    void room_that_the_head_of_a_strict_queue_keeps_is_not_promised_to_fewer_pods() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue(
                                        "strict",
                                        queue -> queue.gpus(4)
                                                .preemptsLower()
                                                .reclaimsLower()
                                                .strict())
                                .queue("other", 0)));
        story.submit(aWorkload("runs").in("other").gpus(2).priority(9));
        story.submit(aWorkload("head").in("strict").gpus(4));
        story.submit(aWorkload("asked").in("other").gpus(1).pods(3));

        assertThat(changes(story, "asked")).isEmpty();

        story.cancel("head");
        assertThat(changes(story, "asked"))
                .containsExactly(new Explanation.Change("podSets.main.count = 2", List.of()));
    }

    @Test
    void a_priority_with_which_it_would_be_taken_over_in_the_same_instant_is_not_named() {
        EngineStory story = EngineStory.on(aCluster()
                .priorityClass("p2", 2)
                .priorityClass("p3", 3)
                .cohort(
                        "lab",
                        lab -> lab.queue(
                                        "own",
                                        queue -> queue.gpus(3)
                                                .preemptsLower()
                                                .reclaimsLower()
                                                .preemptsWhileBorrowing(0))
                                .queue("other", 2)));
        story.submit(aWorkload("borrows").in("other").gpus(4).priority(1));
        story.submit(aWorkload("asked").in("own").gpus(3));
        story.submit(aWorkload("rival").in("own").gpus(4).priority(3));

        assertThat(changes(story, "asked"))
                .containsExactly(new Explanation.Change("priorityClass = p3", List.of(story.id("borrows"))));
    }
}
