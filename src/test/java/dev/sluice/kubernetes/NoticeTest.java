package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.JobSnapshotBuilder.aSeenJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.EvictionReason;
import dev.sluice.admission.Particulars;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.kubernetes.Notice.Moment;
import dev.sluice.quota.Configuration;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Assignment.PodSetAssignment;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When an admission or an eviction is told on its Job, and in which words. */
@Tag("core")
class NoticeTest {
    private static final WorkloadId ID = new WorkloadId("uid");
    private static final Notice ADMITTED = new Notice.Admitted(ID, 3, assignment(false));
    private static final Notice EVICTED = eviction(EvictionReason.NODE_FAILURE, WorkloadState.PENDING, null, 0, null);

    @Test
    void an_admission_is_told_once_the_job_controller_has_answered_the_release() {
        assertThat(ADMITTED.at(null)).isEqualTo(Moment.NOT_YET);
        assertThat(ADMITTED.at(aSeenJob().fence(3).build())).isEqualTo(Moment.NOT_YET);
        assertThat(ADMITTED.at(aSeenJob().fence(3).marked(3).running().build())).isEqualTo(Moment.NOT_YET);
        assertThat(ADMITTED.at(aSeenJob()
                        .fence(3)
                        .marked(3)
                        .running()
                        .started()
                        .pods(1, 0, 0)
                        .build()))
                .isEqualTo(Moment.NOW);
        assertThat(ADMITTED.at(
                        aSeenJob().fence(3).marked(3).running().ended(true).build()))
                .isEqualTo(Moment.NOW);
    }

    @Test
    void an_admission_that_is_over_is_told_as_an_event_alone() {
        assertThat(ADMITTED.at(aSeenJob().fence(4).marked(3).build())).isEqualTo(Moment.LATE);
        assertThat(ADMITTED.at(aSeenJob()
                        .fence(5)
                        .marked(5)
                        .running()
                        .started()
                        .pods(1, 0, 0)
                        .build()))
                .as("a new leader raised the fence, or it was admitted again: it is admitted")
                .isEqualTo(Moment.NOW);
    }

    @Test
    void an_eviction_is_told_once_the_template_is_put_back() {
        assertThat(EVICTED.at(aSeenJob().fence(2).marked(2).running().build())).isEqualTo(Moment.NOT_YET);
        assertThat(EVICTED.at(aSeenJob().fence(3).marked(2).build())).isEqualTo(Moment.NOT_YET);
        assertThat(EVICTED.at(aSeenJob().fence(3).build())).isEqualTo(Moment.NOW);
        assertThat(EVICTED.at(aSeenJob().fence(3).marked(3).running().build())).isEqualTo(Moment.LATE);
        assertThat(EVICTED.at(
                        aSeenJob().fence(2).marked(2).running().ended(true).build()))
                .as("it had ended by itself before it could be stopped")
                .isEqualTo(Moment.NEVER);
    }

    @Test
    void nothing_is_told_on_a_job_that_is_being_deleted() {
        assertThat(ADMITTED.at(aSeenJob().fence(3).deleting().build())).isEqualTo(Moment.NEVER);
        assertThat(EVICTED.at(aSeenJob().fence(3).deleting().build())).isEqualTo(Moment.NEVER);
    }

    @Test
    void an_admission_says_what_was_given() {
        assertThat(words(new Notice.Admitted(ID, 1, assignment(true))))
                .isEqualTo("Queue vision admitted it with 4 GPUs of flavor spot, borrowing from the cohort.");
    }

    @Test
    void a_start_that_failed_says_so_and_when_it_is_tried_again_or_that_it_is_not() {
        assertThat(words(eviction(
                        EvictionReason.PODS_READY_TIMEOUT,
                        WorkloadState.PENDING,
                        Instant.parse("2026-01-01T12:00:00.5Z"),
                        2,
                        "its pods were not ready within PT30M")))
                .isEqualTo("It must leave, since its pods were not ready in time (failed start 2)."
                        + " It is tried again from 2026-01-01T12:00:00Z on.");
        assertThat(words(eviction(
                        EvictionReason.START_REJECTED, WorkloadState.INACTIVE, null, 5, "exceeded quota: pods=0")))
                .isEqualTo("It must leave, since the cluster did not let it start (failed start 5): exceeded quota:"
                        + " pods=0. It is inactive until somebody activates it.");
    }

    @Test
    void what_somebody_asked_for_is_no_warning() {
        Notice cancelled = eviction(EvictionReason.CANCELLED, WorkloadState.CANCELLED, null, 0, null);
        assertThat(NoticeText.of(cancelled, Configuration.EMPTY, null))
                .isEqualTo(new NoticeText(
                        false,
                        "Evicted",
                        "It must leave, since it was cancelled. To run it again, create it anew.",
                        false));
        assertThat(NoticeText.of(EVICTED, Configuration.EMPTY, null).warning()).isTrue();
    }

    @Test
    void what_sluice_says_in_the_status_is_no_answer_of_the_job_controller_to_a_stop() {
        JobSnapshot before = JobSnapshot.of(job());
        JobSnapshot told = JobSnapshot.of(new JobBuilder(job())
                .editStatus()
                .addNewCondition()
                .withType(JobLabels.ADMITTED)
                .withStatus("False")
                .endCondition()
                .endStatus()
                .build());
        assertThat(told.status().digest()).isEqualTo(before.status().digest());
    }

    private static Job job() {
        return new JobBuilder()
                .withNewMetadata()
                .withName("train")
                .withNamespace("team")
                .withUid("uid")
                .withResourceVersion("1")
                .endMetadata()
                .withNewSpec()
                .withNewTemplate()
                .withNewSpec()
                .endSpec()
                .endTemplate()
                .endSpec()
                .withNewStatus()
                .withActive(1)
                .addNewCondition()
                .withType("Suspended")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
    }

    private static String words(Notice notice) {
        return NoticeText.of(notice, Configuration.EMPTY, null).message();
    }

    private static Assignment assignment(boolean borrows) {
        return new Assignment(
                "vision",
                List.of(new PodSetAssignment(
                        "main",
                        2,
                        new TreeMap<>(Map.of("nvidia.com/gpu", "spot", "cpu", "spot")),
                        new TreeMap<>(Map.of("nvidia.com/gpu", 4L, "cpu", 8000L)))),
                borrows);
    }

    private static Notice eviction(
            EvictionReason reason,
            WorkloadState after,
            @Nullable Instant requeueAt,
            int failedStarts,
            @Nullable String failedStart) {
        return new Notice.Evicted(
                ID,
                3,
                reason,
                null,
                null,
                new WorkloadStatus(
                        WorkloadState.EVICTING,
                        "vision",
                        "vision",
                        null,
                        0,
                        true,
                        Instant.EPOCH,
                        null,
                        null,
                        1,
                        true,
                        List.of(),
                        after,
                        1,
                        requeueAt,
                        null,
                        new Particulars(
                                new TreeMap<>(),
                                new TreeMap<>(),
                                null,
                                null,
                                Duration.ZERO,
                                null,
                                0,
                                failedStarts,
                                failedStart,
                                null,
                                null,
                                false,
                                new TreeMap<>(),
                                null,
                                List.of(),
                                0,
                                List.of())));
    }
}
