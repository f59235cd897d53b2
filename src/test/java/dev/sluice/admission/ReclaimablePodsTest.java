package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.FLAVOR;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadState;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Pods of a job that are done give their quota back, and take it again if the job begins anew. */
@Tag("core")
class ReclaimablePodsTest {
    private static final ClusterBuilder SIXTY_FOUR_CPUS = aCluster().queue("q", queue -> queue.quota("cpu", "64"));

    private static void done(EngineStory story, String workload, int pods) {
        story.step(new EngineEvent.PodsReclaimable(
                story.id(workload), pods == 0 ? new TreeMap<>() : new TreeMap<>(Map.of("main", pods))));
    }

    private static long cpus(EngineStory story) {
        return story.line("q", FLAVOR, "cpu").used() / 1000;
    }

    @Test
    void qm_04_usage_rises_back_when_a_job_restarts_pods_that_were_done() {
        EngineStory story = EngineStory.on(SIXTY_FOUR_CPUS);
        story.submit(aWorkload("j").in("q").pods(3).asks("cpu", "16"));
        done(story, "j", 2);
        assertThat(cpus(story)).isEqualTo(16);
        assertThat(story.engine().ledgerDrift()).isEmpty();

        done(story, "j", 0);
        story.submit(aWorkload("w2").in("q").asks("cpu", "32"));

        assertThat(cpus(story)).isEqualTo(48);
        assertThat(story.running()).containsExactly("j");
        assertThat(story.reason("w2")).isEqualTo(new WaitReason.QuotaExhausted("cpu", FLAVOR, 32_000, 16_000, 16_000));
    }

    @Test
    void pods_that_are_done_are_no_drift() {
        EngineStory story = EngineStory.on(SIXTY_FOUR_CPUS);
        story.submit(aWorkload("j").in("q").pods(3).asks("cpu", "16"));

        done(story, "j", 2);

        assertThat(story.engine().ledgerDrift()).isEmpty();
    }

    @Test
    void pods_that_are_done_make_room_for_whoever_waits() {
        EngineStory story = EngineStory.on(SIXTY_FOUR_CPUS);
        story.submit(aWorkload("j").in("q").pods(3).asks("cpu", "16"));
        story.submit(aWorkload("w2").in("q").asks("cpu", "32"));
        assertThat(story.running()).containsExactly("j");

        done(story, "j", 1);

        assertThat(story.running()).containsExactly("j", "w2");
        assertThat(cpus(story)).isEqualTo(64);
    }

    @Test
    void a_restart_over_quota_is_shown_as_overcommitted_and_nothing_more_starts_until_it_fits_again() {
        EngineStory story = EngineStory.on(SIXTY_FOUR_CPUS);
        story.submit(aWorkload("j").in("q").pods(3).asks("cpu", "16"));
        done(story, "j", 2);
        story.submit(aWorkload("w2").in("q").asks("cpu", "32"));
        story.submit(aWorkload("w3").in("q").asks("cpu", "16"));
        assertThat(cpus(story)).isEqualTo(64);

        done(story, "j", 0);
        story.submit(aWorkload("w4").in("q").asks("cpu", "1"));

        assertThat(story.line("q", FLAVOR, "cpu").overcommitted()).isEqualTo(32_000);
        assertThat(story.in(WorkloadState.PENDING)).containsExactly("w4");
        story.finish("w2");
        assertThat(story.in(WorkloadState.PENDING)).containsExactly("w4");
        story.finish("w3");
        assertThat(story.running()).containsExactly("j", "w4");
    }

