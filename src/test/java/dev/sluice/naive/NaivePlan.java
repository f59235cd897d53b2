package dev.sluice.naive;

import dev.sluice.quota.QuotaLine;
import dev.sluice.workload.WorkloadId;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * What a workload gets at this moment.
 *
 * @param flavors per part, resource to the number of its flavor
 * @param contested lines on which quota is missing
 * @param stopped per part, resource to the flavor at which the scan stopped short of the last one
 * @param counts pods, per pod set
 * @param victims whom it takes; empty = nobody, or there is no way
 */
record NaivePlan(
        Mode mode,
        int borrowing,
        List<SortedMap<String, Integer>> flavors,
        SortedMap<QuotaLine, Long> charge,
        Set<QuotaLine> contested,
        List<SortedMap<String, Integer>> stopped,
        List<Integer> counts,
        List<NaiveVictim> victims) {
    enum Mode {
        NO_FIT,
        PREEMPT,
        FIT
    }

    boolean starts() {
        return mode == Mode.FIT || !victims.isEmpty();
    }

    boolean takesAny(Set<WorkloadId> workloads) {
        return victims.stream()
                .anyMatch(victim -> workloads.contains(victim.workload().id()));
    }

    Set<WorkloadId> victimIds() {
        Set<WorkloadId> ids = new TreeSet<>();
        victims.forEach(victim -> ids.add(victim.workload().id()));
        return ids;
    }
}
