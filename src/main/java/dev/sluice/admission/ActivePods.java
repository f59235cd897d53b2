package dev.sluice.admission;

import dev.sluice.quota.Amounts;
import dev.sluice.quota.Resources;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Assignment.PodSetAssignment;
import dev.sluice.workload.PodSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What a workload costs when some of its pods are done, or when pods that were done run again. */
public final class ActivePods {
    private ActivePods() {}

    /**
     * The assignment with the counts and amounts of the pods that are active. More than were admitted may be, if the job
     * began all over again after it had been admitted for the rest.
     */
    public static Assignment occupied(
            Assignment assignment, List<PodSet> podSets, SortedMap<String, Integer> activePods) {
        if (activePods.isEmpty()) {
            return assignment;
        }
        List<PodSetAssignment> occupied = new ArrayList<>();
        for (int index = 0; index < assignment.podSets().size(); index++) {
            PodSetAssignment podSet = assignment.podSets().get(index);
            int active = activePods.getOrDefault(podSet.name(), podSet.count());
            SortedMap<String, Long> usage = new TreeMap<>();
            for (Map.Entry<String, Long> entry : podSet.usage().entrySet()) {
                long perPod = podSet.count() > 0
                        ? entry.getValue() / podSet.count()
                        : perPod(podSets.get(index), entry.getKey());
                usage.put(entry.getKey(), Amounts.multiply(perPod, active));
            }
            occupied.add(new PodSetAssignment(podSet.name(), active, podSet.flavors(), usage));
        }
        return new Assignment(assignment.clusterQueue(), occupied, assignment.borrows());
    }

    /** The assignment with no more pods than said, and the amounts of those. */
    static Assignment atMost(Assignment assignment, SortedMap<String, Integer> counts) {
        List<PodSetAssignment> podSets = new ArrayList<>();
        for (PodSetAssignment podSet : assignment.podSets()) {
            int count = Math.clamp(counts.getOrDefault(podSet.name(), podSet.count()), 0, podSet.count());
            SortedMap<String, Long> usage = new TreeMap<>();
            podSet.usage()
                    .forEach((resource, amount) ->
                            usage.put(resource, podSet.count() == 0 ? 0 : amount / podSet.count() * count));
            podSets.add(
                    count == podSet.count()
                            ? podSet
                            : new PodSetAssignment(podSet.name(), count, podSet.flavors(), usage));
        }
        return new Assignment(assignment.clusterQueue(), podSets, assignment.borrows());
    }

    private static long perPod(PodSet podSet, String resource) {
        return resource.equals(Resources.PODS) ? 1 : podSet.requests().getOrDefault(resource, 0L);
    }

    /** The pod sets as a workload asks for them that has still to run what is not done. */
    public static List<PodSet> remaining(List<PodSet> podSets, SortedMap<String, Integer> reclaimablePods) {
        if (reclaimablePods.isEmpty()) {
            return podSets;
        }
        List<PodSet> remaining = new ArrayList<>();
        for (PodSet podSet : podSets) {
            int count = podSet.count() - reclaimablePods.getOrDefault(podSet.name(), 0);
            remaining.add(count == podSet.count() ? podSet : podSet.withCount(Math.max(0, count)));
        }
        return remaining;
    }

    /** As far as pod sets of that name exist and have as many pods; without those that have none. */
    static SortedMap<String, Integer> within(List<PodSet> podSets, Map<String, Integer> told) {
        SortedMap<String, Integer> within = new TreeMap<>();
        for (PodSet podSet : podSets) {
            int done = Math.min(told.getOrDefault(podSet.name(), 0), podSet.count());
            if (done > 0) {
                within.put(podSet.name(), done);
            }
        }
        return within;
    }

    /**
     * Which pods are active after the number of those that are done moved.
     *
     * @param exactly every pod that gets done is active no more; false = as Kueue counts, whole pod set less the pods done,
     *     but at most what was admitted, so that a partially admitted workload frees nothing at first
     */
    static SortedMap<String, Integer> after(
            Assignment assignment,
            List<PodSet> podSets,
            Particulars before,
            SortedMap<String, Integer> done,
            boolean exactly) {
        SortedMap<String, Integer> active = new TreeMap<>();
        for (int index = 0; index < podSets.size(); index++) {
            String name = podSets.get(index).name();
            int admitted = assignment.podSets().get(index).count();
            int whole = podSets.get(index).count();
            int nowDone = done.getOrDefault(name, 0);
            int moved = nowDone - before.reclaimablePods().getOrDefault(name, 0);
            int count = exactly
                    ? before.activePods().getOrDefault(name, admitted) - moved
                    : Math.min(admitted, whole - nowDone);
            int bounded = Math.clamp(count, 0, whole);
            if (bounded != admitted) {
                active.put(name, bounded);
            }
        }
        return active;
    }
}
