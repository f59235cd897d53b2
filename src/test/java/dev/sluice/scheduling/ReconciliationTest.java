package dev.sluice.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.WorkloadStatus;
import dev.sluice.scheduling.Cluster.ObservedJob;
import dev.sluice.scheduling.Cluster.Phase;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every pair of what the store says should be and what the cluster says is: none may be forgotten. */
class ReconciliationTest {
    private static final WorkloadId ID = new WorkloadId("w");

    @ParameterizedTest(name = "{0} in the store, job {1}: {2}")
    @CsvSource({
        "PENDING,   absent,    Create",
        "PENDING,   SUSPENDED, Nothing",
        "PENDING,   STARTING,  StopUnadmitted",
        "PENDING,   RUNNING,   StopUnadmitted",
        "PENDING,   STOPPING,  Nothing",
        "PENDING,   SUCCEEDED, Learn Refused",
        "PENDING,   FAILED,    Learn Refused",
        "RESERVED,  absent,    Create",
        "RESERVED,  SUSPENDED, Nothing",
        "RESERVED,  STARTING,  StopUnadmitted",
        "RESERVED,  RUNNING,   StopUnadmitted",
        "RESERVED,  STOPPING,  Nothing",
        "RESERVED,  SUCCEEDED, Learn Refused",
        "RESERVED,  FAILED,    Learn Refused",
        "INACTIVE,  absent,    Create",
        "INACTIVE,  SUSPENDED, Nothing",
        "INACTIVE,  STARTING,  StopUnadmitted",
        "INACTIVE,  RUNNING,   StopUnadmitted",
        "INACTIVE,  STOPPING,  Nothing",
        "INACTIVE,  SUCCEEDED, Learn Refused",
        "INACTIVE,  FAILED,    Learn Refused",
        "ADMITTED,  absent,    ReleaseAnew creating",
        "ADMITTED,  SUSPENDED, ReleaseAnew",
        "ADMITTED,  STARTING,  Nothing",
        "ADMITTED,  RUNNING,   Learn Ready",
        "ADMITTED,  STOPPING,  ReleaseAnew",
        "ADMITTED,  SUCCEEDED, Learn Finished",
        "ADMITTED,  FAILED,    Learn Finished",
        "RUNNING,   absent,    Learn Deleted",
        "RUNNING,   SUSPENDED, ReleaseAnew",
        "RUNNING,   STARTING,  Nothing",
        "RUNNING,   RUNNING,   Nothing",
        "RUNNING,   STOPPING,  Nothing",
        "RUNNING,   SUCCEEDED, Learn Finished",
        "RUNNING,   FAILED,    Learn Finished",
        "EVICTING,  absent,    Learn Gone",
        "EVICTING,  SUSPENDED, StopAgain",
        "EVICTING,  STARTING,  StopAgain",
        "EVICTING,  RUNNING,   StopAgain",
        "EVICTING,  STOPPING,  StopAgain",
        "EVICTING,  SUCCEEDED, Learn Finished",
        "EVICTING,  FAILED,    Learn Finished",
    })
    void a_new_leader_does_what_the_pair_asks_for(WorkloadState state, String phase, String expected) {
        ObservedJob job = phase.equals("absent") ? null : new ObservedJob(ID, "uid", 3, Phase.valueOf(phase));

        assertThat(describe(Reconciliation.of(entry(state), job))).isEqualTo(expected);
    }

    @Test
    void an_ended_workload_needs_nothing_whatever_its_job_does() {
        List<Reconciliation> found = new ArrayList<>();
        for (WorkloadState state : WorkloadState.values()) {
            if (state.isFinal()) {
                found.add(Reconciliation.of(entry(state), null));
                for (Phase phase : Phase.values()) {
                    found.add(Reconciliation.of(entry(state), new ObservedJob(ID, "uid", 3, phase)));
                }
            }
        }

        assertThat(found).hasSize(21).allMatch(Reconciliation.Nothing.class::isInstance);
    }

    private static String describe(Reconciliation reconciliation) {
        return switch (reconciliation) {
            case Reconciliation.Learn learn ->
                "Learn " + learn.observation().getClass().getSimpleName();
            case Reconciliation.ReleaseAnew release -> "ReleaseAnew" + (release.create() ? " creating" : "");
            case Reconciliation.Nothing nothing -> "Nothing";
            case Reconciliation.Create create -> "Create";
            case Reconciliation.StopAgain stop -> "StopAgain";
            case Reconciliation.StopUnadmitted stop -> "StopUnadmitted";
        };
    }

    private static Roster.Entry entry(WorkloadState state) {
        Workload workload = new Workload(
                ID,
                1,
                "w",
                "team-a",
                "main",
                null,
                0,
                List.of(PodSet.of("main", 1, Map.of("gpu", 1L))),
                Instant.EPOCH,
                null,
                null);
        return new Roster().add(workload, null, status(state, null));
    }

    private static WorkloadStatus status(WorkloadState state, @Nullable WorkloadState afterEviction) {
        return new WorkloadStatus(
                state,
                "main",
                "queue",
                null,
                0,
                true,
                Instant.EPOCH,
                null,
                null,
                0,
                false,
                List.of(),
                afterEviction,
                0,
                null,
                null);
    }
}
