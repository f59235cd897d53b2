package dev.sluice.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.controlplane.TestJob;
import dev.sluice.workload.WorkloadId;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What stays known of Jobs that are gone before anybody looked at their end. */
class JobWatchTest {
    @Test
    void a_job_that_ended_and_is_gone_is_known_as_it_ended_and_one_that_had_not_is_not() {
        try (KubernetesClient client = new KubernetesClientBuilder().build();
                JobWatch watch = new JobWatch(client)) {
            watch.learn(job("ended", "Complete"));
            watch.learn(job("deleted", "Suspended"));
            watch.gone("ended");
            watch.gone("deleted");

            JobSnapshot ended = watch.of(order("ended"));
            assertThat(Objects.requireNonNull(ended).status().end()).isEqualTo(new JobSnapshot.End(true, ""));
            assertThat(watch.isGone("ended")).isTrue();
            assertThat(watch.byUid("ended")).as("it exists no more").isNull();
            assertThat(watch.of(order("deleted"))).isNull();
        }
    }

    private static WantedJob order(String uid) {
        return WantedJob.unknown(new WorkloadId(uid), 1, WantedJob.Run.RELEASED).withUid(uid);
    }

    private static Job job(String uid, String condition) {
        return new JobBuilder(TestJob.aJob(uid).queue("main").build())
                .editMetadata()
                .withUid(uid)
                .withResourceVersion("7")
                .endMetadata()
                .withNewStatus()
                .addNewCondition()
                .withType(condition)
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
    }
}
