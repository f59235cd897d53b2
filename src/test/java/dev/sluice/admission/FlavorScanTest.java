package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.testkit.QueueBuilder;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadState;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who goes round its flavors without an end keeps nobody else from room for good. */
@Tag("core")
class FlavorScanTest {
    private static Consumer<QueueBuilder> of(String first, String second) {
        return queue -> queue.quota("first", ClusterBuilder.GPU, first)
                .quota("second", ClusterBuilder.GPU, second)
                .quota("third", ClusterBuilder.GPU, "0");
    }

    @Test
    void room_lost_to_one_who_only_scans_is_given_to_the_next_in_the_same_instant() {
        EngineStory story = EngineStory.on(aCluster()
                .flavor("first", Map.of("zone", "a"))
                .flavor("second", Map.of("zone", "b"))
                .cohort(
                        "lab",
                        lab -> lab.queue(
                                        "scans",
                                        of("3", "3")
                                                .andThen(queue ->
                                                        queue.preemptsLower().reclaimsLower()))
                                .queue("late", of("0", "3"))));
        story.submit(
                aWorkload("runs").in("late").gpus(6).onNodesWith("zone", "b").priority(9));

        story.submit(
                aWorkload("round-and-round")
                        .in("scans")
                        .gpus(3)
                        .with(PodSet.of("extra", 1, Map.of(ClusterBuilder.GPU, 3L))),
                aWorkload("asks").in("late").gpus(3));

        assertThat(story.state("asks")).isEqualTo(WorkloadState.ADMITTED);
        assertThat(story.line("late", "first", ClusterBuilder.GPU).used()).isEqualTo(3);
    }

    @Test
    void who_loses_a_flavor_to_what_a_strict_head_keeps_starts_on_the_next() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue(
                                        "owner",
                                        queue -> queue.quota("f1", ClusterBuilder.GPU, "4")
                                                .preemptsLower()
                                                .reclaimsLower()
                                                .strict())
                                .queue("borrower", queue -> queue.quota("f1", ClusterBuilder.GPU, "0"))
                                .queue(
                                        "third",
                                        queue -> queue.quota("f1", ClusterBuilder.GPU, "0")
                                                .quota("f2", ClusterBuilder.GPU, "4")
                                                .strict())));
        story.submit(aWorkload("holds").in("borrower").gpus(3));
        story.submit(aWorkload("head").in("owner").gpus(4));

        story.submit(aWorkload("asked").in("third").gpus(1));

        assertThat(story.running()).containsExactlyInAnyOrder("asked", "holds");
        assertThat(story.line("third", "f2", ClusterBuilder.GPU).used()).isEqualTo(1);
    }
}
