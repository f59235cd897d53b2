package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static dev.sluice.workload.WorkloadState.ADMITTED;
import static dev.sluice.workload.WorkloadState.CANCELLED;
import static dev.sluice.workload.WorkloadState.EVICTING;
import static dev.sluice.workload.WorkloadState.FAILED;
import static dev.sluice.workload.WorkloadState.INACTIVE;
import static dev.sluice.workload.WorkloadState.PENDING;
import static dev.sluice.workload.WorkloadState.RESERVED;
import static dev.sluice.workload.WorkloadState.RUNNING;
import static dev.sluice.workload.WorkloadState.SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is decided at once when something happens to a workload: in each of its states, and too late for it. */
@Tag("core")
class EventDecisionsTest {
    private static ClusterBuilder twoQueues() {
        return aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()).queue("side", 4);
    }

    private static EngineStory withOneRunning() {
        EngineStory story = EngineStory.on(twoQueues());
        story.submit(aWorkload("w").in("q").gpus(4));
        story.ready("w");
        return story;
    }

    /** {@code w} leaves for {@code hi}, which has its place set aside. */
    private static EngineStory withOneEarmarked() {
        EngineStory story = withOneRunning();
        story.submit(aWorkload("hi").in("q").gpus(4).priority(10));
        assertThat(story.state("w")).isEqualTo(EVICTING);
        return story;
    }

    private static Decision become(EngineStory story, String name, dev.sluice.workload.WorkloadState state) {
        return new Decision.Become(story.id(name), state, null);
    }

    @Test
    void pods_that_are_ready_make_it_run_once() {
        EngineStory story = EngineStory.on(twoQueues());
        story.submit(aWorkload("w").in("q").gpus(4));
        assertThat(story.state("w")).isEqualTo(ADMITTED);
        assertThat(story.ready("w")).containsExactly(become(story, "w", RUNNING));
        assertThat(story.ready("w")).isEmpty();
    }

    @Test
    void what_ends_by_itself_has_succeeded_or_failed_also_while_it_leaves() {
        EngineStory story = withOneRunning();
        assertThat(story.finish("w")).containsExactly(become(story, "w", SUCCEEDED));
        assertThat(story.status("w")).isEmpty();

        EngineStory leaving = withOneEarmarked();
        assertThat(leaving.step(new EngineEvent.WorkloadFinished(leaving.id("w"), false)))
                .startsWith(become(leaving, "w", FAILED))
                .hasSize(2)
                .last()
                .isInstanceOf(Decision.Admit.class);
    }

    @Test
    void one_that_waits_does_not_end_by_itself() {
        EngineStory story = withOneRunning();
        story.submit(aWorkload("waits").in("q").gpus(1));
        assertThat(story.finish("waits")).isEmpty();
        assertThat(story.state("waits")).isEqualTo(PENDING);
    }

    @Test
    void pods_of_one_that_does_not_leave_are_not_gone() {
        EngineStory story = withOneRunning();
        assertThat(story.gone("w")).isEmpty();
        assertThat(story.state("w")).isEqualTo(RUNNING);
    }

    @Test
    void one_whose_pods_are_gone_waits_again_in_the_place_that_it_had() {
        EngineStory story = withOneEarmarked();
        Instant queued = story.status("w").orElseThrow().queuedAt();
        assertThat(story.gone("w")).startsWith(become(story, "w", PENDING)).hasSize(2);
        assertThat(story.status("w").orElseThrow().queuedAt()).isEqualTo(queued);
        assertThat(story.engine().pending("q")).containsExactly(story.id("w"));
        story.finish("hi");
        assertThat(story.running()).containsExactly("w");
    }

    @Test
    void a_cancel_ends_what_waits_at_once_and_what_runs_when_its_pods_are_gone() {
        EngineStory story = withOneRunning();
        story.submit(aWorkload("waits").in("q").gpus(1));
        assertThat(story.cancel("waits")).containsExactly(become(story, "waits", CANCELLED));
        assertThat(story.cancel("w")).containsExactly(new Decision.Evict(story.id("w"), EvictionReason.CANCELLED));
        story.submit(aWorkload("next").in("q").gpus(4));
        assertThat(story.state("next")).isEqualTo(PENDING);
        assertThat(story.gone("w")).startsWith(become(story, "w", CANCELLED));
        assertThat(story.running()).containsExactly("next");
    }

    @Test
    void a_cancel_of_one_that_leaves_for_another_reason_is_for_good() {
        EngineStory story = withOneEarmarked();
        assertThat(story.cancel("w")).isEmpty();
        assertThat(story.step(new EngineEvent.ActivationChanged(story.id("w"), false)))
                .isEmpty();
        assertThat(story.gone("w")).startsWith(become(story, "w", CANCELLED));
        assertThat(story.status("w")).isEmpty();
    }

    @Test
    void a_cancel_of_one_with_a_place_set_aside_gives_the_place_up() {
        EngineStory story = withOneEarmarked();
        assertThat(story.cancel("hi"))
                .containsExactly(
                        new Decision.DropEarmark(story.id("hi"), "the workload ended"), become(story, "hi", CANCELLED));
        story.gone("w");
        assertThat(story.running()).containsExactly("w");
    }

    @Test
    void who_is_deactivated_while_it_waits_is_not_considered_until_it_is_active_again() {
        EngineStory story = withOneRunning();
        story.submit(aWorkload("waits").in("q").gpus(4));
        assertThat(story.step(new EngineEvent.ActivationChanged(story.id("waits"), false)))
                .containsExactly(become(story, "waits", INACTIVE));
        story.finish("w");
        assertThat(story.state("waits")).isEqualTo(INACTIVE);
        assertThat(story.reason("waits")).isEqualTo(new WaitReason.Deactivated(null));
        assertThat(story.step(new EngineEvent.ActivationChanged(story.id("waits"), true)))
                .startsWith(become(story, "waits", PENDING))
                .hasSize(2);
        assertThat(story.running()).containsExactly("waits");
        assertThat(story.step(new EngineEvent.ActivationChanged(story.id("waits"), true)))
                .as("it is active already")
                .isEmpty();
    }

    @Test
    void who_is_deactivated_while_its_place_is_set_aside_gives_the_place_up() {
        EngineStory story = withOneEarmarked();
        assertThat(story.step(new EngineEvent.ActivationChanged(story.id("hi"), false)))
                .containsExactly(
                        new Decision.DropEarmark(story.id("hi"), "deactivated"), become(story, "hi", INACTIVE));
    }

    @Test
    void what_runs_leaves_when_it_is_deactivated_and_waits_again_if_it_is_activated_meanwhile() {
        EngineStory story = withOneRunning();
        assertThat(story.step(new EngineEvent.ActivationChanged(story.id("w"), false)))
                .containsExactly(new Decision.Evict(story.id("w"), EvictionReason.DEACTIVATED));
        story.gone("w");
        assertThat(story.state("w")).isEqualTo(INACTIVE);

        EngineStory again = withOneRunning();
        again.step(new EngineEvent.ActivationChanged(again.id("w"), false));
        again.step(new EngineEvent.ActivationChanged(again.id("w"), true));
        assertThat(again.gone("w")).startsWith(become(again, "w", PENDING));
        assertThat(again.running()).containsExactly("w");
    }

    @Test
    void one_that_leaves_already_is_inactive_after_it_if_it_is_deactivated_meanwhile() {
        EngineStory story = withOneEarmarked();
        story.step(new EngineEvent.ActivationChanged(story.id("w"), false));
        story.gone("w");
        assertThat(story.state("w")).isEqualTo(INACTIVE);
    }

    @Test
    void what_runs_for_too_long_leaves_and_is_inactive() {
        EngineStory story = withOneRunning();
        assertThat(story.step(new EngineEvent.MaxDurationExceeded(story.id("w"))))
                .containsExactly(new Decision.Evict(story.id("w"), EvictionReason.MAXIMUM_EXECUTION_TIME_EXCEEDED));
        assertThat(story.step(new EngineEvent.MaxDurationExceeded(story.id("w"))))
                .isEmpty();
        story.gone("w");
        assertThat(story.state("w")).isEqualTo(INACTIVE);
        assertThat(story.step(new EngineEvent.ActivationChanged(story.id("w"), true)))
                .hasSize(2);
    }

    @Test
    void what_the_cluster_refuses_has_failed_with_its_words_whether_it_waits_reserves_or_runs() {
        EngineStory story = EngineStory.on(aCluster()
                .admissionCheck("budget")
                .queue("q", 4)
                .queue("checked", queue -> queue.gpus(4).checks("budget")));
        story.submit(
                aWorkload("runs").in("q").gpus(4),
                aWorkload("waits").in("q").gpus(4),
                aWorkload("reserves").in("checked").gpus(4),
                aWorkload("off").in("q").gpus(1));
        assertThat(story.state("reserves")).isEqualTo(RESERVED);
        story.step(new EngineEvent.ActivationChanged(story.id("off"), false));
        for (String name : List.of("waits", "runs")) {
            assertThat(story.step(new EngineEvent.WorkloadRefused(story.id(name), "no such image")))
                    .containsExactly(new Decision.Become(story.id(name), FAILED, "no such image"));
        }
        assertThat(story.step(new EngineEvent.WorkloadRefused(story.id("reserves"), "no such image")))
                .containsExactly(
                        new Decision.Unreserve(story.id("reserves"), EvictionReason.START_REJECTED, PENDING),
                        new Decision.Become(story.id("reserves"), FAILED, "no such image"));
        assertThat(story.step(new EngineEvent.WorkloadRefused(story.id("off"), "no such image")))
                .as("its job is not asked for now")
                .isEmpty();
    }

    @Test
    void a_start_that_the_cluster_rejects_makes_it_leave_only_before_it_runs() {
        EngineStory story = EngineStory.on(twoQueues());
        story.submit(aWorkload("w").in("q").gpus(4));
        assertThat(story.step(new EngineEvent.StartRejected(story.id("w"), "a policy says no")))
                .containsExactly(new Decision.Evict(story.id("w"), EvictionReason.START_REJECTED));
        story.gone("w");
        assertThat(story.reason("w")).isInstanceOf(WaitReason.BackingOff.class);

        EngineStory running = withOneRunning();
        assertThat(running.step(new EngineEvent.StartRejected(running.id("w"), "too late")))
                .isEmpty();
    }

    @Test
    void who_waits_may_move_to_another_queue_and_who_runs_may_not() {
        EngineStory story = withOneRunning();
        story.submit(aWorkload("waits").in("q").gpus(4));
        assertThat(story.step(new EngineEvent.QueueChanged(story.id("waits"), "side")))
                .singleElement()
                .isInstanceOf(Decision.Admit.class);
        assertThat(story.gpus("side")).isEqualTo(4);
        assertThat(story.step(new EngineEvent.QueueChanged(story.id("w"), "side")))
                .isEmpty();
        assertThat(story.status("w").orElseThrow().localQueue()).isEqualTo("q");
    }

    @Test
    void who_has_its_place_set_aside_and_moves_gives_it_up_and_who_is_inactive_moves_for_later() {
        EngineStory story = withOneEarmarked();
        assertThat(story.step(new EngineEvent.QueueChanged(story.id("hi"), "side")))
                .startsWith(new Decision.DropEarmark(story.id("hi"), "it moved to another queue"))
                .hasSize(2)
                .last()
                .isInstanceOf(Decision.Admit.class);
        story.submit(aWorkload("off").in("q").gpus(1));
        story.step(new EngineEvent.ActivationChanged(story.id("off"), false));
        assertThat(story.step(new EngineEvent.QueueChanged(story.id("off"), "side")))
                .isEmpty();
        story.step(new EngineEvent.ActivationChanged(story.id("off"), true));
        assertThat(story.engine().pending("side")).containsExactly(story.id("off"));
    }

    @Test
    void another_priority_makes_who_has_its_place_set_aside_wait_anew() {
        EngineStory story = withOneEarmarked();
        assertThat(story.step(new EngineEvent.PriorityChanged(story.id("hi"), "p5", 5)))
                .startsWith(new Decision.DropEarmark(story.id("hi"), "its priority changed"));
        assertThat(story.status("hi").orElseThrow().priority()).isEqualTo(5);
        assertThat(story.step(new EngineEvent.PriorityChanged(story.id("hi"), "other-name", 5)))
                .as("the same number under another name")
                .isEmpty();
        assertThat(story.status("hi").orElseThrow().priorityClass()).isEqualTo("other-name");
    }

    @Test
    void a_lower_priority_of_what_runs_lets_another_take_its_place_at_once() {
        EngineStory story = EngineStory.on(twoQueues());
        story.submit(aWorkload("w").in("q").gpus(4).priority(5));
        story.submit(aWorkload("waits").in("q").gpus(4).priority(5));
        assertThat(story.step(new EngineEvent.PriorityChanged(story.id("w"), "p0", 0)))
                .singleElement()
                .isInstanceOf(Decision.Preempt.class);
    }

    @Test
    void pods_that_are_done_before_it_starts_are_not_asked_for() {
        EngineStory story = EngineStory.on(twoQueues());
        story.submit(aWorkload("w").in("q").gpus(2).pods(3));
        assertThat(story.state("w")).isEqualTo(PENDING);
        EngineEvent done = new EngineEvent.PodsReclaimable(story.id("w"), new TreeMap<>(Map.of("main", 1)));
        assertThat(story.step(done)).singleElement().isInstanceOf(Decision.Admit.class);
        assertThat(story.gpus("q")).isEqualTo(4);
        assertThat(story.step(done)).isEmpty();

        story.submit(aWorkload("off").in("side").gpus(2).pods(3));
        story.step(new EngineEvent.ActivationChanged(story.id("off"), false));
        story.step(new EngineEvent.PodsReclaimable(story.id("off"), new TreeMap<>(Map.of("main", 1))));
        story.step(new EngineEvent.ActivationChanged(story.id("off"), true));
        assertThat(story.gpus("side")).isEqualTo(4);
    }

    @Test
    void work_is_saved_up_to_a_time_that_has_come_and_that_is_news() {
        EngineStory story = withOneRunning();
        story.step(new EngineEvent.CheckpointReached(story.id("w"), story.now().plusSeconds(60)));
        Instant now = story.now();
        assertThat(story.status("w").orElseThrow().particulars().checkpointAt()).isEqualTo(now);
        story.step(new EngineEvent.CheckpointReached(story.id("w"), now.minusSeconds(1)));
        assertThat(story.status("w").orElseThrow().particulars().checkpointAt()).isEqualTo(now);
        story.submit(aWorkload("waits").in("q").gpus(4));
        story.step(new EngineEvent.CheckpointReached(story.id("waits")));
        assertThat(story.status("waits").orElseThrow().particulars().checkpointAt())
                .isNull();
    }

    @Test
    void work_that_is_saved_while_it_leaves_counts_as_well() {
        EngineStory story = withOneEarmarked();
        story.step(new EngineEvent.CheckpointReached(story.id("w")));
        assertThat(story.status("w").orElseThrow().particulars().checkpointAt()).isEqualTo(story.now());
    }

    @Test
    void after_a_restart_admissions_are_numbered_on_from_those_that_live() {
        EngineStory story = withOneRunning();
        story.submit(aWorkload("second").in("side").gpus(1));
        story.submit(aWorkload("third").in("side").gpus(1));
        assertThat(story.status("third").orElseThrow().admissionSequence()).isEqualTo(3);
        story.finish("third");
        story.step(new EngineEvent.EngineRestarted(story.engine().settings()));
        story.submit(aWorkload("fourth").in("side").gpus(1));
        assertThat(story.status("fourth").orElseThrow().admissionSequence()).isEqualTo(3);
    }

    @Test
    void whoever_waited_for_the_room_of_one_that_must_leave_has_it_set_aside_at_once() {
        EngineStory cancelled = withOneRunning();
        cancelled.submit(aWorkload("waits").in("q").gpus(4));
        cancelled.cancel("w");
        assertThat(cancelled.reason("waits")).isEqualTo(new WaitReason.AwaitingVictims(List.of(cancelled.id("w"))));

        EngineStory rejected = EngineStory.on(twoQueues());
        rejected.submit(aWorkload("w").in("q").gpus(4));
        rejected.submit(aWorkload("waits").in("q").gpus(4));
        rejected.step(new EngineEvent.StartRejected(rejected.id("w"), "a policy says no"));
        assertThat(rejected.reason("waits")).isEqualTo(new WaitReason.AwaitingVictims(List.of(rejected.id("w"))));
    }

    @Test
    void what_is_said_of_one_that_nobody_knows_changes_nothing() {
        EngineStory story = EngineStory.on(twoQueues());
        assertThat(story.step(
                        new EngineEvent.PodsReady(story.id("nobody")),
                        new EngineEvent.CancelRequested(story.id("nobody")),
                        new EngineEvent.PodsGone(story.id("nobody"))))
                .isEmpty();
    }
}
