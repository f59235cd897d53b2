package dev.sluice.fleet;

import dev.sluice.workload.Assignment;
import dev.sluice.workload.Assignment.PodSetAssignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Workloads of one pod set, and the assignment that lets all of it start. */
final class FleetWorkloads {
    static final String GPU = "nvidia.com/gpu";

    private FleetWorkloads() {}

    static Workload aWorkload(String name, int pods, long gpusPerPod, @Nullable Duration runTime) {
        return new Workload(
                new WorkloadId(name),
                1,
                name,
                "team",
                "team",
                null,
                0,
                List.of(PodSet.of("main", pods, Map.of(GPU, gpusPerPod))),
                Instant.EPOCH,
                runTime,
                null);
    }

    static Assignment all(Workload workload) {
        List<PodSetAssignment> podSets = workload.podSets().stream()
                .map(podSet -> new PodSetAssignment(
                        podSet.name(), podSet.count(), new TreeMap<>(Map.of(GPU, "h100")), podSet.charge()))
                .toList();
        return new Assignment("team", podSets, false);
    }
}
