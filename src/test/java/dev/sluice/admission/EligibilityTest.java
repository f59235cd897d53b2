package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.FLAVOR;
import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.EngineStory;
import dev.sluice.testkit.QueueBuilder;
import dev.sluice.testkit.WorkloadBuilder;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whom a queue's policies let a workload take: one that runs in {@code q}, submitted a minute before it. */
@Tag("core")
class EligibilityTest {
    private final EngineStory story = EngineStory.on(aCluster()
            .cohort(
                    "lab",
                    lab -> lab.queue("q", 4)
                            .queue("idle", queue -> queue.gpus(0).quota("cpu", "4"))));

    private Eligibility eligibility(WorkloadBuilder preemptor, Consumer<QueueBuilder> policies, String resource) {
        QueueBuilder queue = new QueueBuilder("q", "lab").gpus(4);
        policies.accept(queue);
        World world = story.engine().roster().world();
        CompiledQueue compiled = CompiledQueue.of(
                queue.build(),
                world.tree(),
                world.configuration().resourceFlavors(),
                world.configuration().admissionChecks().keySet(),
                true);
        Workload built = preemptor.in("q").gpus(1).build();
        return new Eligibility(
                new TrackedWorkload(built, built.createdAt()),
                compiled,
                new int[] {world.tree().line(FLAVOR, resource)},
                new Protection(one -> false, VictimChoice.KUEUE, story.now()));
    }

    private TrackedWorkload running(int priority) {
        story.submit(aWorkload("runs").in("q").gpus(1).priority(priority));
        for (TrackedWorkload one : story.engine().roster().everybody()) {
            return one;
        }
        throw new IllegalStateException("nobody was submitted");
    }

    private WorkloadBuilder preemptor(int priority, Duration later) {
        return aWorkload("preemptor").priority(priority).createdAt(story.now().plus(later));
    }

    private boolean takesOwn(TrackedWorkload one, int priority, Duration later, Consumer<QueueBuilder> policies) {
        return eligibility(preemptor(priority, later), policies, GPU).mayTakeOwn(one);
    }

    private boolean reclaims(TrackedWorkload one, int priority, Consumer<QueueBuilder> policies) {
        return eligibility(preemptor(priority, Duration.ofMinutes(1)), policies, GPU)
                .mayReclaim(one);
    }

    @Test
    void within_its_queue_it_takes_lower_priorities_and_newer_equals_where_that_is_said() {
        TrackedWorkload one = running(5);
        Duration later = Duration.ofMinutes(1);
        Duration earlier = later.negated();
        Consumer<QueueBuilder> never = queue -> {};

        assertThat(takesOwn(one, 9, later, never)).isFalse();
        assertThat(takesOwn(one, 6, later, QueueBuilder::preemptsLower)).isTrue();
        assertThat(takesOwn(one, 5, earlier, QueueBuilder::preemptsLower)).isFalse();
        assertThat(takesOwn(one, 6, later, QueueBuilder::preemptsLowerOrNewer)).isTrue();
        assertThat(takesOwn(one, 5, later, QueueBuilder::preemptsLowerOrNewer)).isFalse();
        assertThat(takesOwn(one, 5, Duration.ZERO, QueueBuilder::preemptsLowerOrNewer))
                .as("of the same time is not newer")
                .isFalse();
        assertThat(takesOwn(one, 5, earlier, QueueBuilder::preemptsLowerOrNewer))
                .isTrue();
        assertThat(takesOwn(one, 4, earlier, QueueBuilder::preemptsLowerOrNewer))
                .isFalse();
    }

    @Test
    void in_its_cohort_it_reclaims_from_lower_priorities_or_from_any() {
        TrackedWorkload one = running(5);

        assertThat(reclaims(one, 9, queue -> {})).isFalse();
        assertThat(reclaims(one, 6, QueueBuilder::reclaimsLower)).isTrue();
        assertThat(reclaims(one, 5, QueueBuilder::reclaimsLower)).isFalse();
        assertThat(reclaims(one, 0, QueueBuilder::reclaimsAny)).isTrue();
    }

    @Test
    void nobody_is_taken_who_uses_nothing_of_what_is_missing() {
        TrackedWorkload one = running(5);
        WorkloadBuilder high = preemptor(9, Duration.ofMinutes(1));

        assertThat(eligibility(high, QueueBuilder::preemptsLower, "cpu").mayTakeOwn(one))
                .isFalse();
        assertThat(eligibility(high, QueueBuilder::reclaimsAny, "cpu").mayReclaim(one))
                .isFalse();
    }

    @Test
    void an_earmark_is_taken_over_by_a_higher_priority_alone() {
        TrackedWorkload one = running(5);
        one.state = WorkloadState.PENDING;

        assertThat(one.isEarmarked()).isTrue();
        assertThat(reclaims(one, 5, QueueBuilder::reclaimsAny)).isFalse();
        assertThat(reclaims(one, 6, QueueBuilder::reclaimsAny)).isTrue();
    }
}
