package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.JobSnapshotBuilder.aSeenJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.kubernetes.WantedJob.Run;
import dev.sluice.scheduling.Observation;
import dev.sluice.scheduling.Placement;
import dev.sluice.scheduling.Placement.PodSetPlacement;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every cell of what is seen against what is wanted, at fence 3: the next step, and what there is to tell. */
@Tag("core")
class JobPlanTest {
    private static final WorkloadId ID = new WorkloadId("w");
    private static final Workload WORKLOAD = new Workload(
            ID,
            1,
            "train",
            "team",
            "main",
            null,
            0,
            List.of(PodSet.of("main", 1, Map.of())),
            Instant.EPOCH,
            null,
            null);
    private static final String MANIFEST = "{\"metadata\": {\"labels\": {\"kueue.x-k8s.io/queue-name\": \"main\"}}}";
    private static final Placement ONE_POD =
            new Placement(List.of(new PodSetPlacement("main", 1, new TreeMap<>(), List.of())));

    @ParameterizedTest(name = "{0}, {1}")
    @CsvSource(textBlock = """
            # what is seen,             proof,         HELD,             RELEASED,         STOPPED
            no job yet,                 AWAITED,       CREATE,           CREATE,           NOTHING
            no job and no manifest,     AWAITED,       NOTHING,          NOTHING,          NOTHING
            job deleted,                ACKNOWLEDGED,  NOTHING,          NOTHING,          COUNT
            job deleted,                QUIET,         NOTHING,          NOTHING,          NOTHING
            in deletion,                ACKNOWLEDGED,  NOTHING,          NOTHING,          COUNT
            in deletion,                QUIET,         NOTHING,          NOTHING,          NOTHING
            ended,                      AWAITED,       NOTHING,          NOTHING,          NOTHING
            a newer leader's,           AWAITED,       NOTHING,          NOTHING,          NOTHING
            waits,                      AWAITED,       NOTHING,          RELEASE,          NOTHING
            waits behind,               AWAITED,       RAISE_FENCE,      RELEASE,          SUSPEND
            waits started,              AWAITED,       NOTHING,          RELEASE,          NOTHING
            stopped,                    AWAITED,       NOTHING,          NOTHING,          NOTHING
            stopped,                    OVERDUE,       ASK,              ASK,              ASK
            stopped,                    ACKNOWLEDGED,  COUNT,            COUNT,            COUNT
            stopped,                    QUIET,         RESTORE,          RESTORE,          RESTORE
            stopped started,            AWAITED,       NOTHING,          NOTHING,          NOTHING
            stopped started,            QUIET,         CLEAR_START_TIME, CLEAR_START_TIME, CLEAR_START_TIME
            stopped behind,             AWAITED,       RAISE_FENCE,      NOTHING,          SUSPEND
            stopped behind,             QUIET,         RAISE_FENCE,      RESTORE,          SUSPEND
            runs,                       AWAITED,       NOTHING,          NOTHING,          SUSPEND
            runs behind,                AWAITED,       SUSPEND,          RAISE_FENCE,      SUSPEND
            runs by hand,               AWAITED,       SUSPEND,          SUSPEND,          SUSPEND
            runs by hand after a stop,  AWAITED,       SUSPEND,          SUSPEND,          SUSPEND
            runs without a fence,       AWAITED,       SUSPEND,          RAISE_FENCE,      SUSPEND
            runs elsewhere,             AWAITED,       NOTHING,          PUT_BACK_QUEUE,   SUSPEND
            runs without a queue,       AWAITED,       NOTHING,          PUT_BACK_QUEUE,   SUSPEND
            runs scaled up,             AWAITED,       NOTHING,          TRIM,             SUSPEND
            runs trimmed,               AWAITED,       NOTHING,          NOTHING,          SUSPEND
            runs scaled down,           AWAITED,       NOTHING,          NOTHING,          SUSPEND
            runs trimmed scaled down,   AWAITED,       NOTHING,          FORGET_TRIM,      SUSPEND
            """)
    void the_next_step(String seen, Proof proof, JobPlan held, JobPlan released, JobPlan stopped) {
        assertThat(JobPlan.of(wanted(seen, Run.HELD), job(seen), proof)).isEqualTo(held);
        assertThat(JobPlan.of(wanted(seen, Run.RELEASED), job(seen), proof)).isEqualTo(released);
        assertThat(JobPlan.of(wanted(seen, Run.STOPPED), job(seen), proof)).isEqualTo(stopped);
    }

