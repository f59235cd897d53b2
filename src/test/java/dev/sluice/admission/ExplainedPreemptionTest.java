package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.GPU;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.admission.Explanation.FlavorFinding;
import dev.sluice.admission.Explanation.PreemptionFinding;
import dev.sluice.admission.FairSharing.Strategy;
import dev.sluice.quota.Amounts;
import dev.sluice.quota.Configuration;
import dev.sluice.testkit.EngineStory;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whether somebody could be preempted, flavor by flavor; and what the words and numbers of the rules about it mean. */
@Tag("core")
class ExplainedPreemptionTest {
    private static List<PreemptionFinding> findings(EngineStory story, String name) {
        return story
                .engine()
                .explain(story.id(name), story.now())
                .orElseThrow()
                .requirements()
                .getFirst()
                .flavors()
                .stream()
                .map(FlavorFinding::preemption)
                .toList();
    }

    @Test
    void protection_on_one_flavor_is_not_told_of_another() {
        EngineStory story = EngineStory.on(
                aCluster()
                        .flavor("a", Map.of("zone", "a"))
                        .flavor("b", Map.of("zone", "b"))
                        .queue(
                                "q",
                                queue -> queue.quota("a", GPU, "4")
                                        .quota("b", GPU, "4")
                                        .preemptsLower())
                        .build(),
                AdmissionSettings.defaults().with(new VictimChoice(Duration.ofHours(1), 0, Duration.ZERO, true, true)));
        story.submit(
                aWorkload("low").in("q").gpus(4).onNodesWith("zone", "a"),
                aWorkload("firm").in("q").gpus(4).onNodesWith("zone", "b").priority(9));
        Instant until = story.now().plus(Duration.ofHours(1));
        story.submit(aWorkload("asked").in("q").gpus(4).priority(5));
        assertThat(findings(story, "asked"))
                .containsExactly(
                        new PreemptionFinding(false, "MINIMUM_RUNTIME", until),
                        new PreemptionFinding(false, "NO_CANDIDATES"));
    }

    @Test
    void what_could_be_taken_of_one_resource_is_told_though_another_keeps_it_from_starting() {
        EngineStory story = EngineStory.on(aCluster()
                .queue("q", queue -> queue.quota(GPU, "4").quota("cpu", "8").preemptsLower()));
        story.submit(
                aWorkload("low").in("q").gpus(4),
                aWorkload("firm").in("q").asks("cpu", "8").priority(9));
        story.submit(aWorkload("asked").in("q").gpus(4).asks("cpu", "1").priority(5));
        List<Explanation.Requirement> requirements = story.engine()
                .explain(story.id("asked"), story.now())
                .orElseThrow()
                .requirements();
        assertThat(requirements.getFirst().flavors().getFirst().preemption())
                .isEqualTo(new PreemptionFinding(false, "NO_CANDIDATES"));
        assertThat(requirements.getLast().flavors().getFirst().preemption())
                .isEqualTo(new PreemptionFinding(true, null));
    }

    private static Configuration beyondItsQuota(boolean reclaims) {
        return aCluster()
                .cohort(
                        "lab",
                        lab -> lab.queue("own", queue -> {
                                    queue.gpus(2).preemptsLower();
                                    if (reclaims) {
                                        queue.reclaimsAny();
                                    }
                                })
                                .queue("other", 4))
                .build();
    }

    private static PreemptionFinding ofSix(boolean reclaims, FairSharing sharing) {
        EngineStory story = EngineStory.on(
                beyondItsQuota(reclaims), AdmissionSettings.defaults().with(sharing));
        story.submit(aWorkload("theirs").in("other").gpus(4));
        story.submit(aWorkload("asked").in("own").gpus(6));
        return findings(story, "asked").getFirst();
    }

    @Test
    void beyond_its_own_quota_one_may_preempt_by_shares_if_its_queue_takes_back_at_all() {
        assertThat(ofSix(true, FairSharing.OFF)).isEqualTo(new PreemptionFinding(false, "WOULD_BORROW"));
        assertThat(ofSix(false, FairSharing.ON)).isEqualTo(new PreemptionFinding(false, "WOULD_BORROW"));
        assertThat(ofSix(true, FairSharing.ON)).isEqualTo(new PreemptionFinding(false, "NO_CANDIDATES"));
    }

    // Words and numbers

    @Test
    void every_reason_of_an_eviction_is_found_by_its_word_and_four_of_them_are_preemption() {
        for (EvictionReason reason : EvictionReason.values()) {
            assertThat(EvictionReason.of(reason.code())).isEqualTo(reason);
        }
        assertThat(EvictionReason.OVERCOMMITMENT.code()).isEqualTo("Overcommitment");
        assertThat(Arrays.stream(EvictionReason.values()).filter(EvictionReason::isPreemption))
                .containsExactly(
                        EvictionReason.IN_CLUSTER_QUEUE,
                        EvictionReason.IN_COHORT_RECLAMATION,
                        EvictionReason.IN_COHORT_RECLAIM_WHILE_BORROWING,
                        EvictionReason.IN_COHORT_FAIR_SHARING);
        assertThatThrownBy(() -> EvictionReason.of("Bored")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void two_strategies_stand_in_the_one_order_that_means_something() {
        Strategy fin = Strategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE;
        Strategy initial = Strategy.LESS_THAN_INITIAL_SHARE;
        assertThat(new FairSharing(List.of(fin, initial))).isEqualTo(FairSharing.ON);
        assertThat(new FairSharing(List.of(initial)).isOn()).isTrue();
        assertThatThrownBy(() -> new FairSharing(List.of(initial, fin))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new FairSharing(List.of(fin, fin))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_guard_begins_at_once_at_the_earliest() {
        assertThatThrownBy(() -> new OrderKeeping(true, Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void what_is_kept_for_one_that_would_preempt_is_no_more_than_its_queue_may_use() {
        assertThat(Reservation.of(4, 5, Amounts.UNLIMITED, 2, false)).isEqualTo(3);
        assertThat(Reservation.of(2, 5, Amounts.UNLIMITED, 2, false)).isEqualTo(2);
        assertThat(Reservation.of(4, 5, Amounts.UNLIMITED, 7, false)).isZero();
        assertThat(Reservation.of(4, 5, Amounts.UNLIMITED, 7, true)).isEqualTo(4);
        assertThat(Reservation.of(4, 5, 3, 6, true)).isEqualTo(2);
        assertThat(Reservation.of(4, 5, 3, 9, true)).isZero();
    }

    @Test
    void when_work_without_quota_will_be_stopped_is_decided_and_told() {
        Duration grace = Duration.ofMinutes(10);
        EngineStory story = EngineStory.on(
                aCluster().queue("q", 4).build(), AdmissionSettings.defaults().with(Overcommitment.drainAfter(grace)));
        story.submit(
                aWorkload("high").in("q").gpus(2).priority(9),
                aWorkload("low").in("q").gpus(2));
        List<Decision> decided = story.configure(aCluster().queue("q", 2).version(2));
        assertThat(decided)
                .containsExactly(
                        new Decision.ScheduleStop(story.id("low"), story.now().plus(grace)));
    }
}