    @Test
    void an_evicted_job_comes_back_for_the_pods_that_are_not_done() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(3).preemptsLower()));
        story.submit(aWorkload("j").in("q").pods(3).gpus(1));
        done(story, "j", 1);
        story.submit(aWorkload("urgent").in("q").gpus(2).priority(10));
        assertThat(story.state("j")).isEqualTo(WorkloadState.EVICTING);
        done(story, "j", 2);
        story.gone("j");

        assertThat(story.running()).containsExactly("j", "urgent");
        assertThat(story.admittedPods("j")).isEqualTo(1);
        assertThat(story.gpus("q")).isEqualTo(3);

        done(story, "j", 0);
        assertThat(story.gpus("q"))
                .as("it began all over with three pods, although it was admitted for one")
                .isEqualTo(5);
    }

    @Test
    void a_preemptor_waits_until_the_pods_are_gone_even_if_its_victim_restarts_some() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("j").in("q").pods(4).gpus(1));
        done(story, "j", 1);
        story.submit(aWorkload("urgent").in("q").gpus(2).priority(10));
        assertThat(story.state("j")).isEqualTo(WorkloadState.EVICTING);

        done(story, "j", 0);
        assertThat(story.state("urgent")).isEqualTo(WorkloadState.PENDING);
        story.gone("j");
        assertThat(story.running()).containsExactly("urgent");
        assertThat(story.gpus("q")).isEqualTo(2);
    }

    @Test
    void a_place_set_aside_is_given_up_if_a_restart_takes_the_room_that_it_waited_for() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("j").in("q").pods(3).gpus(1).priority(5));
        done(story, "j", 2);
        story.submit(aWorkload("victim").in("q").gpus(3));
        story.submit(aWorkload("preemptor").in("q").gpus(3).priority(1));
        assertThat(story.state("victim")).isEqualTo(WorkloadState.EVICTING);

        done(story, "j", 0);
        story.gone("victim");

        assertThat(story.reason("preemptor"))
                .isEqualTo(new WaitReason.QuotaExhausted(ClusterBuilder.GPU, FLAVOR, 3, 1, 2));
        story.finish("j");
        assertThat(story.running()).containsExactly("preemptor");
    }

    @Test
    void an_engine_that_is_restored_counts_the_same_pods() {
        EngineStory story = EngineStory.on(SIXTY_FOUR_CPUS);
        story.submit(aWorkload("j").in("q").pods(3).asks("cpu", "16"));
        done(story, "j", 2);

        Engine fork = story.engine().fork();

        assertThat(fork.usage()).isEqualTo(story.engine().usage());
        fork.apply(new EngineEvent.PodsReclaimable(story.id("j"), new TreeMap<>()), story.now());
        assertThat(Objects.requireNonNull(fork.usage().queues().get("q"))
                        .lines()
                        .getFirst()
                        .used())
                .isEqualTo(48_000);
        assertThat(cpus(story)).isEqualTo(16);
    }

    @Test
    void counts_that_the_workload_cannot_have_are_bounded_by_its_pod_sets() {
        EngineStory story = EngineStory.on(SIXTY_FOUR_CPUS);
        story.submit(
                aWorkload("j").in("q").pods(1).asks("cpu", "16").with(PodSet.of("workers", 2, Map.of("cpu", 8_000L))));

        story.step(new EngineEvent.PodsReclaimable(
                story.id("j"), new TreeMap<>(Map.of("workers", 7, "nobody", 3, "main", -1))));

        assertThat(cpus(story)).isEqualTo(16);
        assertThat(story.status("j").orElseThrow().particulars().reclaimablePods())
                .isEqualTo(Map.of("workers", 2));
    }

    @Test
    void pods_of_a_partially_admitted_job_free_quota_at_once_and_in_parity_only_beyond_what_it_went_without() {
        assertThat(usedAfterTwoOfThreeAreDone(AdmissionSettings.defaults())).isEqualTo(1);
        assertThat(usedAfterTwoOfThreeAreDone(AdmissionSettings.kueueParity())).isEqualTo(3);
    }

    /** Of a job of five pods that was admitted with three. */
    private static long usedAfterTwoOfThreeAreDone(AdmissionSettings settings) {
        EngineStory story = EngineStory.on(aCluster().queue("q", 3).build(), settings);
        Workload five = aWorkload("five").in("q").pods(5).gpus(1).build();
        Workload three = aWorkload("three").in("q").pods(3).gpus(1).build();
        EngineStory lender = EngineStory.on(aCluster().queue("q", 3).build(), settings);
        lender.step(new EngineEvent.WorkloadQueued(three, three.createdAt()));
        WorkloadStatus withThree = lender.status("three").orElseThrow();
        story.step(new EngineEvent.WorkloadRestored(five, withThree));
        assertThat(story.gpus("q")).isEqualTo(3);
        done(story, "five", 2);
        return story.gpus("q");
    }
}
