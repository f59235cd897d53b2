package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.NAMESPACE;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.testkit.WorkloadBuilder;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("core")
class QueueOrderTest {
    private static final Instant EARLY = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant LATE = EARLY.plusSeconds(60);

    @Test
    void priority_then_time_then_submission_then_id() {
        assertThat(pending(workloads())).extracting(WorkloadId::value).containsExactly("e", "d", "z", "b", "a", "c");
    }

    @Test
    void the_order_in_which_equals_become_known_does_not_matter() {
        List<Workload> shuffled = new ArrayList<>(workloads());
        for (int seed = 1; seed <= 20; seed++) {
            Collections.shuffle(shuffled, new Random(seed));
            assertThat(pending(shuffled)).isEqualTo(pending(workloads()));
        }
    }

    private static List<Workload> workloads() {
        return List.of(
                waiting("c", 0, LATE, 9),
                waiting("a", 0, LATE, 4),
                waiting("z", 0, EARLY, 2),
                waiting("b", 0, EARLY, 3),
                waiting("d", 7, LATE, 8),
                waiting("e", 7, LATE, 7));
    }

    private static Workload waiting(String name, int priority, Instant since, long sequence) {
        return aWorkload(name)
                .in("q")
                .gpus(1)
                .priority(priority)
                .createdAt(since)
                .sequence(sequence)
                .build();
    }

    private static List<WorkloadId> pending(List<Workload> workloads) {
        Engine engine = new Engine(AdmissionSettings.defaults());
        engine.apply(
                new EngineEvent.ConfigurationReplaced(aCluster().queue("q", 0).build()), LATE);
        workloads.forEach(one -> engine.apply(new EngineEvent.WorkloadQueued(one, one.createdAt()), LATE));
        engine.decide(LATE);
        List<WorkloadId> pending = engine.pending("q");
        for (int index = 0; index < pending.size(); index++) {
            assertThat(engine.position(pending.get(index))).isEqualTo(index + 1);
        }
        return pending;
    }

    @Test
    void positions_of_many_are_found_whatever_the_order_of_arrival() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 0));
        List<WorkloadBuilder> many = new ArrayList<>();
        for (int number = 0; number < 3000; number++) {
            many.add(aWorkload("w" + number)
                    .in("q")
                    .inNamespace(NAMESPACE)
                    .gpus(1)
                    .priority(number * 7919 % 97));
        }
        story.submit(many.toArray(WorkloadBuilder[]::new));
        List<WorkloadId> pending = story.engine().pending("q");
        assertThat(pending).hasSize(3000);
        for (int index = 0; index < pending.size(); index += 17) {
            assertThat(story.engine().position(pending.get(index))).isEqualTo(index + 1);
        }
        story.cancel(pending.getFirst().value());
        assertThat(story.engine().position(pending.get(1))).isEqualTo(1);
    }

    @Test
    void explaining_disturbs_nothing_and_names_what_would_help() {
        EngineStory story = EngineStory.on(aCluster()
                .priorityClass("urgent", 50)
                .queue("q", queue -> queue.gpus(8).preemptsLower()));
        story.submit(aWorkload("old").in("q").gpus(5).priority(10));
        story.submit(aWorkload("gang").in("q").gpus(1).pods(6));

        Explanation explanation =
                story.engine().explain(story.id("gang"), story.now()).orElseThrow();
        assertThat(explanation.verdict()).isEqualTo(Explanation.Verdict.WAIT);
        assertThat(explanation.reason())
                .isEqualTo(new WaitReason.QuotaExhausted(ClusterBuilder.GPU, ClusterBuilder.FLAVOR, 6, 3, 3));
        assertThat(explanation.wouldRunIf())
                .containsExactly(
                        new Explanation.Change("podSets.main.count = 3", List.of()),
                        new Explanation.Change("priorityClass = urgent", List.of(story.id("old"))));
        assertThat(explanation.requirements().getFirst().flavors().getFirst().blockedBy())
                .containsExactly(new Explanation.Holder(story.id("old"), "q", 5));
        assertThat(story.step()).as("nothing changed").isEmpty();
        assertThat(story.running()).containsExactly("old");

        Explanation hypothetical = story.engine()
                .explain(
                        aWorkload("more").in("q").gpus(9).createdAt(story.now()).build(), story.now());
        assertThat(hypothetical.verdict()).isEqualTo(Explanation.Verdict.NEVER);
        assertThat(hypothetical.position()).isEqualTo(2);
        assertThat(hypothetical.ahead()).containsExactly(story.id("gang"));
        assertThat(story.engine().status(new WorkloadId("more"))).isEmpty();
    }

    @Test
    void a_fork_goes_its_own_way() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 1));
        story.submit(aWorkload("a").in("q").gpus(1), aWorkload("b").in("q").gpus(1));
        Engine fork = story.engine().fork();
        fork.apply(new EngineEvent.WorkloadFinished(story.id("a"), true), story.now());
        assertThat(fork.decide(story.now())).hasSize(2);
        assertThat(story.running()).containsExactly("a");
        assertThat(story.step()).isEmpty();
    }

    @Test
    void ff_07_a_parked_workload_is_looked_at_again_when_its_priority_rises() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("running").in("q").gpus(4).priority(5));
        story.submit(aWorkload("w").in("q").gpus(4));
        assertThat(story.state("w")).isEqualTo(WorkloadState.PENDING);
        // in the same instant in which it is being evaluated for another reason
        story.step(
                new EngineEvent.CheckpointReached(story.id("running")),
                new EngineEvent.PriorityChanged(story.id("w"), null, 9));
        assertThat(story.state("running")).isEqualTo(WorkloadState.EVICTING);
        story.gone("running");
        assertThat(story.running()).containsExactly("w");
    }
}
