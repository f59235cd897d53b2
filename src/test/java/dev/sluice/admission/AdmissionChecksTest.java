package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.CheckStatus.State;
import dev.sluice.quota.StopPolicy;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.testkit.QueueBuilder;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Between quota and start: every check of the queue must be ready, while the quota is held. */
@Tag("core")
class AdmissionChecksTest {
    private static ClusterBuilder checked(Consumer<QueueBuilder> more) {
        return aCluster().admissionCheck("budget").admissionCheck("nodes").queue("q", queue -> {
            queue.gpus(4).checks("budget", "nodes");
            more.accept(queue);
        });
    }

    private static EngineStory story() {
        return EngineStory.on(checked(queue -> queue.preemptsLower()));
    }

    private static List<Decision> tell(EngineStory story, String workload, String check, State state) {
        return tell(story, workload, check, state, "", null);
    }

    private static List<Decision> tell(
            EngineStory story,
            String workload,
            String check,
            State state,
            String message,
            @Nullable Duration retryAfter) {
        return story.step(new EngineEvent.CheckChanged(story.id(workload), check, state, message, retryAfter));
    }

    @Test
    void quota_is_held_while_checks_are_open_and_the_last_that_is_ready_admits() {
        EngineStory story = story();
        story.submit(aWorkload("w").in("q").gpus(4));
        story.submit(aWorkload("next").in("q").gpus(1));

        assertThat(story.state("w")).isEqualTo(WorkloadState.RESERVED);
        assertThat(story.gpus("q")).isEqualTo(4);
        assertThat(story.state("next")).isEqualTo(WorkloadState.PENDING);
        assertThat(story.reason("w"))
                .isEqualTo(new WaitReason.AwaitingChecks(new TreeMap<>(Map.of("budget", "", "nodes", ""))));
        tell(story, "w", "budget", State.READY);
        assertThat(story.state("w")).isEqualTo(WorkloadState.RESERVED);
        assertThat(tell(story, "w", "nodes", State.READY)).singleElement().isInstanceOf(Decision.Admit.class);
        assertThat(story.state("w")).isEqualTo(WorkloadState.ADMITTED);
        story.finish("w");
        assertThat(story.state("next")).isEqualTo(WorkloadState.RESERVED);
    }

    @Test
    void a_check_that_counts_for_one_flavor_is_not_asked_on_another() {
        EngineStory story = EngineStory.on(aCluster()
                .admissionCheck("cloud")
                .queue(
                        "q",
                        queue -> queue.quota("own", ClusterBuilder.GPU, "1")
                                .quota("rented", ClusterBuilder.GPU, "4")
                                .checks("cloud")
                                .checkOnFlavors("cloud", "rented")));
        story.submit(aWorkload("at-home").in("q").gpus(1));
        story.submit(aWorkload("away").in("q").gpus(1));
        assertThat(story.state("at-home")).isEqualTo(WorkloadState.ADMITTED);
        assertThat(story.state("away")).isEqualTo(WorkloadState.RESERVED);
    }

    @Test
    void a_retry_gives_the_quota_back_and_all_checks_begin_anew_after_a_growing_wait() {
        EngineStory story = story();
        story.submit(aWorkload("w").in("q").gpus(4));
        story.submit(aWorkload("next").in("q").gpus(4));
        tell(story, "w", "budget", State.READY);
        tell(story, "w", "nodes", State.RETRY, "no nodes", null);
        Instant told = story.now();

        assertThat(story.state("w")).isEqualTo(WorkloadState.PENDING);
        assertThat(story.state("next")).isEqualTo(WorkloadState.RESERVED);
        assertThat(story.reason("w"))
                .isEqualTo(new WaitReason.BackingOff(
                        told.plusSeconds(60), 1, "admission check nodes asks for another try: no nodes"));
        story.cancel("next");
        story.at(told.plusSeconds(60));
        assertThat(story.state("w")).isEqualTo(WorkloadState.RESERVED);
        assertThat(story.status("w").orElseThrow().particulars().checks())
                .isEqualTo(Map.of(
                        "budget", new CheckStatus(State.PENDING, "", 0),
                        "nodes", new CheckStatus(State.PENDING, "", 1)));
        tell(story, "w", "nodes", State.RETRY);
        assertThat(story.engine().nextTimer()).contains(story.now().plusSeconds(120));
    }

    @Test
    void a_check_may_say_itself_how_long_a_retry_waits() {
        EngineStory story = story();
        story.submit(aWorkload("w").in("q").gpus(4));
        tell(story, "w", "nodes", State.RETRY, "", Duration.ofSeconds(7));
        assertThat(story.engine().nextTimer()).contains(story.now().plusSeconds(7));
    }

    @Test
    void a_rejection_deactivates_with_the_reason() {
        EngineStory story = story();
        story.submit(aWorkload("w").in("q").gpus(4));
        tell(story, "w", "budget", State.REJECTED, "the budget is spent", null);
        assertThat(story.state("w")).isEqualTo(WorkloadState.INACTIVE);
        assertThat(story.gpus("q")).isZero();
        assertThat(story.reason("w"))
                .isEqualTo(new WaitReason.Deactivated("admission check budget rejected it: the budget is spent"));

        story.step(new EngineEvent.ActivationChanged(story.id("w"), true));
        assertThat(story.state("w")).isEqualTo(WorkloadState.RESERVED);
    }

