package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.testkit.WorkloadBuilder;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three teams share 40 GPUs: the numbers that the demo shows, step by step. */
@Tag("core")
class ThreeTeamsTest {
    private final EngineStory story = EngineStory.on(threeTeams());

    static ClusterBuilder threeTeams() {
        return aCluster()
                .priorityClass("serving", 1000)
                .priorityClass("batch", 100)
                .priorityClass("experiment", 10)
                .cohort(
                        "company",
                        company -> company.queue(
                                        "serving",
                                        queue -> queue.gpus(20).lendAtMost(12).reclaimsAny())
                                .queue("batch", 12)
                                .queue("research", 8));
    }

    @Test
    void three_teams_share_forty_gpus() {
        story.submit(jobs("research", "r", 10, 2, "experiment", 10));
        assertThat(story.running()).as("all ten research jobs run").hasSize(10);
        assertThat(story.gpus("research")).isEqualTo(20);
        assertThat(borrowed("research")).isEqualTo(12);

        story.submit(jobs("batch", "b", 10, 2, "batch", 100));
        assertThat(story.gpus("batch")).as("six batch jobs run").isEqualTo(12);
        assertThat(story.in(WorkloadState.PENDING)).containsExactly("b07", "b08", "b09", "b10");
        assertThat(story.reason("b07"))
                .as("serving keeps 8 to itself")
                .isEqualTo(new WaitReason.QuotaExhausted(ClusterBuilder.GPU, ClusterBuilder.FLAVOR, 2, 0, 2));

        List<Decision> decided = story.submit(jobs("serving", "s", 5, 4, "serving", 1000));
        assertThat(story.running()).contains("s01", "s02").doesNotContain("s03", "s04", "s05");
        assertThat(victims(decided))
                .as("the newest six research jobs, newest first for the first preemptor")
                .containsExactly("r10", "r09", "r08", "r07", "r06", "r05");
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("r05", "r06", "r07", "r08", "r09", "r10");
        assertThat(story.reason("s03")).isEqualTo(new WaitReason.AwaitingVictims(List.of(id("r10"), id("r09"))));

        assertThat(story.gone("r05", "r06", "r07", "r08", "r09", "r10"))
                .filteredOn(Decision.Admit.class::isInstance)
                .extracting(decision -> decision.workload().value())
                .containsExactly("s03", "s04", "s05");
        assertThat(gpus()).containsExactly(20L, 12L, 8L);

        story.finish("s01", "s02", "s03", "s04", "s05");
        assertThat(gpus())
                .as("each head takes its turn; 8 stay free for serving")
                .containsExactly(0L, 18L, 14L);
        assertThat(story.in(WorkloadState.PENDING)).hasSize(4 + 6 - 6);
    }

    @Test
    void serving_gets_back_what_it_lent_only_when_the_pods_are_gone() {
        story.submit(jobs("research", "r", 10, 2, "experiment", 10));
        story.submit(jobs("batch", "b", 10, 2, "batch", 100));
        story.submit(jobs("serving", "s", 5, 4, "serving", 1000));

        story.gone("r10");
        assertThat(story.running()).as("half of what it needs is not enough").doesNotContain("s03", "s04", "s05");
        story.gone("r09");
        assertThat(story.running()).contains("s03").doesNotContain("s04", "s05");
        assertThat(story.in(WorkloadState.PENDING))
                .as("what is free for serving goes to nobody else")
                .contains("b07");
    }

    private WorkloadBuilder[] jobs(
            String queue, String prefix, int count, int gpus, String priorityClass, int priority) {
        List<WorkloadBuilder> jobs = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            jobs.add(aWorkload("%s%02d".formatted(prefix, number))
                    .in(queue)
                    .gpus(gpus)
                    .priorityClass(priorityClass, priority));
        }
        return jobs.toArray(WorkloadBuilder[]::new);
    }

    private List<Long> gpus() {
        return List.of(story.gpus("serving"), story.gpus("batch"), story.gpus("research"));
    }

    private long borrowed(String queue) {
        return story.line(queue, ClusterBuilder.FLAVOR, ClusterBuilder.GPU).borrowed();
    }

    private static List<String> victims(List<Decision> decisions) {
        return decisions.stream()
                .filter(Decision.Preempt.class::isInstance)
                .flatMap(decision -> ((Decision.Preempt) decision).victims().stream())
                .map(victim -> victim.workload().value())
                .toList();
    }

    private static WorkloadId id(String name) {
        return new WorkloadId(name);
    }
}
