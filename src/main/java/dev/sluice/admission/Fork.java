package dev.sluice.admission;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Copies of an engine for what-if: they stand on the same world, and nothing that they decide is seen by the original. */
final class Fork {
    private Fork() {}

    /** @param who is in the copy; the others do not exist there, nor what they hold */
    static Engine of(Roster roster, long lastAdmission, Collection<TrackedWorkload> who) {
        Engine copy = new Engine(roster.settings);
        copy.roster().standOn(roster.world());
        for (LocalQueueUsage usage : roster.histories().all()) {
            copy.apply(new EngineEvent.UsageRestored(usage), roster.now());
        }
        List<TrackedWorkload> sorted = new ArrayList<>(who);
        sorted.sort(QueueOrder.BY_AGE);
        for (TrackedWorkload one : sorted) {
            copy.apply(new EngineEvent.WorkloadRestored(one.workload, one.status()), roster.now());
        }
        copy.log().sawAdmission(lastAdmission);
        return copy;
    }
}