    @ParameterizedTest(name = "{0}, {1}")
    @CsvSource(textBlock = """
            # what is seen,             proof,         HELD,             RELEASED,         STOPPED
            no job yet,                 AWAITED,       '',               '',               Gone
            no job and no manifest,     AWAITED,       Refused,          Refused,          Gone
            job deleted,                ACKNOWLEDGED,  Deleted,          Deleted,          ''
            job deleted,                QUIET,         Deleted,          Deleted,          Gone
            in deletion,                ACKNOWLEDGED,  Created Deleted,  Created Deleted,  Created
            in deletion,                QUIET,         Created Deleted,  Created Deleted,  Created Gone
            ended,                      AWAITED,       Created Refused,  Created Finished, Created Finished Gone
            a newer leader's,           AWAITED,       Created FencedOff, Created FencedOff, Created FencedOff
            waits,                      AWAITED,       Created,          Created,          Created Gone
            waits behind,               AWAITED,       Created,          Created,          Created
            stopped,                    AWAITED,       Created,          Created,          Created
            stopped,                    OVERDUE,       Created,          Created,          Created
            stopped,                    ACKNOWLEDGED,  Created,          Created,          Created
            stopped,                    QUIET,         Created,          Created,          Created Gone
            stopped behind,             QUIET,         Created,          Created,          Created
            runs,                       AWAITED,       Created,          Created Ready Reclaimable, Created
            runs behind,                AWAITED,       Created,          Created,          Created
            runs by hand,               AWAITED,       Created,          Created,          Created
            runs by hand after a stop,  AWAITED,       Created,          Created,          Created
            runs and is not ready,      AWAITED,       Created,          Created Reclaimable, Created
            runs scaled down,           AWAITED,       Created,          Created Ready ScaledDown Reclaimable, Created
            runs trimmed scaled down,   AWAITED,       Created,          Created Ready Reclaimable, Created
            """)
    void what_there_is_to_tell(String seen, Proof proof, String held, String released, String stopped) {
        assertThat(news(seen, Run.HELD, proof)).isEqualTo(held);
        assertThat(news(seen, Run.RELEASED, proof)).isEqualTo(released);
        assertThat(news(seen, Run.STOPPED, proof)).isEqualTo(stopped);
    }

    private static String news(String seen, Run run, Proof proof) {
        return JobNews.of(wanted(seen, run), job(seen), proof).stream()
                .map(Observation::getClass)
                .map(Class::getSimpleName)
                .collect(Collectors.joining(" "));
    }

    private static WantedJob wanted(String seen, Run run) {
        boolean neverSeen = seen.startsWith("no job");
        return new WantedJob(
                ID,
                WORKLOAD,
                seen.equals("no job and no manifest") ? null : MANIFEST,
                neverSeen ? null : "uid",
                3,
                run,
                run == Run.RELEASED ? ONE_POD : null,
                false);
    }

    @Test
    void a_job_of_a_cancelled_workload_is_marked_with_its_stop_or_else_when_it_is_stopped() {
        WantedJob retired = wanted("waits", Run.STOPPED).retiring();

        assertThat(JobPlan.of(retired, job("waits behind"), Proof.AWAITED)).isEqualTo(JobPlan.SUSPEND);
        assertThat(JobPatch.suspend(retired, aSeenJob().fence(2).build())).contains("sluice.dev~1cancelled");
        assertThat(JobPlan.of(retired, job("stopped"), Proof.QUIET)).isEqualTo(JobPlan.RESTORE);
        assertThat(JobPlan.of(retired, job("waits"), Proof.AWAITED)).isEqualTo(JobPlan.RETIRE);
        assertThat(JobPlan.of(retired, aSeenJob().fence(3).cancelled().build(), Proof.AWAITED))
                .isEqualTo(JobPlan.NOTHING);
    }

    @Test
    void a_queue_is_put_back_by_the_label_that_its_manifest_used_and_others_go() {
        WantedJob order = wanted("runs", Run.RELEASED);
        JobSnapshot elsewhere =
                aSeenJob().fence(3).running().marked(3).queue("annex").build();

        assertThat(JobPatch.putBackQueue(order, elsewhere))
                .contains("\"path\":\"/metadata/labels/kueue.x-k8s.io~1queue-name\",\"value\":\"main\"")
                .contains("\"op\":\"remove\",\"path\":\"/metadata/labels/sluice.dev~1queue-name\"");
        assertThat(JobPatch.release(order, aSeenJob().fence(3).queue("annex").build()))
                .as("in the write of the release")
                .contains("/metadata/labels/kueue.x-k8s.io~1queue-name");
        assertThat(JobPatch.release(order, aSeenJob().fence(3).build())).doesNotContain("/metadata/labels");
    }

