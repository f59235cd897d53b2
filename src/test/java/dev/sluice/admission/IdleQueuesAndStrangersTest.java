package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.NamespaceSelector;
import dev.sluice.quota.StopPolicy;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.testkit.QueueBuilder;
import dev.sluice.workload.WorkloadState;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Work of queues on hold, and of namespaces that a queue does not take: by the default settings, and as Kueue has it. */
class IdleQueuesAndStrangersTest {
    private static final Map<String, Map<String, String>> UNLABELED = Map.of("default", Map.of());
    private static final Map<String, Map<String, String>> LABELED = Map.of("default", Map.of("team", "vision"));

    private static ClusterBuilder ownerAndBorrower(StopPolicy borrower) {
        return aCluster()
                .cohort(
                        "root",
                        root -> root.queue("borrower", queue -> queue.gpus(2).stop(borrower))
                                .queue("owner", queue -> queue.gpus(2).reclaimsAny()));
    }

    private static EngineStory borrowedByQueueOnHold(AdmissionSettings settings) {
        EngineStory story = EngineStory.on(ownerAndBorrower(StopPolicy.NONE).build(), settings);
        story.submit(aWorkload("borrows").in("borrower").gpus(4));
        story.configure(ownerAndBorrower(StopPolicy.HOLD));
        story.submit(aWorkload("owns").in("owner").gpus(2));
        return story;
    }

    @Test
    void an_owner_takes_back_what_a_queue_on_hold_borrows() {
        assertThat(borrowedByQueueOnHold(AdmissionSettings.defaults()).in(WorkloadState.EVICTING))
                .containsExactly("borrows");
    }

    @Test
    void kueue_leaves_alone_whoever_runs_in_a_queue_on_hold() {
        assertThat(borrowedByQueueOnHold(AdmissionSettings.kueueParity()).in(WorkloadState.EVICTING))
                .isEmpty();
    }

    private static QueueBuilder forVision(QueueBuilder queue) {
        return queue.gpus(4).namespaces(NamespaceSelector.of(Map.of("team", "vision")));
    }

    @Test
    void in_parity_a_stranger_has_its_turn_is_turned_away_and_starts_once_it_is_welcome() {
        EngineStory story = EngineStory.on(
                aCluster()
                        .queue("vision", IdleQueuesAndStrangersTest::forVision)
                        .build(),
                AdmissionSettings.kueueParity());
        story.namespaces(UNLABELED);
        story.submit(
                aWorkload("first").in("vision").gpus(2),
                aWorkload("second").in("vision").gpus(2));
        assertThat(story.running()).isEmpty();
        assertThat(story.reason("first")).isEqualTo(new WaitReason.NamespaceNotAllowed("default", "vision"));
        assertThat(new EngineProbe(story.engine()).waiting("vision").inadmissible())
                .hasSize(2);
        assertThat(new EngineProbe(story.engine()).waiting("vision").active()).isEmpty();

        story.namespaces(LABELED);

        assertThat(story.running()).containsExactly("first", "second");
    }
}
