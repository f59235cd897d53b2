package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.quota.Configuration;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workloads whose pods do not start give their quota to others and are tried again, later each time. */
@Tag("core")
class StartRetriesTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    private static final Configuration STRICT =
            aCluster().queue("q", queue -> queue.gpus(4).strict()).build();
    private static final Configuration ONE = aCluster().queue("q", 1).build();

    private static StartRetries retries(boolean behind, int atOnce, int most) {
        return new StartRetries(TIMEOUT, behind, atOnce, Duration.ofSeconds(60), Duration.ofMinutes(10), most, true);
    }

    private static EngineStory under(Configuration configuration, StartRetries retries) {
        return EngineStory.on(configuration, AdmissionSettings.defaults().with(retries));
    }

    @Test
    void lc_23_whoever_is_overdue_stays_until_a_look_says_that_it_is_not_ready() {
        EngineStory story = under(ONE, retries(true, 1, 0));
        story.submit(aWorkload("w1").in("q").gpus(1));
        Instant due = story.now().plus(TIMEOUT);
        story.step(new EngineEvent.PodsNotReady(story.id("w1")));
        assertThat(story.state("w1")).as("its time is not over").isEqualTo(WorkloadState.ADMITTED);
        assertThat(story.engine().drainOverdueStarts()).isEmpty();

        story.at(due);
        assertThat(story.state("w1")).as("nobody looked yet").isEqualTo(WorkloadState.ADMITTED);
        assertThat(story.engine().nextTimer()).as("time alone changes nothing").isEmpty();
        assertThat(story.engine().drainOverdueStarts()).containsExactly(story.id("w1"));
        assertThat(story.engine().drainOverdueStarts()).as("told once").isEmpty();
        story.step(new EngineEvent.PodsNotReady(story.id("w1")), new EngineEvent.PodsReady(story.id("w1")));

        assertThat(story.state("w1")).as("what was seen last counts").isEqualTo(WorkloadState.RUNNING);
    }

    private static void reject(EngineStory story, String workload) {
        story.step(new EngineEvent.StartRejected(story.id(workload), "policy says no"));
        story.gone(workload);
    }

    @Test
    void ff_08_who_was_not_ready_in_time_goes_behind_the_next() {
        EngineStory story = under(STRICT, retries(true, 1, 0));
        story.submit(aWorkload("w1").in("q").gpus(4));
        Instant due = story.now().plus(TIMEOUT);
        story.submit(aWorkload("w2").in("q").gpus(4));

        assertThat(story.engine().nextTimer()).contains(due);
        story.at(due.minusMillis(1));
        assertThat(story.state("w1")).isEqualTo(WorkloadState.ADMITTED);
        story.at(due);
        story.step(new EngineEvent.PodsNotReady(story.id("w1")));
        assertThat(story.decisions()).contains(new Decision.Evict(story.id("w1"), EvictionReason.PODS_READY_TIMEOUT));
        story.gone("w1");
        assertThat(story.running()).containsExactly("w2");
        assertThat(story.engine().position(story.id("w1"))).isEqualTo(1);
        story.ready("w2");
        story.finish("w2");
        assertThat(story.running()).containsExactly("w1");
    }

    @Test
    void ff_08_it_keeps_its_place_if_the_settings_say_so() {
        assertThat(nextAfterTheSecond(retries(false, 0, 0))).containsExactly("w1");
        assertThat(nextAfterTheSecond(retries(true, 0, 0))).containsExactly("w3");
    }

    /** Who runs third, if the first was not ready in time and the second runs until the first may try again. */
    private static List<String> nextAfterTheSecond(StartRetries retries) {
        EngineStory story = under(STRICT, retries);
        story.submit(aWorkload("w1").in("q").gpus(4));
        Instant due = story.now().plus(TIMEOUT);
        story.submit(aWorkload("w2").in("q").gpus(4));
        story.submit(aWorkload("w3").in("q").gpus(4));
        story.at(due);
        story.step(new EngineEvent.PodsNotReady(story.id("w1")));
        story.gone("w1");
        assertThat(story.running()).containsExactly("w2");
        story.ready("w2");
        story.after(Duration.ofMinutes(2));
        story.finish("w2");
        return story.running();
    }

    @Test
    void who_is_ready_in_time_is_left_alone_and_parity_has_no_limit() {
        EngineStory story = under(STRICT, retries(true, 0, 0));
        story.submit(aWorkload("w1").in("q").gpus(4));
        story.ready("w1");
        assertThat(story.engine().nextTimer()).isEmpty();
        story.after(Duration.ofDays(9));
        assertThat(story.running()).containsExactly("w1");

        EngineStory parity = EngineStory.on(STRICT, AdmissionSettings.kueueParity());
        parity.submit(aWorkload("w1").in("q").gpus(4));
        parity.after(Duration.ofDays(9));
        assertThat(parity.running()).containsExactly("w1");
    }

    @Test
    void ff_10_who_is_rejected_backs_off_with_the_reason_and_the_next_runs() {
        EngineStory story = under(ONE, retries(true, 2, 0));
        story.submit(aWorkload("bad").in("q").gpus(1));
        reject(story, "bad");
        reject(story, "bad");
        assertThat(story.running()).as("two tries cost no wait").containsExactly("bad");
        story.submit(aWorkload("good").in("q").gpus(1));

        reject(story, "bad");

        assertThat(story.running()).containsExactly("good");
        assertThat(story.reason("bad"))
                .isEqualTo(new WaitReason.BackingOff(story.now().plusSeconds(59), 3, "policy says no"));
        story.finish("good");
        assertThat(story.running()).isEmpty();
        story.at(story.engine().nextTimer().orElseThrow());
        assertThat(story.running()).containsExactly("bad");
    }

    @ParameterizedTest(name = "{0} failed starts: {1} s")
    @CsvSource({"1,60", "2,120", "3,240", "4,480", "5,600", "6,600", "500,600"})
    void waits_double_up_to_the_longest(int failed, long seconds) {
        assertThat(retries(true, 0, 0).retryAt(Instant.EPOCH, failed)).isEqualTo(Instant.ofEpochSecond(seconds));
    }

    @Test
    void whoever_fails_too_often_is_given_up_with_the_reason_until_somebody_activates_it() {
        EngineStory story = under(ONE, retries(true, 9, 2));
        story.submit(aWorkload("bad").in("q").gpus(1));
        reject(story, "bad");
        reject(story, "bad");
        assertThat(story.state("bad")).isEqualTo(WorkloadState.INACTIVE);
        assertThat(story.reason("bad")).isEqualTo(new WaitReason.Deactivated("policy says no"));

        story.step(new EngineEvent.ActivationChanged(story.id("bad"), true));
        assertThat(story.running()).containsExactly("bad");
        reject(story, "bad");
        assertThat(story.running()).as("its count began anew").containsExactly("bad");
    }

    @Test
    void the_count_begins_anew_once_the_pods_were_ready_and_in_parity_never() {
        assertThat(failedStartsAfterReady(AdmissionSettings.defaults())).isZero();
        assertThat(failedStartsAfterReady(AdmissionSettings.kueueParity())).isEqualTo(1);
    }

    private static int failedStartsAfterReady(AdmissionSettings settings) {
        EngineStory story = EngineStory.on(ONE, settings);
        story.submit(aWorkload("w").in("q").gpus(1));
        reject(story, "w");
        story.at(story.engine().nextTimer().orElseThrow());
        story.ready("w");
        return story.status("w").orElseThrow().particulars().failedStarts();
    }

    @Test
    void ff_11_a_preemptor_whose_victim_does_not_go_keeps_nobody_else_from_running() {
        EngineStory story =
                EngineStory.on(aCluster().queue("q", queue -> queue.gpus(4).preemptsLower()));
        story.submit(aWorkload("stuck").in("q").gpus(2));
        story.submit(aWorkload("w1").in("q").gpus(3).priority(1));
        story.submit(aWorkload("w2").in("q").gpus(1));
        assertThat(story.state("stuck")).isEqualTo(WorkloadState.EVICTING);
        assertThat(story.state("w1")).isEqualTo(WorkloadState.PENDING);
        assertThat(story.running()).containsExactly("w2");
        story.gone("stuck");
        assertThat(story.running()).containsExactly("w1", "w2");
    }
}