    @Test
    void a_check_can_call_back_what_runs() {
        EngineStory story = story();
        story.submit(aWorkload("w").in("q").gpus(4));
        tell(story, "w", "budget", State.READY);
        tell(story, "w", "nodes", State.READY);
        story.ready("w");
        tell(story, "w", "nodes", State.RETRY);
        assertThat(story.state("w")).isEqualTo(WorkloadState.EVICTING);
        story.gone("w");
        assertThat(story.reason("w")).isInstanceOf(WaitReason.BackingOff.class);
    }

    @Test
    void a_reservation_is_preempted_without_waiting_for_pods() {
        EngineStory story = story();
        story.submit(aWorkload("w").in("q").gpus(4));
        story.submit(aWorkload("urgent").in("q").gpus(4).priority(1));
        assertThat(story.state("urgent")).isEqualTo(WorkloadState.RESERVED);
        assertThat(story.state("w")).isEqualTo(WorkloadState.PENDING);
        assertThat(story.decisions())
                .contains(
                        new Decision.Unreserve(story.id("w"), EvictionReason.IN_CLUSTER_QUEUE, WorkloadState.PENDING));
        assertThat(story.engine().ledgerDrift()).isEmpty();
    }

    @Test
    void who_waits_for_checks_can_be_cancelled_and_deactivated() {
        EngineStory story = story();
        story.submit(aWorkload("w").in("q").gpus(2));
        story.submit(aWorkload("v").in("q").gpus(2));
        story.cancel("w");
        story.step(new EngineEvent.ActivationChanged(story.id("v"), false));
        assertThat(story.status("w")).isEmpty();
        assertThat(story.state("v")).isEqualTo(WorkloadState.INACTIVE);
        assertThat(story.gpus("q")).isZero();
    }

    @Test
    void a_stopped_queue_takes_reservations_back_and_leaves_what_runs() {
        EngineStory story = story();
        story.submit(aWorkload("runs").in("q").gpus(1));
        tell(story, "runs", "budget", State.READY);
        tell(story, "runs", "nodes", State.READY);
        story.submit(aWorkload("reserved").in("q").gpus(1));

        story.configure(checked(queue -> queue.stop(StopPolicy.HOLD)));

        assertThat(story.state("runs")).isEqualTo(WorkloadState.ADMITTED);
        assertThat(story.state("reserved")).isEqualTo(WorkloadState.PENDING);
        assertThat(story.reason("reserved")).isEqualTo(new WaitReason.QueueStopped("q", null));
        story.configure(checked(queue -> queue.stop(StopPolicy.HOLD_AND_DRAIN)));
        assertThat(story.state("runs")).isEqualTo(WorkloadState.EVICTING);
        story.gone("runs");
        story.configure(checked(queue -> {}));
        assertThat(story.in(WorkloadState.RESERVED)).containsExactly("runs", "reserved");
    }

    @Test
    void a_check_that_the_queue_asks_for_no_more_holds_up_nobody() {
        EngineStory story = story();
        story.submit(aWorkload("w").in("q").gpus(4));
        tell(story, "w", "budget", State.READY);
        story.configure(aCluster()
                .admissionCheck("budget")
                .queue("q", queue -> queue.gpus(4).checks("budget")));
        assertThat(story.state("w")).isEqualTo(WorkloadState.ADMITTED);
    }

    @Test
    void a_queue_that_asks_for_a_check_that_does_not_exist_is_not_active() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).checks("missing")));
        story.submit(aWorkload("w").in("q").gpus(1));
        assertThat(story.reason("w"))
                .isEqualTo(new WaitReason.QueueInactive("q", "admission check missing does not exist"));
    }

    @Test
    void a_preemptor_passes_its_checks_after_its_victims_are_gone() {
        EngineStory story = story();
        story.submit(aWorkload("low").in("q").gpus(4));
        tell(story, "low", "budget", State.READY);
        tell(story, "low", "nodes", State.READY);
        story.submit(aWorkload("high").in("q").gpus(4).priority(1));
        story.gone("low");
        assertThat(story.state("high")).isEqualTo(WorkloadState.RESERVED);
        tell(story, "high", "budget", State.READY);
        tell(story, "high", "nodes", State.READY);
        assertThat(story.state("high")).isEqualTo(WorkloadState.ADMITTED);
    }

    @Test
    void a_restored_engine_knows_which_checks_are_ready() {
        EngineStory story = story();
        story.submit(aWorkload("w").in("q").gpus(4));
        tell(story, "w", "budget", State.READY);
        Engine restored = story.engine().fork();
        assertThat(restored.decide(story.now())).isEmpty();
        restored.apply(new EngineEvent.CheckChanged(story.id("w"), "nodes", State.READY, "", null), story.now());
        assertThat(restored.decide(story.now())).singleElement().isInstanceOf(Decision.Admit.class);
    }
}
