package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.NamespaceSelector;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadState;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Queues that choose by labels who may submit, while the labels of namespaces change. */
class NamespaceLabelsTest {
    private static final Map<String, Map<String, String>> UNLABELED = Map.of("default", Map.of());
    private static final Map<String, Map<String, String>> LABELED = Map.of("default", Map.of("team", "vision"));

    private final EngineStory story = EngineStory.on(aCluster()
            .queue("vision", queue -> queue.gpus(4).namespaces(NamespaceSelector.of(Map.of("team", "vision")))));

    @Test
    void work_of_a_namespace_starts_once_the_namespace_carries_the_label() {
        story.namespaces(UNLABELED);
        story.submit(aWorkload("early").in("vision").gpus(2));
        assertThat(story.reason("early")).isInstanceOf(WaitReason.NamespaceNotAllowed.class);

        story.namespaces(LABELED);

        assertThat(story.state("early")).isEqualTo(WorkloadState.ADMITTED);
    }

    @Test
    void what_runs_goes_on_when_the_label_is_taken_away_and_what_comes_after_waits() {
        story.namespaces(LABELED);
        story.submit(aWorkload("runs").in("vision").gpus(2));

        story.namespaces(UNLABELED);
        story.submit(aWorkload("late").in("vision").gpus(2));

        assertThat(story.state("runs")).isEqualTo(WorkloadState.ADMITTED);
        assertThat(story.reason("late")).isInstanceOf(WaitReason.NamespaceNotAllowed.class);
    }
}
