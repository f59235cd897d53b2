package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Fair sharing, as users met it elsewhere; in parity where Kueue is right, and by default settings always. */
@Tag("core")
class FairSharingCasesTest {
    enum Policies {
        DEFAULT,
        PARITY;

        EngineStory on(ClusterBuilder cluster) {
            AdmissionSettings settings =
                    this == DEFAULT ? AdmissionSettings.defaults() : AdmissionSettings.kueueParity();
            return EngineStory.on(cluster.build(), settings.with(FairSharing.ON));
        }
    }

    private static void submitOnes(EngineStory story, String queue, int count) {
        for (int number = 1; number <= count; number++) {
            story.submit(aWorkload(queue + number).in(queue).gpus(1));
        }
    }

    private static ClusterBuilder twoThatOwnNothing(String weight) {
        return aCluster()
                .cohort(
                        "x",
                        x -> x.owns(own -> own.gpus(8))
                                .queue(
                                        "qA",
                                        queue -> queue.gpus(0).weighs(weight).reclaimsAny())
                                .queue(
                                        "qB",
                                        queue -> queue.gpus(0).weighs(weight).reclaimsAny()));
    }

    private static void assertNobodyEvictedTwice(EngineStory story) {
        for (String queue : List.of("qA", "qB")) {
            for (int number = 1; number <= 8; number++) {
                story.status(queue + number)
                        .ifPresent(status -> assertThat(status.evictionCount()).isLessThan(2));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void fs_01_two_queues_of_infinite_share_come_to_rest(Policies policies) {
        EngineStory story = policies.on(twoThatOwnNothing("0"));
        submitOnes(story, "qA", 8);
        submitOnes(story, "qB", 4);
        story.settle();

        assertThat(List.of(story.gpus("qA"), story.gpus("qB"))).containsExactly(4L, 4L);
        assertNobodyEvictedTwice(story);
    }

    @ParameterizedTest
    @EnumSource
    void fs_02_shares_that_round_to_nothing_are_compared_all_the_same(Policies policies) {
        EngineStory story = policies.on(twoThatOwnNothing("10000000"));
        submitOnes(story, "qA", 8);
        submitOnes(story, "qB", 4);
        story.settle();

        assertThat(List.of(story.gpus("qA"), story.gpus("qB"))).containsExactly(4L, 4L);
        assertNobodyEvictedTwice(story);
    }

    @ParameterizedTest
    @EnumSource
    void fs_07_of_two_equal_borrowers_one_is_the_victim_however_long_it_takes_to_end(Policies policies) {
        EngineStory story = policies.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue("own", queue -> queue.gpus(2).reclaimsAny())
                                .queue("qA", 0)
                                .queue("qB", 0)));
        story.submit(aWorkload("a").in("qA").gpus(1), aWorkload("b").in("qB").gpus(1));
        story.submit(aWorkload("p").in("own").gpus(1));
        List<String> first = story.in(WorkloadState.EVICTING);
        for (int cycle = 0; cycle < 5; cycle++) {
            story.step();
        }

        assertThat(first).hasSize(1);
        assertThat(story.in(WorkloadState.EVICTING)).isEqualTo(first);
    }

    @ParameterizedTest
    @EnumSource
    void fs_08_who_is_within_its_quota_of_what_it_asks_comes_first_whatever_else_it_borrows(Policies policies) {
        EngineStory story = policies.on(aCluster()
                .cohort(
                        "x",
                        x -> x.owns(own -> own.quota("X", ClusterBuilder.GPU, "8"))
                                .queue(
                                        "qA",
                                        queue -> queue.quota("X", ClusterBuilder.GPU, "0")
                                                .quota("Y", ClusterBuilder.GPU, "4"))
                                .queue("qB", queue -> queue.quota("Y", ClusterBuilder.GPU, "0"))
                                .queue("qC", queue -> queue.quota("Y", ClusterBuilder.GPU, "0")))
                .flavor("X", java.util.Map.of("kind", "x"))
                .flavor("Y", java.util.Map.of("kind", "y")));
        story.submit(aWorkload("onX").in("qA").gpus(8).onNodesWith("kind", "x"));
        story.submit(aWorkload("onY").in("qC").gpus(2).onNodesWith("kind", "y"));
        story.submit(
                aWorkload("b").in("qB").gpus(2).onNodesWith("kind", "y").createdAt(story.now()),
                aWorkload("a")
                        .in("qA")
                        .gpus(2)
                        .onNodesWith("kind", "y")
                        .createdAt(story.now().plusMillis(500)));

        assertThat(story.running()).containsExactly("onX", "onY", "a");
    }

    @ParameterizedTest
    @EnumSource
    void fs_10_a_new_weight_counts_from_the_next_cycle_on(Policies policies) {
        EngineStory story = policies.on(twoCohorts("1"));
        submitOnes(story, "qA", 8);
        submitOnes(story, "qB", 8);
        story.settle();
        assertThat(List.of(story.gpus("qA"), story.gpus("qB"))).containsExactly(4L, 4L);

        story.configure(twoCohorts("3").version(2));
        story.settle();
        assertThat(List.of(story.gpus("qA"), story.gpus("qB"))).containsExactly(6L, 2L);
    }

    private static ClusterBuilder twoCohorts(String weightOfA) {
        return aCluster()
                .cohort(
                        "root",
                        root -> root.owns(own -> own.gpus(8))
                                .cohort(
                                        "A",
                                        cohort -> cohort.owns(own -> own.weighs(weightOfA))
                                                .queue(
                                                        "qA",
                                                        queue -> queue.gpus(0).reclaimsAny()))
                                .cohort(
                                        "B",
                                        cohort -> cohort.queue(
                                                "qB", queue -> queue.gpus(0).reclaimsAny())));
    }

    @ParameterizedTest
    @EnumSource
    void bo_02_a_borrower_of_nearly_infinite_weight_still_gives_back_what_is_not_its_own(Policies policies) {
        EngineStory story = policies.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue("qA", queue -> queue.gpus(4).reclaimsAny())
                                .queue("qB", queue -> queue.gpus(0).weighs("9999999"))));
        story.submit(aWorkload("b1").in("qB").gpus(2), aWorkload("b2").in("qB").gpus(2));
        story.submit(aWorkload("w").in("qA").gpus(4));
        story.settle();
        story.step();

