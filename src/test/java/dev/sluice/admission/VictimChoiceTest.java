package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.Explanation.PreemptionFinding;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.testkit.WorkloadBuilder;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who is protected from preemption for a time, and who goes first among those whom a policy would let go. */
@Tag("core")
class VictimChoiceTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private static ClusterBuilder tasksAndBackground() {
        return aCluster()
                .cohort(
                        "x",
                        x -> x.queue("qTask", queue -> queue.gpus(3).reclaimsAny())
                                .queue("qBg", queue -> queue.gpus(0).borrowAtMost(1)));
    }

    private static EngineStory under(ClusterBuilder cluster, VictimChoice choice) {
        return EngineStory.on(
                cluster.build(),
                AdmissionSettings.defaults()
                        .with(choice)
                        .with(StartRetries.KUEUE)
                        .with(OrderKeeping.KUEUE));
    }

    private static VictimChoice running(Duration atLeast) {
        return new VictimChoice(atLeast, 0, Duration.ZERO, true, true);
    }

    @Test
    void bo_07_a_borrower_runs_for_its_minimum_time_and_is_reclaimed_right_after() {
        EngineStory story = under(tasksAndBackground(), running(HOUR));
        story.submit(aWorkload("background").in("qBg").gpus(1));
        Instant admitted = story.now();
        story.after(Duration.ofMinutes(5));
        story.submit(aWorkload("task").in("qTask").gpus(3));

        assertThat(story.state("background")).isEqualTo(WorkloadState.ADMITTED);
        assertThat(story.engine().nextTimer()).contains(admitted.plus(HOUR));
        assertThat(preemption(story, "task"))
                .isEqualTo(new PreemptionFinding(false, "MINIMUM_RUNTIME", admitted.plus(HOUR)));
        story.at(admitted.plus(HOUR).minusSeconds(1));
        assertThat(story.state("background")).isEqualTo(WorkloadState.ADMITTED);
        story.at(admitted.plus(HOUR));
        assertThat(story.state("background")).isEqualTo(WorkloadState.EVICTING);
        story.gone("background");
        assertThat(story.running()).containsExactly("task");
    }

    @Test
    void bo_07_without_a_minimum_the_evictions_and_the_time_lost_are_counted() {
        for (AdmissionSettings settings :
                new AdmissionSettings[] {AdmissionSettings.defaults(), AdmissionSettings.kueueParity()}) {
            EngineStory story = EngineStory.on(tasksAndBackground().build(), settings);
            story.submit(aWorkload("background").in("qBg").gpus(1));
            for (int round = 1; round <= 2; round++) {
                story.after(Duration.ofSeconds(299));
                story.submit(aWorkload("task" + round).in("qTask").gpus(3));
                story.gone("background");
                story.finish("task" + round);
                story.step();
            }
            WorkloadStatus background = story.status("background").orElseThrow();
            assertThat(background.evictionCount()).isEqualTo(2);
            assertThat(background.particulars().lostTime()).isBetween(Duration.ofMinutes(10), Duration.ofSeconds(602));
        }
    }

    @Test
    void a_minimum_time_does_not_keep_what_is_stopped_or_cancelled() {
        EngineStory story = under(tasksAndBackground(), running(HOUR));
        story.submit(aWorkload("background").in("qBg").gpus(1));
        story.cancel("background");
        assertThat(story.state("background")).isEqualTo(WorkloadState.EVICTING);
    }

    @Test
    void an_engine_restored_meanwhile_takes_the_victim_at_the_same_time() {
        EngineStory story = under(tasksAndBackground(), running(HOUR));
        story.submit(aWorkload("background").in("qBg").gpus(1));
        Instant due = story.now().plus(HOUR);
        story.submit(aWorkload("task").in("qTask").gpus(3));

        Engine restored = story.engine().fork();
        assertThat(restored.decide(story.now())).isEmpty();

        assertThat(restored.nextTimer()).contains(due);
        assertThat(restored.decide(due.minusMillis(1))).isEmpty();
        assertThat(restored.decide(due)).isEqualTo(story.at(due)).hasSize(1);
    }

    @Test
    void a_new_configuration_does_not_make_anybody_forget_the_time() {
        EngineStory story = under(tasksAndBackground(), running(HOUR));
        story.submit(aWorkload("background").in("qBg").gpus(1));
        Instant due = story.now().plus(HOUR);
        story.submit(aWorkload("task").in("qTask").gpus(3));
        story.configure(tasksAndBackground().priorityClass("unrelated", 7));
        assertThat(story.engine().nextTimer()).contains(due);
    }

    private static PreemptionFinding preemption(EngineStory story, String workload) {
        return story.engine()
                .explain(story.id(workload), story.now())
                .orElseThrow()
                .requirements()
                .getFirst()
                .flavors()
                .getFirst()
                .preemption();
    }

    // The brake

    private static ClusterBuilder ownerAndBorrower() {
        return aCluster()
                .cohort(
                        "x",
                        x -> x.queue("owner", queue -> queue.gpus(2).reclaimsAny())
                                .queue("other", queue -> queue.gpus(2).reclaimsAny())
                                .queue("borrower", 0));
    }

    /** Runs, is preempted for the owner, and runs again, so many times. */
    private static void preempt(EngineStory story, String queue, int times) {
        for (int time = 0; time < times; time++) {
            String task = queue + story.now().getEpochSecond();
            story.submit(aWorkload(task).in(queue).gpus(2));
            story.gone("w");
            story.finish(task);
        }
    }

    @Test
    void a_workload_that_one_queue_preempted_again_and_again_gets_a_time_to_run_from_it() {
        EngineStory story =
                under(ownerAndBorrower(), new VictimChoice(Duration.ZERO, 3, Duration.ofMinutes(5), true, true));
        story.submit(aWorkload("w").in("borrower").gpus(4));
        preempt(story, "owner", 3);
        assertThat(story.running()).containsExactly("w");
        Instant admitted = story.now();

        story.submit(aWorkload("again").in("owner").gpus(2));
        assertThat(story.running()).containsExactly("w");
        story.at(admitted.plus(Duration.ofMinutes(5)));
        assertThat(story.state("w")).isEqualTo(WorkloadState.EVICTING);
    }

    @Test
    void the_brake_is_on_against_the_one_cause_only_and_off_in_parity() {
        EngineStory story =
                under(ownerAndBorrower(), new VictimChoice(Duration.ZERO, 3, Duration.ofMinutes(5), true, true));
        story.submit(aWorkload("w").in("borrower").gpus(4));
        preempt(story, "owner", 3);
        story.submit(aWorkload("first-time").in("other").gpus(2));
        assertThat(story.state("w")).isEqualTo(WorkloadState.EVICTING);

        EngineStory parity = EngineStory.on(ownerAndBorrower().build(), AdmissionSettings.kueueParity());
        parity.submit(aWorkload("w").in("borrower").gpus(4));
        for (int time = 1; time <= 5; time++) {
            parity.submit(aWorkload("task" + time).in("owner").gpus(2));
            parity.gone("w");
            parity.finish("task" + time);
        }
        assertThat(parity.status("w").orElseThrow().evictionCount()).isEqualTo(5);
    }

    // Cheapest first

    @Test
    void who_saved_its_work_last_goes_first_and_loses_only_what_came_after() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(2).preemptsLower()));
        story.submit(aWorkload("saving").in("q").gpus(1));
        story.after(Duration.ofMinutes(10));
        story.submit(aWorkload("newer").in("q").gpus(1));
        story.after(Duration.ofMinutes(10));
        story.step(new EngineEvent.CheckpointReached(story.id("saving")));
        story.after(Duration.ofSeconds(58));
        story.submit(aWorkload("urgent").in("q").gpus(1).priority(1));

        assertThat(story.state("saving")).isEqualTo(WorkloadState.EVICTING);
        assertThat(story.state("newer")).isEqualTo(WorkloadState.ADMITTED);
        assertThat(story.status("saving").orElseThrow().particulars().lostTime())
                .isEqualTo(Duration.ofSeconds(59));
    }

    @Test
    void what_is_told_late_counts_from_when_it_was_saved_and_what_is_told_again_changes_nothing() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(1).preemptsLower()));
        story.submit(aWorkload("saving").in("q").gpus(1));
        story.after(Duration.ofMinutes(10));
        Instant saved = story.now();
        story.after(Duration.ofMinutes(5));
        story.step(new EngineEvent.CheckpointReached(story.id("saving"), saved));
        story.step(new EngineEvent.CheckpointReached(story.id("saving"), saved.minusSeconds(60)));
        assertThat(story.status("saving").orElseThrow().particulars().checkpointAt())
                .isEqualTo(saved);

        story.step(new EngineEvent.CheckpointReached(story.id("saving"), saved.plus(Duration.ofDays(1))));

        assertThat(story.status("saving").orElseThrow().particulars().checkpointAt())
                .as("nothing is saved that is still to come")
                .isEqualTo(story.now());
    }

    @Test
    void in_parity_the_newest_admission_goes_first_whatever_was_saved() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", queue -> queue.gpus(2).preemptsLower()).build(), AdmissionSettings.kueueParity());
        story.submit(aWorkload("saving").in("q").gpus(1));
        story.submit(aWorkload("newer").in("q").gpus(1));
        story.step(new EngineEvent.CheckpointReached(story.id("saving")));
        story.submit(aWorkload("urgent").in("q").gpus(1).priority(1));
        assertThat(story.state("newer")).isEqualTo(WorkloadState.EVICTING);
    }

    private static EngineStory elevenCpus(AdmissionSettings settings, WorkloadBuilder... running) {
        EngineStory story = EngineStory.on(
                aCluster()
                        .queue("q", queue -> queue.quota("cpu", "11").preemptsLower())
                        .build(),
                settings);
        for (WorkloadBuilder one : running) {
            story.submit(one.in("q").priority(10));
        }
        story.submit(aWorkload("p").in("q").asks("cpu", "1").priority(100));
        return story;
    }

    @Test
    void pr_17_the_cheapest_single_workload_that_is_enough_goes_instead_of_a_whole_gang() {
        WorkloadBuilder single = aWorkload("single").asks("cpu", "1");
        WorkloadBuilder gang = aWorkload("gang").pods(10).asks("cpu", "1");
        EngineStory story = elevenCpus(AdmissionSettings.defaults(), single, gang);
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("single");

        EngineStory parity = elevenCpus(
                AdmissionSettings.kueueParity(),
                aWorkload("single").asks("cpu", "1"),
                aWorkload("gang").pods(10).asks("cpu", "1"));
        assertThat(parity.in(WorkloadState.EVICTING)).containsExactly("gang");
    }

    @Test
    void pr_17_a_gang_goes_if_nobody_else_is_enough_and_a_lower_priority_is_still_taken_first() {
        EngineStory alone = elevenCpus(
                AdmissionSettings.defaults(), aWorkload("gang").pods(11).asks("cpu", "1"));
        assertThat(alone.in(WorkloadState.EVICTING)).containsExactly("gang");
        alone.gone("gang");
        assertThat(alone.running()).containsExactly("p");

        EngineStory story = EngineStory.on(
                aCluster().queue("q", queue -> queue.quota("cpu", "11").preemptsLower()));
        story.submit(aWorkload("important").in("q").asks("cpu", "1").priority(10));
        story.submit(aWorkload("lowly").in("q").pods(10).asks("cpu", "1").priority(5));
        story.submit(aWorkload("p").in("q").asks("cpu", "1").priority(100));
        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("lowly");
    }
}
