package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadState;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What runs in a queue, or on a flavor of it, that is not configured any more: it keeps its place and borrows all that it holds. */
@Tag("core")
class RetiredQueueTest {
    private static ClusterBuilder ownerBesideAnother() {
        return aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue(
                                        "owner",
                                        queue -> queue.gpus(2).preemptsLower().reclaimsAny())
                                .queue("gone", 2));
    }

    private static EngineStory fairly(ClusterBuilder cluster) {
        return EngineStory.on(cluster.build(), AdmissionSettings.defaults().with(FairSharing.ON));
    }

    @Test
    void a_queue_takes_back_its_own_from_one_that_is_gone() {
        EngineStory story = fairly(ownerBesideAnother());
        story.submit(aWorkload("left").in("gone").gpus(2));
        story.configure(ownerBesideAnother().without("gone"));

        story.submit(aWorkload("claim").in("owner").gpus(2));

        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("left");
        assertThat(story.status("claim").orElseThrow().awaitedVictims()).containsExactly(story.id("left"));
    }

    @Test
    void a_queue_takes_back_its_own_from_one_that_lists_the_flavor_no_more() {
        EngineStory story = fairly(aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue(
                                        "owner",
                                        queue -> queue.quota("old", ClusterBuilder.GPU, "2")
                                                .reclaimsAny())
                                .queue("moved", queue -> queue.quota("old", ClusterBuilder.GPU, "2"))));
        story.submit(aWorkload("left").in("moved").gpus(3));
        story.configure(aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue(
                                        "owner",
                                        queue -> queue.quota("old", ClusterBuilder.GPU, "2")
                                                .reclaimsAny())
                                .queue("moved", queue -> queue.quota("new", ClusterBuilder.GPU, "2"))));

        story.submit(aWorkload("claim").in("owner").gpus(2));

        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("left");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_fork_knows_where_a_queue_that_is_gone_stood(boolean fair) {
        EngineStory story = fair ? fairly(ownerBesideAnother()) : EngineStory.on(ownerBesideAnother());
        story.submit(aWorkload("left").in("gone").gpus(2));
        story.configure(ownerBesideAnother().without("gone"));

        Engine fork = story.engine().fork();

        assertThat(fork.usage()).isEqualTo(story.engine().usage());
        assertThat(fork.decide(story.now())).isEmpty();
    }

    @Test
    void whoever_leaves_the_tree_with_its_queue_is_waited_for_no_more() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue("owner", queue -> queue.gpus(6).reclaimsAny())
                                .queue("borrower", 0)
                                .queue("gone", 0)));
        story.submit(
                aWorkload("left").in("gone").gpus(3),
                aWorkload("other").in("borrower").gpus(3));
        ClusterBuilder without = aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue("owner", queue -> queue.gpus(6).reclaimsAny())
                                .queue("borrower", 0));
        story.configure(without);
        story.submit(aWorkload("claim").in("owner").gpus(6));
        assertThat(story.reason("claim"))
                .isInstanceOfSatisfying(
                        WaitReason.AwaitingVictims.class,
                        awaiting -> assertThat(awaiting.victims())
                                .containsExactlyInAnyOrder(story.id("left"), story.id("other")));

        story.configure(without.cohort("elsewhere", elsewhere -> elsewhere.queue("gone", 3)));

        assertThat(story.reason("claim")).isEqualTo(new WaitReason.AwaitingVictims(List.of(story.id("other"))));
        story.gone("other");
        assertThat(story.state("claim")).isEqualTo(WorkloadState.ADMITTED);
    }
}