        assertThat(story.running()).containsExactly("w");
    }

    /** Kueue draws lots between cohorts of equal share. */
    @RepeatedTest(20)
    void pr_11_among_cohorts_of_equal_share_the_lowest_priority_goes(RepetitionInfo repetition) {
        List<String> names = new ArrayList<>(List.of("a", "b", "c"));
        Collections.shuffle(names, new Random(repetition.getCurrentRepetition()));
        String high = names.get(0);
        String normal = names.get(1);
        String low = names.get(2);
        EngineStory story = Policies.DEFAULT.on(aCluster()
                .cohort(
                        "root",
                        root -> root.cohort(high, team -> team(team, high, 2))
                                .cohort(normal, team -> team(team, normal, 2))
                                .cohort(low, team -> team(team, low, 8))));
        story.submit(
                aWorkload("high").in(high + "-borrowing").gpus(4).priority(100),
                aWorkload("normal").in(normal + "-borrowing").gpus(4).priority(50),
                aWorkload("low").in(low + "-borrowing").gpus(4).priority(1));
        story.submit(aWorkload("w").in(low + "-guaranteed").gpus(4).priority(50));

        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("normal");
        story.settle();
        assertThat(story.running()).containsExactly("high", "low", "w");
    }

    @ParameterizedTest
    @EnumSource
    void mv_10_the_record_of_a_preemption_tells_rule_and_level(Policies policies) {
        EngineStory story = policies.on(aCluster()
                .cohort(
                        "org",
                        org -> org.owns(own -> own.gpus(4))
                                .cohort(
                                        "east",
                                        east -> east.queue(
                                                "qA", queue -> queue.gpus(0).reclaimsAny()))
                                .cohort("west", west -> west.queue("qB", 0).queue("qC", 0))));
        submitOnes(story, "qB", 4);
        List<Decision> decided = story.submit(aWorkload("p").in("qA").gpus(1));

        assertThat(decided)
                .filteredOn(Decision.Preempt.class::isInstance)
                .singleElement()
                .satisfies(decision -> assertThat(((Decision.Preempt) decision).victims())
                        .containsExactly(new Decision.Victim(
                                story.id(story.in(WorkloadState.EVICTING).getFirst()),
                                EvictionReason.IN_COHORT_FAIR_SHARING,
                                "org")));
    }

    @Test
    void shares_are_told_of_queues_and_cohorts_and_only_if_they_decide_anything() {
        ClusterBuilder cluster = aCluster()
                .cohort(
                        "org",
                        org -> org.owns(own -> own.gpus(8))
                                .cohort(
                                        "east",
                                        east -> east.owns(own -> own.weighs("2"))
                                                .queue(
                                                        "qA",
                                                        queue -> queue.gpus(0).weighs("0"))));
        EngineStory fair = Policies.DEFAULT.on(cluster);
        fair.submit(aWorkload("w").in("qA").gpus(4));
        QuotaUsage.FairShares shares =
                java.util.Objects.requireNonNull(fair.engine().usage().fairShares());
        assertThat(shares.queues())
                .hasEntrySatisfying(
                        "qA", share -> assertThat(share.isInfinite()).isTrue());
        assertThat(shares.cohorts())
                .hasEntrySatisfying("east", share -> assertThat(share.rounded()).isEqualTo(250));
        assertThat(shares.cohorts())
                .hasEntrySatisfying("org", share -> assertThat(share.rounded()).isZero());

        assertThat(EngineStory.on(cluster).engine().usage().fairShares()).isNull();
    }

    private static void team(ClusterBuilder.CohortBuilder team, String name, long guaranteed) {
        team.queue(name + "-guaranteed", queue -> queue.gpus(guaranteed).reclaimsAny())
                .queue(name + "-borrowing", queue -> queue.gpus(0));
    }

    @ParameterizedTest
    @EnumSource
    void pr_22_a_full_tree_is_reclaimed_from_whoever_is_over_its_due(Policies policies) {
        EngineStory story = policies.on(aCluster()
                .cohort(
                        "root",
                        root -> root.cohort(
                                        "A",
                                        a -> a.queue(
                                                        "A1",
                                                        queue -> queue.gpus(80).borrowAtMost(80))
                                                .queue(
                                                        "A2",
                                                        queue -> queue.gpus(80).borrowAtMost(80)))
                                .queue(
                                        "B",
                                        queue -> queue.gpus(160)
                                                .borrowAtMost(160)
                                                .reclaimsAny())));
        for (int number = 1; number <= 20; number++) {
            story.submit(aWorkload("x" + number).in("A1").gpus(8));
            story.submit(aWorkload("y" + number).in("A2").gpus(8));
        }
        assertThat(story.running()).hasSize(40);
        story.submit(aWorkload("gang").in("B").gpus(8).pods(20));
        assertThat(story.in(WorkloadState.EVICTING)).hasSize(20);
        story.settle();
        story.step();

        assertThat(story.running()).contains("gang").hasSize(21);
        assertThat(List.of(story.gpus("A1"), story.gpus("A2"))).containsExactly(80L, 80L);
    }
}
