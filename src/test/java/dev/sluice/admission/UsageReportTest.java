package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.FLAVOR;
import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.StopPolicy;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who uses what, as it is told to people. */
@Tag("core")
class UsageReportTest {
    private static ClusterBuilder lab() {
        return aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue(
                                        "a",
                                        queue -> queue.gpus(4).quota("cpu", "9").preemptsLower())
                                .queue("b", 4));
    }

    private static QuotaUsage.Queue queue(EngineStory story, String name) {
        return Objects.requireNonNull(story.engine().usage().queues().get(name));
    }

    @Test
    void what_runs_waits_and_is_set_aside_is_counted_apart() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("low").in("q").gpus(3));
        story.submit(aWorkload("waits").in("q").pods(2).gpus(2).priority(-1));
        story.submit(aWorkload("high").in("q").gpus(4).priority(1));

        QuotaUsage.Line line = story.line("q", FLAVOR, GPU);
        assertThat(line.used())
                .as("the earmark alone: the victim is on its way out")
                .isEqualTo(4);
        assertThat(line.earmarked()).isEqualTo(4);
        assertThat(line.pending()).as("two pods of two").isEqualTo(4);
        QuotaUsage.Queue queue = queue(story, "q");
        assertThat(queue.pending()).as("the earmarked one waits too").isEqualTo(2);
        assertThat(line.borrowed()).isZero();
    }

    @Test
    void what_is_borrowed_is_told_of_both_sides() {
        EngineStory story = EngineStory.on(lab());
        story.submit(aWorkload("one").in("a").gpus(5), aWorkload("two").in("a").gpus(1));

        assertThat(story.line("a", FLAVOR, GPU).borrowed()).isEqualTo(2);
        assertThat(story.line("a", FLAVOR, GPU).available()).isEqualTo(2);
        assertThat(story.line("a", FLAVOR, GPU).potential()).isEqualTo(8);
        assertThat(story.line("b", FLAVOR, GPU).lent()).isEqualTo(2);
        assertThat(story.line("b", FLAVOR, GPU).used()).isZero();
        assertThat(queue(story, "a").admitted()).isEqualTo(2);
        assertThat(queue(story, "a").lines())
                .as("cpu is a line although nobody uses it")
                .hasSize(2);
    }

    @Test
    void a_line_that_is_not_configured_any_more_is_told_while_it_is_used() {
        EngineStory story = EngineStory.on(aCluster().queue("q", queue -> queue.quota("old", GPU, "4")));
        story.submit(aWorkload("w").in("q").gpus(3));
        story.configure(aCluster().queue("q", queue -> queue.quota("new", GPU, "4")));

        assertThat(story.line("q", "old", GPU).used()).isEqualTo(3);
        assertThat(story.line("q", "old", GPU).overcommitted()).isEqualTo(3);
        story.finish("w");
        assertThat(queue(story, "q").lines())
                .extracting(QuotaUsage.Line::flavor)
                .containsExactly("new");
    }

    @Test
    void why_a_queue_admits_nobody_is_told() {
        assertThat(queue(EngineStory.on(lab()), "a").inactiveBecause()).isNull();
        assertThat(queue(
                                EngineStory.on(aCluster()
                                        .queue("q", queue -> queue.gpus(1).stop(StopPolicy.HOLD))),
                                "q")
                        .inactiveBecause())
                .isEqualTo("it is stopped");
        assertThat(queue(
                                EngineStory.on(aCluster()
                                        .queue("q", queue -> queue.gpus(1).checks("none"))),
                                "q")
                        .inactiveBecause())
                .isEqualTo("admission check none does not exist");
    }

    @Test
    void shares_are_told_of_queues_and_cohorts_where_they_count() {
        EngineStory fair =
                EngineStory.on(lab().build(), AdmissionSettings.defaults().with(FairSharing.ON));
        QuotaUsage.FairShares shares =
                Objects.requireNonNull(fair.engine().usage().fairShares());

        assertThat(shares.queues().keySet()).containsExactly("a", "b");
        assertThat(shares.cohorts().keySet()).containsExactly("lab");
        assertThat(EngineStory.on(lab()).engine().usage().fairShares()).isNull();
    }
}
