package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.FLAVOR;
import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Running work whose quota is taken away: shown, kept or drained, and never added to. */
@Tag("core")
class OvercommitmentTest {
    private static final Duration GRACE = Duration.ofMinutes(10);

    private static ClusterBuilder together() {
        return aCluster().cohort("x", x -> x.queue("q1", 2).queue("q2", 2));
    }

    private static ClusterBuilder apart() {
        return aCluster().queue("q1", 2).cohort("x", x -> x.queue("q2", 2));
    }

    private static EngineStory borrowing(AdmissionSettings settings) {
        EngineStory story = EngineStory.on(together().build(), settings);
        story.submit(aWorkload("hi").in("q1").gpus(2).priority(10));
        story.submit(aWorkload("lo").in("q1").gpus(2));
        story.ready("hi");
        story.ready("lo");
        return story;
    }

    private static EngineStory draining() {
        return borrowing(AdmissionSettings.defaults().with(Overcommitment.drainAfter(GRACE)));
    }

    @Test
    void bo_05_a_queue_taken_out_of_its_cohort_is_shown_to_be_over_and_admits_nothing_more() {
        for (AdmissionSettings settings :
                new AdmissionSettings[] {AdmissionSettings.defaults(), AdmissionSettings.kueueParity()}) {
            EngineStory story = borrowing(settings);
            story.configure(apart());
            story.submit(aWorkload("more").in("q1").gpus(1));
            story.after(Duration.ofDays(1));
            assertThat(story.line("q1", FLAVOR, GPU).overcommitted()).isEqualTo(2);
            assertThat(story.state("more")).isEqualTo(WorkloadState.PENDING);
            assertThat(story.in(WorkloadState.EVICTING)).isEmpty();
        }
    }

    @Test
    void bo_05_with_enforcement_the_lowest_goes_after_the_grace_period_and_is_told_when() {
        EngineStory story = draining();
        story.configure(apart());
        Instant due = story.now().plus(GRACE);

        assertThat(story.status("lo").orElseThrow().particulars().stopsAt()).isEqualTo(due);
        assertThat(story.status("hi").orElseThrow().particulars().stopsAt()).isNull();
        assertThat(story.engine().nextTimer()).contains(due);
        story.at(due.minusSeconds(1));
        assertThat(story.in(WorkloadState.EVICTING)).isEmpty();
        story.at(due);
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lo");
        assertThat(story.decisions()).contains(new Decision.Evict(story.id("lo"), EvictionReason.OVERCOMMITMENT));
        story.gone("lo");
        assertThat(story.running()).containsExactly("hi");
        assertThat(story.line("q1", FLAVOR, GPU).overcommitted()).isZero();
    }

    @Test
    void quota_given_back_in_time_calls_the_drain_off() {
        EngineStory story = draining();
        story.configure(apart());
        Instant due = story.now().plus(GRACE);
        story.configure(together());
        assertThat(story.status("lo").orElseThrow().particulars().stopsAt()).isNull();
        assertThat(story.decisions()).endsWith(new Decision.ScheduleStop(story.id("lo"), null));
        story.at(due.plusSeconds(1));
        assertThat(story.running()).containsExactly("hi", "lo");
    }

    @Test
    void who_ends_by_itself_spares_the_others() {
        EngineStory story = draining();
        story.configure(apart());
        story.finish("hi");
        assertThat(story.status("lo").orElseThrow().particulars().stopsAt()).isNull();
    }

    @Test
    void among_equals_the_newest_go_and_only_as_many_as_are_too_many() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", 5).build(),
                AdmissionSettings.defaults().with(Overcommitment.drainAfter(Duration.ZERO)));
        for (int number = 1; number <= 5; number++) {
            story.submit(aWorkload("w" + number).in("q").gpus(1));
        }
        story.configure(aCluster().queue("q", 3));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("w4", "w5");
        story.gone("w4", "w5");
        assertThat(story.running()).containsExactly("w1", "w2", "w3");
    }

    @Test
    void in_a_cohort_who_borrows_goes_before_who_stays_within_its_own() {
        EngineStory story = EngineStory.on(
                aCluster()
                        .cohort("x", x -> x.queue("own", 4).queue("borrows", 0))
                        .build(),
                AdmissionSettings.defaults().with(Overcommitment.drainAfter(Duration.ZERO)));
        story.submit(aWorkload("borrower").in("borrows").gpus(2).priority(9));
        story.submit(aWorkload("owner").in("own").gpus(2));
        story.configure(aCluster().cohort("x", x -> x.queue("own", 3).queue("borrows", 0)));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("borrower");
    }

    @Test
    void an_engine_restored_meanwhile_drains_at_the_time_that_was_told() {
        EngineStory story = draining();
        story.configure(apart());
        Instant due = story.now().plus(GRACE);
        story.after(Duration.ofMinutes(5));

        Engine restored = story.engine().fork();

        assertThat(restored.decide(story.now())).isEmpty();
        assertThat(restored.nextTimer()).contains(due);
        assertThat(restored.decide(due)).isEqualTo(story.at(due)).hasSize(1);
    }
}
