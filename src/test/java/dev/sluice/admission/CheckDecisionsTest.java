package dev.sluice.admission;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.CheckStatus.State;
import dev.sluice.quota.StopPolicy;
import dev.sluice.testkit.ClusterBuilder;
import dev.sluice.testkit.EngineStory;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is decided, word for word, when an admission check speaks or the configuration of checks changes. */
@Tag("core")
class CheckDecisionsTest {
    private final EngineStory story = EngineStory.on(cluster("budget", "nodes"));

    private static ClusterBuilder cluster(String... checks) {
        ClusterBuilder cluster = aCluster().queue("q", queue -> queue.gpus(4).checks(checks));
        for (String check : checks) {
            cluster.admissionCheck(check);
        }
        return cluster;
    }

    private List<Decision> tell(String workload, String check, State state, String message) {
        return story.step(new EngineEvent.CheckChanged(story.id(workload), check, state, message, null));
    }

    private Map<String, CheckStatus> checks(String workload) {
        return story.status(workload).orElseThrow().particulars().checks();
    }

    @Test
    void a_reservation_is_given_back_and_what_runs_is_evicted() {
        story.submit(aWorkload("w").in("q").gpus(4));
        assertThat(tell("w", "nodes", State.RETRY, ""))
                .contains(new Decision.Unreserve(story.id("w"), EvictionReason.ADMISSION_CHECK, WorkloadState.PENDING));

        story.after(Duration.ofMinutes(1));
        tell("w", "budget", State.READY, "");
        tell("w", "nodes", State.READY, "");
        assertThat(tell("w", "nodes", State.RETRY, ""))
                .filteredOn(Decision.Evict.class::isInstance)
                .singleElement()
                .satisfies(evict ->
                        assertThat(((Decision.Evict) evict).reason()).isEqualTo(EvictionReason.ADMISSION_CHECK));
    }

    @Test
    void the_time_to_become_ready_begins_when_the_last_check_is_ready_however_long_that_took() {
        Duration limit = AdmissionSettings.defaults().startRetries().readyTimeout();
        story.submit(aWorkload("w").in("q").gpus(4));
        tell("w", "budget", State.READY, "");
        story.after(limit.multipliedBy(3));
        tell("w", "nodes", State.READY, "");
        assertThat(story.engine().nextTimer()).contains(story.now().plus(limit));

        Engine restored = new Engine(AdmissionSettings.defaults());
        restored.apply(new EngineEvent.ConfigurationReplaced(story.engine().configuration()), story.now());
        restored.apply(
                new EngineEvent.WorkloadRestored(
                        story.engine().workload(story.id("w")).orElseThrow(),
                        story.status("w").orElseThrow()),
                story.now());
        assertThat(restored.nextTimer()).contains(story.now().plus(limit));
    }

    @Test
    void a_retry_of_one_check_does_not_forget_the_tries_of_another() {
        story.submit(aWorkload("w").in("q").gpus(4));
        tell("w", "budget", State.RETRY, "");
        story.after(Duration.ofMinutes(1));
        tell("w", "nodes", State.RETRY, "");

        assertThat(checks("w"))
                .isEqualTo(Map.of(
                        "budget", new CheckStatus(State.PENDING, "", 1),
                        "nodes", new CheckStatus(State.PENDING, "", 1)));
    }

    @Test
    void a_reason_without_words_is_told_without() {
        story.submit(aWorkload("w").in("q").gpus(2), aWorkload("v").in("q").gpus(2));
        tell("w", "nodes", State.RETRY, "");
        tell("v", "nodes", State.REJECTED, "");

        assertThat(story.reason("w"))
                .isInstanceOfSatisfying(
                        WaitReason.BackingOff.class,
                        reason -> assertThat(reason.toString())
                                .contains("admission check nodes asks for another try")
                                .doesNotContain("try:"));
        assertThat(story.reason("v")).isEqualTo(new WaitReason.Deactivated("admission check nodes rejected it"));
        assertThat(checks("v")).containsEntry("nodes", new CheckStatus(State.REJECTED, "", 0));
    }

    @Test
    void nobody_listens_to_a_check_that_is_not_asked_for_or_not_now() {
        story.submit(aWorkload("w").in("q").gpus(4));
        assertThat(tell("w", "stranger", State.REJECTED, "no")).isEmpty();
        assertThat(story.state("w")).isEqualTo(WorkloadState.RESERVED);
        tell("w", "nodes", State.RETRY, "");
        Map<String, CheckStatus> before = checks("w");

        assertThat(tell("w", "nodes", State.REJECTED, "no")).isEmpty();
        assertThat(story.state("w")).isEqualTo(WorkloadState.PENDING);
        assertThat(checks("w")).isEqualTo(before);
    }

    @Test
    void a_stopped_local_queue_and_a_queue_that_is_gone_take_reservations_back() {
        story.submit(aWorkload("w").in("q").gpus(4));
        assertThat(story.configure(cluster("budget", "nodes").localQueue("q", "q", StopPolicy.HOLD)))
                .contains(new Decision.Unreserve(
                        story.id("w"), EvictionReason.LOCAL_QUEUE_STOPPED, WorkloadState.PENDING));
        story.configure(cluster("budget", "nodes"));
        assertThat(story.state("w")).isEqualTo(WorkloadState.RESERVED);

        assertThat(story.configure(aCluster().queue("other", 1)))
                .contains(new Decision.Unreserve(
                        story.id("w"), EvictionReason.CLUSTER_QUEUE_STOPPED, WorkloadState.PENDING));
    }

    @Test
    void a_check_that_comes_is_open_and_those_that_were_ready_stay_so() {
        story.submit(aWorkload("w").in("q").gpus(4));
        tell("w", "budget", State.READY, "paid");

        assertThat(story.configure(cluster("budget", "nodes", "license")))
                .filteredOn(Decision.ChangeChecks.class::isInstance)
                .hasSize(1);
        assertThat(checks("w"))
                .isEqualTo(Map.of(
                        "budget", new CheckStatus(State.READY, "paid", 0),
                        "nodes", new CheckStatus(State.PENDING, "", 0),
                        "license", new CheckStatus(State.PENDING, "", 0)));
        assertThat(story.configure(cluster("budget", "nodes", "license").version(9)))
                .as("nothing changed")
                .isEmpty();
    }
}
