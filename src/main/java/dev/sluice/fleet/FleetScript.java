package dev.sluice.fleet;

import dev.sluice.workload.Workload;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * Says which workloads behave otherwise than the settings tell. Read whenever something of a workload is about to happen, so
 * that it may be changed while its pods run. Thread-safe.
 */
public final class FleetScript {
    private final Map<String, PodBehavior> byName = new ConcurrentHashMap<>();
    private volatile PodBehavior others = PodBehavior.NORMAL;

    /** @param name of the workload, or its id */
    public FleetScript workload(String name, UnaryOperator<PodBehavior> change) {
        byName.merge(name, change.apply(others), (before, fresh) -> change.apply(before));
        return this;
    }

    /** Every workload that is not named. */
    public FleetScript others(UnaryOperator<PodBehavior> change) {
        others = change.apply(others);
        return this;
    }

    PodBehavior of(Workload workload) {
        if (byName.isEmpty()) {
            return others;
        }
        PodBehavior byId = byName.get(workload.id().value());
        return byId != null ? byId : byName.getOrDefault(workload.name(), others);
    }
}
