package dev.sluice.admission;

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

/** Whoever may preempt by any rule is looked at when the protection of those that it may take ends, and takes them. */
@Tag("core")
class ReachTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private static EngineStory protecting(ClusterBuilder cluster, FairSharing sharing) {
        return EngineStory.on(
                cluster.build(),
                AdmissionSettings.defaults()
                        .with(new VictimChoice(HOUR, 0, Duration.ZERO, true, true))
                        .with(OrderKeeping.KUEUE)
                        .with(StartRetries.KUEUE)
                        .with(sharing));
    }

    /** Nobody goes before, and then these go. */
    private static void goAt(EngineStory story, Instant until, String... names) {
        assertThat(story.engine().nextTimer()).contains(until);
        story.at(until.minusSeconds(1));
        assertThat(story.in(WorkloadState.EVICTING)).isEmpty();
        story.at(until);
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly(names);
    }

    @Test
    void those_of_its_own_queue_with_lower_priority() {
        EngineStory story =
                protecting(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()), FairSharing.OFF);
        story.submit(aWorkload("low").in("q").gpus(3).priority(4));
        Instant until = story.now().plus(HOUR);
        story.submit(aWorkload("asks").in("q").gpus(4).priority(5));
        goAt(story, until, "low");
    }

    @Test
    void those_of_its_own_queue_that_are_newer() {
        EngineStory story =
                protecting(aCluster().queue("q", queue -> queue.gpus(4).preemptsLowerOrNewer()), FairSharing.OFF);
        Instant early = story.now();
        story.submit(aWorkload("newer").in("q").gpus(3));
        Instant until = story.now().plus(HOUR);
        story.submit(aWorkload("asks").in("q").gpus(4).createdAt(early.minusSeconds(60)));
        goAt(story, until, "newer");
    }

    @Test
    void those_that_borrow_what_is_its_own() {
        EngineStory story = protecting(
                aCluster()
                        .cohort(
                                "lab",
                                lab -> lab.queue("own", queue -> queue.gpus(3).reclaimsAny())
                                        .queue("other", 1)),
                FairSharing.OFF);
        story.submit(aWorkload("borrows").in("other").gpus(4).priority(9));
        Instant until = story.now().plus(HOUR);
        story.submit(aWorkload("asks").in("own").gpus(3));
        goAt(story, until, "borrows");
    }

    @Test
    void others_while_it_borrows_itself() {
        EngineStory story = protecting(
                aCluster()
                        .cohort(
                                "lab",
                                lab -> lab.queue(
                                                "own",
                                                queue -> queue.gpus(2)
                                                        .reclaimsLower()
                                                        .preemptsWhileBorrowing(null))
                                        .queue("other", 1)
                                        .queue("lender", 1)),
                FairSharing.OFF);
        story.submit(aWorkload("borrows").in("other").gpus(4));
        Instant until = story.now().plus(HOUR);
        story.submit(aWorkload("asks").in("own").gpus(4).priority(9));
        goAt(story, until, "borrows");
    }

    @Test
    void others_as_part_of_a_cohort_that_is_within_its_quota() {
        EngineStory story = protecting(
                aCluster()
                        .cohort(
                                "org",
                                org -> org.cohort(
                                                "team",
                                                team -> team.owns(own -> own.gpus(2))
                                                        .queue(
                                                                "own",
                                                                queue -> queue.gpus(2)
                                                                        .reclaimsAny()))
                                        .cohort("rest", rest -> rest.queue("other", 1))),
                FairSharing.OFF);
        story.submit(aWorkload("borrows").in("other").gpus(5));
        Instant until = story.now().plus(HOUR);
        story.submit(aWorkload("asks").in("own").gpus(4));
        goAt(story, until, "borrows");
    }

    private static ClusterBuilder threeShares() {
        return aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue(
                                        "own",
                                        queue -> queue.gpus(2).reclaimsAny().preemptsLower())
                                .queue("rich", 2)
                                .queue("lender", 4));
    }

    @Test
    void those_of_a_queue_with_a_higher_share() {
        EngineStory story = protecting(threeShares(), FairSharing.ON);
        story.submit(
                aWorkload("r1").in("rich").gpus(2),
                aWorkload("r2").in("rich").gpus(2),
                aWorkload("r3").in("rich").gpus(4));
        Instant until = story.now().plus(HOUR);
        story.submit(aWorkload("asks").in("own").gpus(4));
        goAt(story, until, "r3");
    }

    @Test
    void its_own_and_others_with_which_its_share_would_be_too_high_together() {
        EngineStory story = protecting(threeShares(), FairSharing.ON);
        story.submit(
                aWorkload("mine").in("own").gpus(3),
                aWorkload("r1").in("rich").gpus(2),
                aWorkload("r2").in("rich").gpus(3));
        Instant until = story.now().plus(HOUR);
        story.submit(aWorkload("too-much").in("own").gpus(7).priority(9));
        story.submit(aWorkload("asks").in("own").gpus(4).priority(8));
        story.at(until);
        assertThat(story.in(WorkloadState.EVICTING)).isNotEmpty();
        assertThat(story.reason("asks").code()).isEqualTo("AWAITING_VICTIMS");
        assertThat(story.reason("too-much").code()).isEqualTo("QUOTA_EXHAUSTED");
    }
}
