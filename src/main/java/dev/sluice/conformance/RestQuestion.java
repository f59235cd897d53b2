package dev.sluice.conformance;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.EngineProbe;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.util.List;

/**
 * Whether a story comes to rest by the default settings: instants in which all pods that must go are gone, until none must and
 * nothing is decided any more.
 */
final class RestQuestion {
    private static final int INSTANTS_MOST = 200;

    private final EngineProbe probe;
    private final StorySteps steps;
    private int instants;
    private boolean restless;

    RestQuestion(VectorWorld world) {
        probe = world.engine(AdmissionSettings.defaults(), true);
        steps = new StorySteps(world, probe);
    }

    /** In how many instants in all; -1 = in some run it does not. */
    int instantsToRest() {
        steps.tell(this::run);
        return restless ? -1 : instants;
    }

    private void run() {
        for (int instant = 0; instant < INSTANTS_MOST; instant++) {
            boolean decided = !probe.engine().decide(steps.now()).isEmpty();
            List<WorkloadId> leaving = steps.known().stream()
                    .filter(id -> probe.engine()
                            .status(id)
                            .filter(status -> status.state() == WorkloadState.EVICTING)
                            .isPresent())
                    .toList();
            if (!decided && leaving.isEmpty()) {
                return;
            }
            instants++;
            steps.nextSecond();
            leaving.forEach(id -> probe.engine().apply(new EngineEvent.PodsGone(id), steps.now()));
        }
        restless = true;
    }
}
