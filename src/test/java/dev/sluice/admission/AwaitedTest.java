package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whom one with an earmark waits for: no more of those on their way out than it needs. */
@Tag("core")
class AwaitedTest {
    /** Those run with as many GPUs each and are cancelled; then somebody asks. Returns whom it waits for. */
    private static List<WorkloadId> awaited(EngineStory story, long asked, long... leaving) {
        for (int number = 0; number < leaving.length; number++) {
            story.submit(aWorkload("l" + number).in("q").gpus(leaving[number]).priority(number));
        }
        for (int number = 0; number < leaving.length; number++) {
            story.cancel("l" + number);
        }
        story.submit(aWorkload("asks").in("q").gpus(asked));
        WaitReason reason = story.reason("asks");
        assertThat(reason).isInstanceOf(WaitReason.AwaitingVictims.class);
        return ((WaitReason.AwaitingVictims) reason).victims();
    }

    private static List<WorkloadId> ids(EngineStory story, String... names) {
        return Stream.of(names).map(story::id).toList();
    }

    @Test
    void the_first_to_go_is_enough() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 8));
        assertThat(awaited(story, 4, 4, 4)).isEqualTo(ids(story, "l0"));
        story.gone("l1");
        assertThat(story.running()).as("whoever is gone first").containsExactly("asks");
    }

    @Test
    void whom_it_could_do_without_once_a_larger_one_goes_it_does_not_wait_for() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 6));
        assertThat(awaited(story, 4, 2, 4)).isEqualTo(ids(story, "l1"));
    }

    @Test
    void whom_it_cannot_do_without_it_waits_for() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 4));
        assertThat(awaited(story, 4, 2, 2)).isEqualTo(ids(story, "l0", "l1"));
    }

    @Test
    void the_smaller_of_two_is_done_without_if_the_larger_is_needed() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 5));
        assertThat(awaited(story, 4, 1, 2, 2)).isEqualTo(ids(story, "l1", "l2"));
    }

    @Test
    void where_everybody_is_woken_room_that_is_getting_free_is_set_aside_for_who_may_not_preempt_too() {
        EngineStory story = EngineStory.on(
                aCluster()
                        .cohort(
                                "lab",
                                lab -> lab.queue(
                                                "reclaims",
                                                queue -> queue.gpus(4).reclaimsAny())
                                        .queue("waits", 4)
                                        .queue("borrows", 0))
                        .build(),
                WakingTest.wakingEverybody());
        story.submit(aWorkload("big").in("borrows").gpus(8));
        story.submit(aWorkload("patient").in("waits").gpus(4));
        assertThat(story.reason("patient").code()).isEqualTo("QUOTA_EXHAUSTED");
        story.submit(aWorkload("owner").in("reclaims").gpus(4));
        assertThat(story.reason("patient")).isEqualTo(new WaitReason.AwaitingVictims(ids(story, "big")));
        story.gone("big");
        assertThat(story.running()).containsExactly("patient", "owner");
    }

    // When it starts

    @Test
    void who_starts_before_all_that_it_waited_for_are_gone_waits_for_nobody_any_more() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 8));
        awaited(story, 4, 4, 4);
        assertThat(story.status("asks").orElseThrow().awaitedVictims()).isEqualTo(ids(story, "l0"));
        story.gone("l1");
        assertThat(story.status("asks").orElseThrow().awaitedVictims()).isEmpty();
    }

    @Test
    void who_loses_its_earmark_waits_for_nobody_any_more() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("low").in("q").gpus(4));
        story.submit(aWorkload("mid").in("q").gpus(4).priority(5));
        story.submit(aWorkload("top").in("q").gpus(4).priority(9));
        assertThat(story.status("mid").orElseThrow().awaitedVictims()).isEmpty();
        assertThat(story.status("top").orElseThrow().awaitedVictims()).isEqualTo(ids(story, "low"));
    }

    @Test
    void its_time_to_become_ready_and_its_use_of_quota_run_from_then_on() {
        AdmissionFairSharing quickly =
                new AdmissionFairSharing(Duration.ofMinutes(10), Duration.ofMinutes(5), new TreeMap<>());
        EngineStory story = EngineStory.on(
                aCluster()
                        .queue("q", queue -> queue.gpus(4).preemptsLower().goesByUsage())
                        .localQueue("low", "q", "1")
                        .localQueue("high", "q", "1")
                        .build(),
                AdmissionSettings.defaults()
                        .with(quickly)
                        .with(StuckVictims.OFF)
                        .with(OrderKeeping.KUEUE));
        story.submit(aWorkload("goes").in("low").gpus(4));
        story.ready("goes");
        story.submit(aWorkload("comes").in("high").gpus(4).priority(9));
        assertThat(story.engine().nextTimer()).isEmpty();
        story.after(Duration.ofMinutes(10));
        assertThat(story.engine().usageOf("default/high").consumed()).isEmpty();
        story.gone("goes");
        assertThat(story.engine().nextTimer()).contains(story.now().plus(StartRetries.DEFAULT.readyTimeout()));
        story.ready("comes");
        story.after(Duration.ofMinutes(10));
        assertThat(story.engine().usageOf("default/high").consumed()).containsKey(ClusterBuilder.GPU);
    }

    @Test
    void it_counts_as_admitted_when_it_starts_and_goes_before_who_was_admitted_meanwhile() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", queue -> queue.gpus(6).preemptsLower()).build(),
                AdmissionSettings.defaults().with(new VictimChoice(Duration.ZERO, 0, Duration.ZERO, true, false)));
        story.submit(aWorkload("low").in("q").gpus(4));
        story.submit(aWorkload("set-aside").in("q").gpus(4).priority(5));
        story.submit(aWorkload("meanwhile").in("q").gpus(2).priority(5));
        story.submit(aWorkload("in-vain").in("q").gpus(1).priority(3));
        story.gone("low");
        assertThat(story.running()).containsExactly("set-aside", "meanwhile");
        story.submit(aWorkload("top").in("q").gpus(2).priority(9));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("set-aside");
    }

    @Test
    void a_copy_for_what_if_numbers_admissions_as_the_engine_itself_would() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 8));
        story.submit(aWorkload("a").in("q").gpus(1), aWorkload("b").in("q").gpus(1));
        Engine copy = story.engine().fork();
        EngineEvent next = story.queued(aWorkload("next").in("q").gpus(1));
        copy.apply(next, story.now());
        assertThat(copy.decide(story.now().plusSeconds(1)))
                .isEqualTo(story.step(next))
                .hasSize(1);
    }

    @Test
    void nobody_is_pending_in_a_queue_that_is_not_there_and_who_is_not_known_stands_nowhere() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 4));
        assertThat(story.engine().pending("elsewhere")).isEmpty();
        assertThat(story.engine().position(story.id("nobody"))).isZero();
        story.submit(aWorkload("astray").in("elsewhere").gpus(1));
        assertThat(story.engine().position(story.id("astray"))).isZero();
    }
}
