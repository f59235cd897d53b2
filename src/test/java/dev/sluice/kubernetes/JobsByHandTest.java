package dev.sluice.kubernetes;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.admission.Particulars;
import dev.sluice.persistence.PostgresWorkloadReader;
import dev.sluice.workload.WorkloadState;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What becomes of quota when people edit, delete, orphan and remake Jobs by hand. */
class JobsByHandTest extends KubernetesStory {
    @Test
    void a_job_that_is_deleted_with_its_pods_orphaned_gives_its_quota_back() {
        Job job = create(aJob("orphaning").asks(GPU, "3"));
        awaitState(job, WorkloadState.RUNNING);

        plane.client()
                .resource(job)
                .withPropagationPolicy(io.fabric8.kubernetes.api.model.DeletionPropagation.ORPHAN)
                .delete();

        awaitState(job, WorkloadState.CANCELLED);
        soon().untilAsserted(() -> assertThat(
                        Objects.requireNonNull(service.usage().queues().get(QUEUE))
                                .lines()
                                .getFirst()
                                .used())
                .isZero());
        plane.client().pods().inNamespace("default").withGracePeriod(0).delete();
    }

    @Test
    void a_job_deleted_and_made_again_under_its_name_is_another_workload() {
        Job first = create(aJob("again").asks(GPU, "3"));
        awaitState(first, WorkloadState.RUNNING);
        plane.client().resource(first).delete();
        Job second = create(aJob("again").asks(GPU, "3"));

        awaitState(first, WorkloadState.CANCELLED);
        awaitState(second, WorkloadState.RUNNING);
        assertThat(second.getMetadata().getUid())
                .isNotEqualTo(first.getMetadata().getUid());
    }

    @Test
    void a_waiting_job_follows_its_labels_to_another_queue_and_to_another_priority() {
        service.configure(aCluster()
                .queue(QUEUE, 1)
                .queue("annex", 1)
                .priorityClass("urgent", 1000)
                .build());
        Job running = create(aJob("running").asks(GPU, "1"));
        awaitState(running, WorkloadState.RUNNING);
        Job mover = create(aJob("mover").asks(GPU, "1"));
        awaitState(mover, WorkloadState.PENDING);
        Job patient = create(aJob("patient").asks(GPU, "1"));
        awaitState(patient, WorkloadState.PENDING);
        Job hasty = create(aJob("hasty").asks(GPU, "1"));
        awaitState(hasty, WorkloadState.PENDING);
        soon().until(() -> isKnownToTheLeader(hasty));

        label("mover", "sluice.dev/queue-name", "annex");
        awaitState(mover, WorkloadState.RUNNING);

        label("hasty", "sluice.dev/priority-class", "urgent");
        soon().until(() -> priority(hasty) == 1000);
        plane.client().resource(running).delete();
        awaitState(hasty, WorkloadState.RUNNING);
        assertThat(state(patient)).isEqualTo(WorkloadState.PENDING);
    }

    @Test
    void the_queue_of_a_job_that_runs_stays_what_it_is_whatever_its_label_says() {
        service.configure(aCluster().queue(QUEUE, 1).queue("annex", 1).build());
        Job running = create(aJob("running").asks(GPU, "1"));
        awaitState(running, WorkloadState.RUNNING);

        label("running", "sluice.dev/queue-name", null);
        label("running", "sluice.dev/queue-name", "annex");
        Job other = create(aJob("other").asks(GPU, "1"));

        awaitState(other, WorkloadState.PENDING);
        await().during(Duration.ofSeconds(1)).until(() -> state(other) == WorkloadState.PENDING);
        assertThat(state(running)).isEqualTo(WorkloadState.RUNNING);
        assertThat(Objects.requireNonNull(service.usage().queues().get("annex"))
                        .lines()
                        .getFirst()
                        .used())
                .isZero();
    }

    @Test
    void jobs_that_have_ended_are_not_taken_in_at_a_start() {
        service.close();
        cluster.close();
        Job done = plane.client()
                .resource(aJob("done")
                        .queue(QUEUE)
                        .asks(GPU, "1")
                        .runsFor(Duration.ZERO)
                        .build())
                .create();
        soon().until(() -> JobSnapshot.of(job("done")).status().end() != null);

        lead(new KubernetesClusterForTests(plane));
        Job next = create(aJob("next").asks(GPU, "4"));

        awaitState(next, WorkloadState.RUNNING);
        assertThat(new PostgresWorkloadReader(database).find(id(done))).isEmpty();
    }

    @Test
    void a_running_job_that_says_up_to_when_its_work_is_saved_loses_only_what_came_after() {
        Job job = create(aJob("saving").asks(GPU, "4"));
        awaitState(job, WorkloadState.RUNNING);
        Instant saved = Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
        await().until(() -> Instant.now().isAfter(saved));

        edit("saving", "{\"metadata\": {\"annotations\": {\"sluice.dev/checkpointed-at\": \"yesterday\"}}}");
        edit("saving", "{\"metadata\": {\"annotations\": {\"sluice.dev/checkpointed-at\": \"" + saved + "\"}}}");

        soon().until(() -> saved.equals(particulars(job).checkpointAt()));
        service.close();
        cluster.close();
        lead(new KubernetesClusterForTests(plane));
        Job next = create(aJob("next").asks(GPU, "1"));
        awaitState(next, WorkloadState.PENDING);
        assertThat(particulars(job).checkpointAt())
                .as("who leads next does not take it for a new one")
                .isEqualTo(saved);
    }

    private Particulars particulars(Job job) {
        return new PostgresWorkloadReader(database)
                .find(id(job))
                .orElseThrow()
                .status()
                .particulars();
    }
}
