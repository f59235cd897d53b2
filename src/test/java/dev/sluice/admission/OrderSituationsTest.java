package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.NamespaceSelector;
import dev.sluice.quota.StopPolicy;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whose turn it is, and who is woken by what, in situations that people met elsewhere. */
@Tag("core")
class OrderSituationsTest {
    @Test
    void a_strict_head_that_can_never_start_stands_in_nobodys_way() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).strict()));
        story.submit(aWorkload("hopeless").in("q").gpus(5).priority(9));
        story.submit(aWorkload("w").in("q").gpus(4));
        assertThat(story.running()).containsExactly("w");
    }

    @Test
    void who_waits_in_a_stopped_local_queue_stands_in_nobodys_way() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", queue -> queue.gpus(4).strict()).localQueue("stopped", "q", StopPolicy.HOLD));
        story.submit(aWorkload("held").in("stopped").gpus(4).priority(9));
        story.submit(aWorkload("w").in("q").gpus(4));
        assertThat(story.running()).containsExactly("w");
        assertThat(story.reason("held")).isEqualTo(new WaitReason.QueueStopped("q", "stopped"));
    }

    @Test
    void a_strict_head_that_is_cancelled_lets_the_next_go_on_at_once() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).strict()));
        story.submit(aWorkload("runs").in("q").gpus(2));
        story.submit(aWorkload("head").in("q").gpus(4));
        story.submit(aWorkload("next").in("q").gpus(2));
        assertThat(story.running()).containsExactly("runs");
        story.cancel("head");
        assertThat(story.running()).containsExactly("runs", "next");
    }

    @Test
    void a_strict_head_that_is_deactivated_or_moved_lets_the_next_go_on_at_once() {
        EngineStory story = EngineStory.on(
                aCluster().queue("q", queue -> queue.gpus(4).strict()).queue("other", 1));
        story.submit(aWorkload("runs").in("q").gpus(2));
        story.submit(aWorkload("head").in("q").gpus(4));
        story.submit(aWorkload("second").in("q").gpus(3));
        story.submit(aWorkload("next").in("q").gpus(2));
        story.step(new EngineEvent.ActivationChanged(story.id("head"), false));
        assertThat(story.running()).containsExactly("runs");
        story.step(new EngineEvent.QueueChanged(story.id("second"), "other"));
        assertThat(story.running()).containsExactly("runs", "next");
    }

    @Test
    void who_was_preempted_keeps_its_place_before_those_who_came_later() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("first").in("q").gpus(4));
        story.submit(aWorkload("second").in("q").gpus(4));
        story.submit(aWorkload("urgent").in("q").gpus(4).priority(9));
        story.settle();
        assertThat(story.running()).containsExactly("urgent");
        story.finish("urgent");
        assertThat(story.running()).containsExactly("first");
    }

    @Test
    void of_equals_of_the_same_time_who_was_submitted_first_starts() {
        EngineStory story = EngineStory.on(aCluster().queue("q", 1));
        Instant same = story.now();
        story.submit(
                aWorkload("z").in("q").gpus(1).createdAt(same),
                aWorkload("a").in("q").gpus(1).createdAt(same),
                aWorkload("m").in("q").gpus(1).createdAt(same));
        assertThat(story.running()).containsExactly("z");
        story.finish("z");
        assertThat(story.running()).containsExactly("a");
    }

    @Test
    void room_in_one_queue_of_a_cohort_wakes_who_waits_in_another() {
        EngineStory story =
                EngineStory.on(aCluster().cohort("x", x -> x.queue("a", 4).queue("b", 4)));
        story.submit(aWorkload("of-a").in("a").gpus(4));
        story.submit(aWorkload("large").in("b").gpus(6));
        assertThat(story.state("large")).isEqualTo(WorkloadState.PENDING);
        story.finish("of-a");
        assertThat(story.running()).containsExactly("large");
    }

    @Test
    void whatever_stood_in_the_way_its_end_wakes_who_waited() {
        ClusterBuilder stopped = aCluster().queue("q", queue -> queue.gpus(2).stop(StopPolicy.HOLD));
        EngineStory story = EngineStory.on(stopped);
        story.submit(aWorkload("w").in("q").gpus(2));
        assertThat(story.reason("w")).isEqualTo(new WaitReason.QueueStopped("q", null));
        story.configure(aCluster().queue("q", 2));
        assertThat(story.running()).containsExactly("w");

        EngineStory selected =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(2).namespaces(null)));
        selected.submit(aWorkload("w").in("q").gpus(2));
        assertThat(selected.reason("w")).isInstanceOf(WaitReason.NamespaceNotAllowed.class);
        selected.configure(aCluster().queue("q", queue -> queue.gpus(2).namespaces(NamespaceSelector.EVERY)));
        assertThat(selected.running()).containsExactly("w");

        EngineStory lonely = EngineStory.on(aCluster().queue("q", 2).cohort("x", x -> x.queue("lender", 2)));
        lonely.submit(aWorkload("w").in("q").gpus(4));
        assertThat(lonely.reason("w").isNever()).isTrue();
        lonely.configure(aCluster().cohort("x", x -> x.queue("q", 2).queue("lender", 2)));
        assertThat(lonely.running()).containsExactly("w");
    }

    @Test
    void work_that_waits_for_another_queue_to_be_made_starts_when_it_is() {
        EngineStory story = EngineStory.on(aCluster().queue("other", 1));
        story.submit(aWorkload("w").in("q").gpus(2));
        assertThat(story.reason("w")).isInstanceOf(WaitReason.QueueInactive.class);
        story.configure(aCluster().queue("other", 1).queue("q", 2));
        assertThat(story.running()).containsExactly("w");
    }

    @Test
    void a_priority_that_is_raised_wakes_who_may_preempt_now() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("runs").in("q").gpus(4).priority(5));
        story.submit(aWorkload("waits").in("q").gpus(4));
        story.step(new EngineEvent.PriorityChanged(story.id("waits"), "urgent", 9));
        assertThat(story.state("runs")).isEqualTo(WorkloadState.EVICTING);
    }

    @Test
    void a_priority_that_is_lowered_makes_running_work_a_victim_of_who_waits() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue("a", queue -> queue.gpus(4).reclaimsLower())
                                .queue("b", 0)));
        story.submit(aWorkload("borrower").in("b").gpus(4).priority(9));
        story.submit(aWorkload("owner").in("a").gpus(4).priority(5));
        assertThat(story.state("owner")).isEqualTo(WorkloadState.PENDING);
        story.step(new EngineEvent.PriorityChanged(story.id("borrower"), null, 1));
        assertThat(story.state("borrower")).isEqualTo(WorkloadState.EVICTING);
    }

    @Test
    void a_policy_that_is_allowed_later_lets_who_waits_preempt() {
        EngineStory story =
                EngineStory.on(aCluster().cohort("x", x -> x.queue("a", 4).queue("b", 0)));
        story.submit(aWorkload("borrower").in("b").gpus(4));
        story.submit(aWorkload("owner").in("a").gpus(4));
        assertThat(story.state("owner")).isEqualTo(WorkloadState.PENDING);
        story.configure(aCluster()
                .cohort(
                        "x",
                        x -> x.queue("a", queue -> queue.gpus(4).reclaimsAny()).queue("b", 0)));
        assertThat(story.state("borrower")).isEqualTo(WorkloadState.EVICTING);
    }

    @Test
    void a_queue_put_on_hold_lets_its_preemptor_have_what_was_set_aside_no_more() {
        ClusterBuilder open = aCluster().queue("q", queue -> queue.gpus(4).preemptsLower());
        EngineStory story = EngineStory.on(open);
        story.submit(aWorkload("lo").in("q").gpus(4));
        story.submit(aWorkload("hi").in("q").gpus(4).priority(9));
        story.configure(
                aCluster().queue("q", queue -> queue.gpus(4).preemptsLower().stop(StopPolicy.HOLD)));
        story.settle();
        assertThat(story.running()).isEmpty();
        assertThat(story.reason("hi")).isEqualTo(new WaitReason.QueueStopped("q", null));
        story.configure(open);
        assertThat(story.running()).containsExactly("hi");
    }

    @Test
    void a_queue_that_is_drained_gives_up_what_runs_and_what_was_set_aside() {
        EngineStory story = EngineStory.on(aCluster()
                .cohort(
                        "x",
                        x -> x.queue("a", queue -> queue.gpus(4).reclaimsAny()).queue("b", 0)));
        story.submit(aWorkload("borrower").in("b").gpus(4));
        story.submit(aWorkload("owner").in("a").gpus(4));
        story.configure(aCluster()
                .cohort(
                        "x",
                        x -> x.queue("a", queue -> queue.gpus(4).reclaimsAny().stop(StopPolicy.HOLD_AND_DRAIN))
                                .queue("b", 0)));
        story.settle();
        assertThat(story.running()).containsExactly("borrower");
        assertThat(story.in(WorkloadState.PENDING)).containsExactly("owner");
    }

    @Test
    void who_comes_back_and_is_older_than_its_equals_that_wait_preempts_where_they_may_not() {
        EngineStory story = EngineStory.on(aCluster()
                .queue("q", queue -> queue.gpus(2).preemptsLowerOrNewer())
                .queue("other", 0));
        story.submit(aWorkload("old").in("other").gpus(1));
        story.submit(aWorkload("runs").in("q").gpus(2));
        story.submit(aWorkload("newer").in("q").gpus(1));
        assertThat(story.running()).containsExactly("runs");

        story.step(new EngineEvent.QueueChanged(story.id("old"), "q"));

        assertThat(story.in(WorkloadState.EVICTING)).containsExactly("runs");
        story.settle();
        assertThat(story.running()).contains("old");
    }

    @Test
    void however_many_different_ones_wait_for_gpus_ahead_of_it_who_asks_for_cpus_alone_starts() {
        EngineStory story = EngineStory.on(aCluster()
                .queue(
                        "q",
                        queue -> queue.quota("x86", "cpu", "100")
                                .quota("arm", "cpu", "100")
                                .quota(ClusterBuilder.GPU, "8")
                                .preemptsLower()
                                .strict()));
        story.submit(aWorkload("runs").in("q").asks("cpu", "1").gpus(8).priority(9));
        for (int number = 1; number <= 8; number++) {
            story.submit(aWorkload("gang" + number).in("q").asks("cpu", "1").gpus(number));
        }

        story.submit(aWorkload("cpus").in("q").asks("cpu", "1"));

        assertThat(story.running()).containsExactly("runs", "cpus");
    }
}
