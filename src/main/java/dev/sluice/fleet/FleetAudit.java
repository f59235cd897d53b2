package dev.sluice.fleet;

import dev.sluice.fleet.FleetEffect.Kind;
import dev.sluice.workload.Assignment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Everything that took hold, in order. Guarded by the fleet's lock. */
final class FleetAudit {
    private final boolean kept;
    private final FleetClock clock;
    private final List<FleetEffect> effects = new ArrayList<>();
    private long count;

    FleetAudit(boolean kept, FleetClock clock) {
        this.kept = kept;
        this.clock = clock;
    }

    void record(Kind kind, FleetJob job) {
        record(kind, job, job.fence, null);
    }

    void record(Kind kind, FleetJob job, long fence, @Nullable Assignment assignment) {
        count++;
        if (kept) {
            effects.add(new FleetEffect(count, clock.now(), kind, job.id, fence, assignment));
        }
    }

    List<FleetEffect> effects() {
        return List.copyOf(effects);
    }
}
