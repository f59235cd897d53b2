package dev.sluice.kubernetes;

import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.persistence.Retention;
import dev.sluice.workload.WorkloadState;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Jobs whose workloads were cancelled over REST: they stay as they are, whoever has forgotten them. */
class CancelledJobsTest extends KubernetesStory {
    @Test
    void a_running_job_that_is_cancelled_says_so_by_the_writes_of_its_stop_and_never_runs_again() throws SQLException {
        Job job = create(aJob("stopped").asks(GPU, "4"));
        awaitState(job, WorkloadState.RUNNING);

        service.cancel(id(job));
        awaitState(job, WorkloadState.CANCELLED);
        soon().until(() -> !job("stopped").getMetadata().getAnnotations().containsKey(JobLabels.RELEASED));

        assertThat(job("stopped").getMetadata().getAnnotations())
                .containsEntry(JobLabels.CANCELLED, job.getMetadata().getUid());
        assertThat(writes("stopped")).as("a release and a stop").hasSize(1 + 2);
        restartForgetting(job);
        Job next = create(aJob("next").asks(GPU, "1"));
        awaitState(next, WorkloadState.RUNNING);
        await().during(Duration.ofSeconds(2)).until(() -> state(job) == null && suspended("stopped"));
    }

    @Test
    void a_waiting_job_that_is_cancelled_says_so_in_one_write() throws SQLException {
        Job running = create(aJob("running").asks(GPU, "4"));
        awaitState(running, WorkloadState.RUNNING);
        Job job = create(aJob("never-ran").asks(GPU, "4"));
        awaitState(job, WorkloadState.PENDING);
        soon().until(() -> isKnownToTheLeader(job));

        service.cancel(id(job));
        awaitState(job, WorkloadState.CANCELLED);

        soon().untilAsserted(() -> assertThat(job("never-ran").getMetadata().getAnnotations())
                .containsEntry(JobLabels.CANCELLED, job.getMetadata().getUid()));
        assertThat(writes("never-ran")).hasSize(1);
        restartForgetting(job);
        plane.client().resource(running).delete();
        awaitState(running, WorkloadState.CANCELLED);
        await().during(Duration.ofSeconds(2)).until(() -> state(job) == null && suspended("never-ran"));
    }

    @Test
    void a_job_that_is_cancelled_while_it_is_being_evicted_says_so_when_it_is_stopped() {
        Job job = create(aJob("late").asks(GPU, "4"));
        awaitState(job, WorkloadState.RUNNING);
        kubelet.holdTerminations();
        service.commands().changeActivation(id(job), false, "tester");
        awaitState(job, WorkloadState.EVICTING);
        soon().until(() -> suspended("late"));

        service.cancel(id(job));
        kubelet.letGo();

        awaitState(job, WorkloadState.CANCELLED);
        soon().untilAsserted(() -> assertThat(job("late").getMetadata().getAnnotations())
                .containsEntry(JobLabels.CANCELLED, job.getMetadata().getUid()));
    }

    @Test
    void what_a_leader_that_went_away_did_not_get_to_say_is_said_by_who_finds_the_job() {
        Job job = create(aJob("unsaid").asks(GPU, "5"));
        awaitState(job, WorkloadState.PENDING);
        soon().until(() -> isKnownToTheLeader(job));
        service.cancel(id(job));
        awaitState(job, WorkloadState.CANCELLED);
        soon().until(() -> JobSnapshot.of(job("unsaid")).cancelled());
        service.close();
        cluster.close();
        edit("unsaid", "{\"metadata\": {\"annotations\": {\"sluice.dev/cancelled\": null}}}");

        lead(new KubernetesClusterForTests(plane));

        soon().until(() -> JobSnapshot.of(job("unsaid")).cancelled());
        assertThat(state(job)).isEqualTo(WorkloadState.CANCELLED);
    }

    @Test
    void a_copy_of_a_cancelled_job_is_a_job_like_any_other() {
        Job job = create(aJob("original").asks(GPU, "4"));
        awaitState(job, WorkloadState.RUNNING);
        service.cancel(id(job));
        awaitState(job, WorkloadState.CANCELLED);
        soon().until(() -> JobSnapshot.of(job("original")).cancelled());

        Job copy = plane.client()
                .resource(new JobBuilder(aJob("copy")
                                .queue(QUEUE)
                                .asks(GPU, "4")
                                .suspended()
                                .build())
                        .editMetadata()
                        .withAnnotations(job("original").getMetadata().getAnnotations())
                        .endMetadata()
                        .build())
                .create();

        awaitState(copy, WorkloadState.RUNNING);
    }

    /** As after the time for which ended workloads and idempotency keys are kept. */
    private void restartForgetting(Job job) throws SQLException {
        service.close();
        cluster.close();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("delete from idempotency_key");
        }
        new Retention(database, new Retention.Times(Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO))
                .sweep(() -> true);
        assertThat(state(job)).as("swept").isNull();
        lead(new KubernetesClusterForTests(plane));
    }
}
