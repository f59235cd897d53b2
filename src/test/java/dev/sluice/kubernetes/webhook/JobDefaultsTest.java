package dev.sluice.kubernetes.webhook;

import static dev.sluice.kubernetes.webhook.JobReviews.creationOf;
import static dev.sluice.kubernetes.webhook.JobReviews.operations;
import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.controlplane.TestJob.aJob;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

class JobDefaultsTest {
    private final JobDefaults defaults = new JobDefaults(
            () -> aCluster().queue("default", queue -> queue.gpus(4)).build());

    @Test
    void a_new_job_is_held_and_carries_the_first_fence() {
        JobAnswer answer = defaults.of(creationOf(aJob("train").queue("main")));

        assertThat(answer.refusals()).isEmpty();
        assertThat(operations(answer))
                .containsExactly(
                        "add /spec/suspend true",
                        "add /metadata/annotations {}",
                        "add /metadata/annotations/sluice.dev~1fence 1");
    }

    @Test
    void a_job_that_its_author_suspended_only_gets_the_fence() {
        assertThat(operations(defaults.of(creationOf(aJob("train").queue("main").suspended()))))
                .containsExactly("add /metadata/annotations {}", "add /metadata/annotations/sluice.dev~1fence 1");
    }

    @Test
    void a_copy_of_a_running_job_says_nothing_about_the_original_any_more() {
        ObjectNode copy = JobReviews.stored(aJob("train").queue("main"));
        JobReviews.annotate(copy, "sluice.dev/workload-id", "other");
        JobReviews.annotate(copy, "sluice.dev/released", "{}");
        JobReviews.annotate(copy, "sluice.dev/fence", "7");

        JobAnswer answer = defaults.of(new JobReview("q", "alice", copy, null));

        assertThat(operations(answer))
                .containsExactly(
                        "remove /metadata/annotations/sluice.dev~1workload-id",
                        "remove /metadata/annotations/sluice.dev~1released",
                        "add /metadata/annotations/sluice.dev~1fence 1");
    }

    @Test
    void where_every_job_is_managed_one_without_a_queue_goes_to_the_default_queue_of_its_namespace() {
        assertThat(operations(defaults.of(creationOf(aJob("train")))))
                .contains("add /metadata/labels/sluice.dev~1queue-name default");
    }

    @Test
    void lc_11_one_without_a_queue_is_held_with_a_warning_where_there_is_no_default_queue() {
        JobAnswer answer = defaults.of(creationOf(aJob("train").in("elsewhere")));

        assertThat(operations(answer)).contains("add /spec/suspend true").noneMatch(each -> each.contains("labels"));
        assertThat(answer.warnings())
                .singleElement()
                .asString()
                .contains("is held", "namespace elsewhere has no LocalQueue default", "sluice.dev/queue-name");
    }

    @Test
    void what_exists_is_left_alone() {
        ObjectNode stored = JobReviews.stored(aJob("train").queue("main"));

        assertThat(operations(defaults.of(JobReviews.changeOf(stored, job -> {}))))
                .isEmpty();
    }
}
