package dev.sluice.persistence;

import dev.sluice.scheduling.Batch.WorkloadChange;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.util.ArrayList;
import java.util.List;

/**
 * The states that have to be written before the last one, since the trigger lets no step be skipped that the table of legal
 * changes does not allow to skip. Nearly every change takes one step and needs none of this.
 */
final class StateWaves {
    private StateWaves() {}

    record Step(WorkloadId workload, WorkloadState state) {}

    /** One update each, in order; then comes the update that writes every changed row as it is in the end. */
    static List<List<Step>> of(List<WorkloadChange> changes) {
        List<List<Step>> waves = new ArrayList<>();
        for (WorkloadChange change : changes) {
            List<WorkloadState> steps = needed(change.path());
            for (int index = 0; index < steps.size() - 1; index++) {
                if (waves.size() == index) {
                    waves.add(new ArrayList<>());
                }
                waves.get(index).add(new Step(change.workload(), steps.get(index)));
            }
        }
        return waves;
    }

    /**
     * The path without the steps that can be skipped. Where it begins is not known here, so the first step goes only if whatever
     * can become it can become the second as well.
     */
    static List<WorkloadState> needed(List<WorkloadState> path) {
        List<WorkloadState> needed = new ArrayList<>(path);
        for (int index = needed.size() - 2; index >= 0; index--) {
            WorkloadState step = needed.get(index);
            WorkloadState next = needed.get(index + 1);
            boolean canSkip = index == 0
                    ? everythingBefore(step, next)
                    : needed.get(index - 1).canBecome(next);
            if (canSkip) {
                needed.remove(index);
            }
        }
        return needed;
    }

    private static boolean everythingBefore(WorkloadState step, WorkloadState next) {
        for (WorkloadState before : WorkloadState.values()) {
            if (before.canBecome(step) && !before.canBecome(next)) {
                return false;
            }
        }
        return true;
    }
}