    @Test
    void a_job_that_never_named_a_queue_is_not_put_into_one() {
        WantedJob unlabelled = new WantedJob(ID, WORKLOAD, "{}", "uid", 3, Run.RELEASED, ONE_POD, false);
        assertThat(JobPlan.of(unlabelled, job("runs without a queue"), Proof.AWAITED))
                .isEqualTo(JobPlan.NOTHING);
    }

    @Test
    void a_running_job_has_been_scaled_down_once_no_more_pods_are_there() {
        Placement four = new Placement(List.of(new PodSetPlacement("main", 4, new TreeMap<>(), List.of())));
        JobSnapshotBuilder scaled = aSeenJob().fence(3).running().marked(3).parallelism(2);

        assertThat(scaled.pods(4, 4, 0).build().scaledDownTo(four)).isNull();
        assertThat(scaled.pods(2, 2, 2).build().scaledDownTo(four)).isNull();
        assertThat(scaled.pods(0, 0, 0).build().scaledDownTo(four))
                .as("the Job controller may be about to make four")
                .isNull();
        assertThat(scaled.pods(2, 2, 0).build().scaledDownTo(four)).isEqualTo(2);
        assertThat(scaled.parallelism(4).pods(4, 4, 0).build().scaledDownTo(four))
                .isNull();
    }

    @Test
    void a_running_job_has_been_scaled_to_nothing_once_the_job_controller_knows_that_it_was_let_go() {
        Placement two = new Placement(List.of(new PodSetPlacement("main", 2, new TreeMap<>(), List.of())));
        JobSnapshotBuilder scaled = aSeenJob().fence(3).running().marked(3).parallelism(0);

        assertThat(scaled.build().scaledDownTo(two)).as("not started").isNull();
        assertThat(scaled.started().pods(0, 0, 1).build().scaledDownTo(two)).isNull();
        assertThat(scaled.pods(0, 0, 0).build().scaledDownTo(two)).isEqualTo(0);
        assertThat(scaled.looksStopped().build().scaledDownTo(two))
                .as("of before its release")
                .isNull();
    }

    private static @Nullable JobSnapshot job(String seen) {
        JobSnapshotBuilder job = aSeenJob().fence(3);
        return switch (seen) {
            case "no job yet", "no job and no manifest", "job deleted" -> null;
            case "in deletion" -> job.marked(3).deleting().build();
            case "ended" -> job.running().marked(3).ended(true).build();
            case "a newer leader's" -> job.fence(4).running().marked(4).build();
            case "waits" -> job.build();
            case "waits behind" -> job.fence(2).build();
            case "waits started" -> job.started().build();
            case "stopped" -> job.marked(2).build();
            case "stopped started" -> job.marked(2).started().build();
            case "stopped behind" -> job.fence(2).marked(2).build();
            case "runs" -> job.running().marked(3).pods(1, 1, 0).build();
            case "runs and is not ready" ->
                job.running().marked(3).pods(1, 0, 0).build();
            case "runs behind" -> job.fence(2).running().marked(2).pods(1, 1, 0).build();
            case "runs by hand" -> job.running().pods(1, 1, 0).build();
            case "runs by hand after a stop" ->
                job.running().marked(2).pods(1, 1, 0).build();
            case "runs scaled up" ->
                job.running().marked(3).parallelism(5).pods(5, 5, 0).build();
            case "runs without a fence" ->
                job.withoutFence().running().marked(3).pods(1, 1, 0).build();
            case "runs elsewhere" ->
                job.running().marked(3).queue("annex").pods(1, 1, 0).build();
            case "runs without a queue" ->
                job.running().marked(3).queue(null).pods(1, 1, 0).build();
            case "runs trimmed" -> job.running().trimmed(3, 5).pods(1, 1, 0).build();
            case "runs scaled down" ->
                job.running().marked(3).started().parallelism(0).build();
            case "runs trimmed scaled down" ->
                job.running().trimmed(3, 5).started().parallelism(0).build();
            default -> throw new IllegalArgumentException(seen);
        };
    }
}
