package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.StopPolicy;
import dev.sluice.quota.Taint;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A change that an explanation names does make the workload start, and keeps it from being taken again at once. */
@Tag("core")
class WouldRunIfTest {
    private static final String GPU = ClusterBuilder.GPU;

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

    private static EngineStory withSpotNodesAside(AdmissionSettings settings) {
        Taint spot = new Taint("spot", "yes", "NoSchedule");
        return EngineStory.on(
                aCluster()
                        .flavor("steady", Map.of("pool", "steady"))
                        .flavor("spot", Map.of("pool", "spot"), spot)
                        .cohort(
                                "lab",
                                lab -> lab.queue(
                                        "own",
                                        queue -> queue.quota("steady", GPU, "4").quota("spot", GPU, "4")))
                        .build(),
                settings);
    }

    @Test
    void a_flavor_whose_taint_the_pods_do_not_tolerate_is_named_if_it_has_room() {
        EngineStory story = withSpotNodesAside(AdmissionSettings.defaults());
        story.submit(aWorkload("runs").in("own").asks(GPU, "4"));
        story.submit(aWorkload("asked").in("own").asks(GPU, "3"));

        assertThat(changes(story, "asked")).containsExactly(new Explanation.Change("flavor = spot", List.of()));
    }

    @Test
    void a_flavor_that_has_no_room_either_is_not_named() {
        EngineStory story = withSpotNodesAside(AdmissionSettings.defaults());
        story.submit(aWorkload("runs").in("own").asks(GPU, "4"));
        story.submit(aWorkload("large").in("own").asks(GPU, "5"));

        assertThat(changes(story, "large")).isEmpty();
    }

    @Test
    void another_queue_of_the_namespace_is_named_if_it_would_start_there_at_nobodys_cost() {
        EngineStory story = EngineStory.on(aCluster()
                .queue("full", 4)
                .queue("later", queue -> queue.gpus(8).strict())
                .queue("small", 2)
                .queue("free", 4));
        story.submit(aWorkload("runs").in("full").gpus(4));
        story.submit(
                aWorkload("head").in("later").gpus(8),
                aWorkload("behind").in("later").gpus(8));
        story.submit(aWorkload("asked").in("full").gpus(3));

        assertThat(changes(story, "asked"))
                .as("small is too small, and in later a strict head is before it")
                .containsExactly(new Explanation.Change("queue = free", List.of()));
    }

    @Test
    void whoever_waits_in_a_queue_on_hold_is_told_where_it_would_run() {
        EngineStory story = EngineStory.on(aCluster()
                .queue("held", queue -> queue.gpus(4).stop(StopPolicy.HOLD))
                .queue("open", 4));
        story.submit(aWorkload("asked").in("held").gpus(4));

        assertThat(changes(story, "asked")).containsExactly(new Explanation.Change("queue = open", List.of()));
    }

    @Test
    void a_queue_of_another_namespace_is_none() {
        EngineStory story = EngineStory.on(aCluster()
                .queue("full", 4)
                .queue("theirs", 4)
                .withoutLocalQueue("theirs")
                .localQueueIn("others", "theirs", "theirs"));
        story.submit(aWorkload("runs").in("full").gpus(4));
        story.submit(aWorkload("asked").in("full").gpus(4));

        assertThat(changes(story, "asked")).isEmpty();
    }
}
