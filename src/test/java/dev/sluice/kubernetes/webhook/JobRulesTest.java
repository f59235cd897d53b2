package dev.sluice.kubernetes.webhook;

import static dev.sluice.kubernetes.webhook.JobReviews.annotate;
import static dev.sluice.kubernetes.webhook.JobReviews.changeOf;
import static dev.sluice.kubernetes.webhook.JobReviews.label;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.scheduling.ManifestIntake.Reading;
import dev.sluice.workload.WorkloadId;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class JobRulesTest {
    private static final String QUEUE = "sluice.dev/queue-name";

    private final Set<WorkloadId> holders = new HashSet<>();
    private final JobRules rules = new JobRules(
            (manifest, id, caller) -> new Reading.Refused("spec is read by the rules of a submission"),
            holders::contains);
    private final ObjectNode waiting = JobReviews.stored(aJob("train").queue("main"));

    @Test
    void a_new_job_is_refused_for_what_a_submission_of_it_would_be_refused_for() {
        assertThat(rules.of(JobReviews.creationOf(aJob("train").queue("main"))).refusals())
                .containsExactly("spec is read by the rules of a submission");
    }

    @Test
    void a_new_job_without_a_queue_is_nobody_elses_business() {
        assertThat(rules.of(JobReviews.creationOf(aJob("train"))).refusals()).isEmpty();
    }

    @Test
    void lc_10_neither_removal_nor_change_of_the_queue_passes_while_quota_is_reserved() {
        holders.add(new WorkloadId("uid-1"));

        assertThat(rules.of(changeOf(waiting, job -> label(job, QUEUE, null))).refusals())
                .singleElement()
                .asString()
                .contains(QUEUE, "main", "holds quota");
        assertThat(rules.of(changeOf(waiting, job -> label(job, QUEUE, "other")))
                        .refusals())
                .hasSize(1);
    }

    @Test
    void a_job_that_waits_may_change_its_queue() {
        assertThat(rules.of(changeOf(waiting, job -> label(job, QUEUE, "other")))
                        .refusals())
                .isEmpty();
    }

    @Test
    void a_job_that_runs_keeps_its_queue_whatever_the_engine_knows() {
        ObjectNode running = waiting.deepCopy();
        running.withObjectProperty("spec").put("suspend", false);

        assertThat(rules.of(changeOf(running, job -> label(job, QUEUE, "other")))
                        .refusals())
                .hasSize(1);
    }

    @Test
    void the_quota_of_a_job_that_was_submitted_over_rest_is_looked_up_under_its_workloads_id() {
        holders.add(new WorkloadId("w-7"));
        annotate(waiting, "sluice.dev/workload-id", "w-7");

        assertThat(rules.of(changeOf(waiting, job -> label(job, QUEUE, "other")))
                        .refusals())
                .hasSize(1);
    }

    @Test
    void nobody_else_starts_a_managed_job() {
        assertThat(rules.of(changeOf(
                                waiting, job -> job.withObjectProperty("spec").put("suspend", false)))
                        .refusals())
                .singleElement()
                .asString()
                .startsWith("spec.suspend (false) is set by Sluice");
    }

    @Test
    void the_fence_and_whose_a_job_is_can_neither_be_changed_nor_removed() {
        annotate(waiting, "sluice.dev/workload-id", "w-7");
        annotate(waiting, "sluice.dev/released", "{}");

        assertThat(rules.of(changeOf(waiting, job -> {
                            annotate(job, "sluice.dev/fence", "2");
                            annotate(job, "sluice.dev/workload-id", null);
                            annotate(job, "sluice.dev/released", null);
                        }))
                        .refusals())
                .hasSize(3)
                .allMatch(each -> each.contains("is kept by Sluice"));
    }

    @Test
    void wh_05_the_way_to_deletion_is_never_held_up() {
        holders.add(new WorkloadId("uid-1"));
        ObjectNode leaving = waiting.deepCopy();
        leaving.withObjectProperty("metadata")
                .put("deletionTimestamp", "2026-01-01T00:00:00Z")
                .putArray("finalizers")
                .add("example.com/own");

        assertThat(rules.of(changeOf(leaving, job -> {
                            job.withObjectProperty("metadata").remove("finalizers");
                            annotate(job, "sluice.dev/fence", null);
                            label(job, QUEUE, null);
                        }))
                        .refusals())
                .isEmpty();
    }

    @Test
    void a_job_that_sluice_does_not_manage_may_be_changed_at_will() {
        ObjectNode foreign = JobReviews.json(aJob("own"));

        assertThat(rules.of(changeOf(
                                foreign, job -> job.withObjectProperty("spec").put("suspend", false)))
                        .refusals())
                .isEmpty();
    }
}
