package dev.sluice.simulation;

import dev.sluice.admission.EngineEvent;
import java.util.ArrayList;
import java.util.List;

/** Another order of events that means the same. */
final class Shuffle {
    private Shuffle() {}

    /** Submissions of one instant that follow each other, last first: their place in line is in them, not in their order. */
    static List<EngineEvent> lastFirst(List<EngineEvent> events) {
        List<EngineEvent> shuffled = new ArrayList<>();
        int run = 0;
        for (EngineEvent event : events) {
            run = event instanceof EngineEvent.WorkloadQueued ? run : shuffled.size();
            shuffled.add(run, event);
            run = event instanceof EngineEvent.WorkloadQueued ? run : shuffled.size();
        }
        return shuffled;
    }
}
