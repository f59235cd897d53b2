package dev.sluice.persistence;

import static dev.sluice.workload.WorkloadState.ADMITTED;
import static dev.sluice.workload.WorkloadState.CANCELLED;
import static dev.sluice.workload.WorkloadState.EVICTING;
import static dev.sluice.workload.WorkloadState.PENDING;
import static dev.sluice.workload.WorkloadState.RUNNING;
import static dev.sluice.workload.WorkloadState.SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.workload.WorkloadState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StateWavesTest {
    @Test
    void a_single_step_is_written_as_it_is() {
        assertThat(StateWaves.needed(List.of(ADMITTED))).containsExactly(ADMITTED);
        assertThat(StateWaves.needed(List.of())).isEmpty();
    }

    @Test
    void a_step_that_may_be_skipped_is() {
        assertThat(StateWaves.needed(List.of(RUNNING, SUCCEEDED))).containsExactly(SUCCEEDED);
        assertThat(StateWaves.needed(List.of(RUNNING, EVICTING, CANCELLED))).containsExactly(EVICTING, CANCELLED);
    }

    @Test
    void a_step_that_may_not_be_skipped_stays() {
        assertThat(StateWaves.needed(List.of(PENDING, ADMITTED))).containsExactly(PENDING, ADMITTED);
        assertThat(StateWaves.needed(List.of(ADMITTED, RUNNING))).containsExactly(ADMITTED, RUNNING);
    }

    @Test
    void whatever_is_skipped_every_step_that_is_left_is_legal() {
        for (WorkloadState begin : WorkloadState.values()) {
            for (List<WorkloadState> path : paths(begin, 5)) {
                WorkloadState state = begin;
                for (WorkloadState next : StateWaves.needed(path)) {
                    assertThat(state == next || state.canBecome(next))
                            .as("%s then %s of path %s", state, next, path)
                            .isTrue();
                    state = next;
                }
                assertThat(state).isEqualTo(path.getLast());
            }
        }
    }

    private static List<List<WorkloadState>> paths(WorkloadState begin, int lengthMax) {
        List<List<WorkloadState>> all = new ArrayList<>();
        for (WorkloadState next : begin.successors()) {
            all.add(List.of(next));
            if (lengthMax > 1) {
                for (List<WorkloadState> rest : paths(next, lengthMax - 1)) {
                    List<WorkloadState> path = new ArrayList<>(List.of(next));
                    path.addAll(rest);
                    all.add(path);
                }
            }
        }
        return all;
    }
}
