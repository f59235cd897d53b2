package dev.sluice.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which pods of a Job are done, as the author of the Job counts them. */
class JobSnapshotTest {
    /** With three completions and a parallelism of three to begin with. */
    private static Job job(int parallelism, int succeeded, Map<String, String> annotations) {
        return new JobBuilder()
                .withNewMetadata()
                .withName("train")
                .withNamespace("team")
                .withUid("uid")
                .withResourceVersion("1")
                .withAnnotations(annotations)
                .endMetadata()
                .withNewSpec()
                .withParallelism(parallelism)
                .withCompletions(3)
                .withNewTemplate()
                .withNewSpec()
                .endSpec()
                .endTemplate()
                .endSpec()
                .withNewStatus()
                .withSucceeded(succeeded)
                .endStatus()
                .build();
    }

    private static String released() {
        return released(0);
    }

    private static String released(int succeeded) {
        return new ReleaseMark(
                        2, succeeded, JsonNodeFactory.instance.objectNode().put(ReleaseMark.PARALLELISM, 3))
                .text("uid");
    }

    @Test
    void pods_that_succeeded_are_done_where_no_completions_are_left_for_them() {
        assertThat(JobSnapshot.of(job(3, 0, Map.of())).done()).isEmpty();
        assertThat(JobSnapshot.of(job(3, 2, Map.of())).done()).isEqualTo(Map.of("main", 2));
    }

    @Test
    void that_only_the_rest_was_released_again_does_not_make_done_pods_undone() {
        Job forTheRest = job(1, 2, Map.of(JobLabels.RELEASED, released()));
        assertThat(JobSnapshot.of(forTheRest).done()).isEqualTo(Map.of("main", 2));
    }

    @Test
    void that_fewer_were_admitted_to_begin_with_does_not_make_the_others_done() {
        Job partial = job(2, 0, Map.of(JobLabels.RELEASED, released(), JobLabels.MIN_PARALLELISM, "1"));
        assertThat(JobSnapshot.of(partial).done()).isEmpty();
        Job oneLeft = job(2, 2, Map.of(JobLabels.RELEASED, released(), JobLabels.MIN_PARALLELISM, "1"));
        assertThat(JobSnapshot.of(oneLeft).done()).isEqualTo(Map.of("main", 1));
    }

    @Test
    void pods_are_ready_when_as_many_as_may_run_at_once_are_or_ended_well_in_this_run() {
        JobSnapshot twoDoneBefore = JobSnapshot.of(job(2, 2, Map.of(JobLabels.RELEASED, released(2))));
        assertThat(twoDoneBefore.isReadyWith(0, 2)).as("none came in this run").isFalse();
        assertThat(twoDoneBefore.isReadyWith(1, 2)).as("the one that is left").isTrue();
        assertThat(twoDoneBefore.isReadyWith(0, 3)).as("it is done already").isTrue();

        JobSnapshot fresh = JobSnapshot.of(job(2, 0, Map.of(JobLabels.RELEASED, released(0))));
        assertThat(fresh.isReadyWith(1, 0)).isFalse();
        assertThat(fresh.isReadyWith(1, 1)).isTrue();
        assertThat(fresh.isReadyWith(2, 0)).isTrue();
    }
}
