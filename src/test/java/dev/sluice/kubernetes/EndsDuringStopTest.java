package dev.sluice.kubernetes;

import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.scheduling.Observation;
import dev.sluice.testkit.controlplane.Component;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Jobs whose pods come to their end of themselves in the moment in which they are stopped: they end, and are not said to be gone, for
 * then they would wait again for what they have done. The Job controller stands still, and the moment between two of its writes, which
 * is short, is made to last.
 */
class EndsDuringStopTest extends PortStory {
    @BeforeEach
    void run() {
        create(aJob(workload.name()).queue("main").asks(GPU, "1"));
        cluster.release(workload, ASSIGNED, ON_POOL_A, 1);
        awaitSeen(new Observation.Ready(workload.id(), 1));
        plane.pause(Component.CONTROLLER_MANAGER);
    }

    @AfterEach
    void resume() {
        plane.resume(Component.CONTROLLER_MANAGER);
    }

    @Test
    void a_job_whose_ended_pods_are_noted_and_not_counted_yet_is_not_gone_but_finished() {
        stopAsPodsEnd();
        statusByHand("""
                {"status": {"active": 0, "ready": 0, "terminating": 0,
                  "uncountedTerminatedPods": {"succeeded": ["%s"]},
                  "conditions": [{"type": "Suspended", "status": "True"}]}}
                """.formatted(pods().getFirst().getMetadata().getUid()));

        assertThatItIsFinishedWithoutHavingBeenGone();
    }

    @Test
    void a_job_whose_ended_pods_are_not_even_noted_is_not_gone_but_finished() {
        stopAsPodsEnd();
        statusByHand("""
                {"status": {"active": 0, "ready": 0, "terminating": 0,
                  "conditions": [{"type": "Suspended", "status": "True"}]}}
                """);

        assertThatItIsFinishedWithoutHavingBeenGone();
    }

    private void assertThatItIsFinishedWithoutHavingBeenGone() {
        Observation gone = new Observation.Gone(workload.id(), 2);
        await().during(Duration.ofSeconds(3)).atMost(Duration.ofSeconds(5)).until(() -> !seen.contains(gone));

        plane.resume(Component.CONTROLLER_MANAGER);

        Observation finished = new Observation.Finished(workload.id(), 2, true, "");
        awaitSeen(finished);
        // An end says that nothing is left, too.
        assertThat(seen).containsSubsequence(finished, gone);
    }

    private void stopAsPodsEnd() {
        pods().forEach(pod -> plane.client()
                .resource(pod)
                .subresource("status")
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"status\": {\"phase\": \"Succeeded\", \"conditions\": []}}"));
        cluster.stop(workload.id(), 2);
        soon().until(() -> job().getSpec().getSuspend());
    }
}
