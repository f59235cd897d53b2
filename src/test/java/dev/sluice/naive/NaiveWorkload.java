package dev.sluice.naive;

import dev.sluice.quota.QuotaLine;
import dev.sluice.simulation.PlainUsage;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A living workload as the naive engine sees it. */
final class NaiveWorkload {
    static final Comparator<NaiveWorkload> IN_QUEUE = Comparator.comparingInt((NaiveWorkload one) -> one.priority)
            .reversed()
            .thenComparing(one -> one.queuedAt)
            .thenComparingLong(one -> one.workload.sequence())
            .thenComparing(NaiveWorkload::id);

    final Workload workload;
    final Instant queuedAt;
    WorkloadState state = WorkloadState.PENDING;
    String localQueue;
    int priority;
    boolean active = true;

    @Nullable Assignment assignment;

    Instant assignedAt = Instant.MIN;
    long admission;
    WorkloadState afterEviction = WorkloadState.PENDING;
    Instant leavingSince = Instant.MAX;
    boolean stuck;
    /** It leaves, does not end, and counts as one that stays. */
    boolean givenUp;

    SortedMap<String, Integer> done = new TreeMap<>();

    /** Pods that are charged, by pod set; meaningful with an assignment only. */
    SortedMap<String, Integer> charged = new TreeMap<>();

    boolean parked;

    @Nullable Memory memory;

    /** Per part and resource: the flavor at which the scan stopped; absent = it saw the last one. */
    record Memory(List<SortedMap<String, Integer>> stopped, long generation, long cycle, long instant) {
        boolean isUnfinished() {
            return stopped.stream().anyMatch(part -> !part.isEmpty());
        }

        int next(int part, String resource) {
            return part < stopped.size() ? stopped.get(part).getOrDefault(resource, -1) + 1 : 0;
        }
    }

    /** Whoever is equal here is parked together. */
    record Shape(int priority, List<PodSet> podSets) {}

    NaiveWorkload(Workload workload, Instant queuedAt) {
        this.workload = workload;
        this.queuedAt = queuedAt;
        localQueue = workload.localQueue();
        priority = workload.priority();
    }

    WorkloadId id() {
        return workload.id();
    }

    Shape shape() {
        return new Shape(priority, podSets());
    }

    /** What it still has to run. */
    List<PodSet> podSets() {
        List<PodSet> rest = new ArrayList<>();
        for (PodSet podSet : workload.podSets()) {
            int isDone = done.getOrDefault(podSet.name(), 0);
            rest.add(isDone == 0 ? podSet : podSet.withCount(podSet.count() - isDone));
        }
        return rest;
    }

    boolean isEarmarked() {
        return state == WorkloadState.PENDING && assignment != null;
    }

    boolean isEvicting() {
        return state == WorkloadState.EVICTING;
    }

    boolean runs() {
        return state == WorkloadState.ADMITTED || state == WorkloadState.RUNNING;
    }

    Assignment assigned() {
        Assignment present = assignment;
        if (present == null) {
            throw new IllegalStateException(id() + " has no assignment");
        }
        return present;
    }

    String chargedTo() {
        return assigned().clusterQueue();
    }

    SortedMap<QuotaLine, Long> charge() {
        SortedMap<QuotaLine, Long> charge = new TreeMap<>();
        for (int index = 0; index < workload.podSets().size(); index++) {
            PodSet podSet = workload.podSets().get(index);
            long pods = charged.getOrDefault(podSet.name(), 0);
            assigned().podSets().get(index).flavors().forEach((resource, flavor) -> {
                long each = resource.equals("pods") ? 1 : podSet.requests().getOrDefault(resource, 0L);
                charge.merge(new QuotaLine(flavor, resource), each * pods, Long::sum);
            });
        }
        return charge;
    }

    PlainUsage join(PlainUsage usage) {
        return usage.plus(chargedTo(), charge());
    }

    PlainUsage leave(PlainUsage usage) {
        return usage.minus(chargedTo(), charge());
    }

    void assign(Assignment given, Instant at) {
        assignment = given;
        assignedAt = at;
        memory = null;
        charged.clear();
        given.podSets().forEach(podSet -> charged.put(podSet.name(), podSet.count()));
    }

    void loseAssignment() {
        assignment = null;
        assignedAt = Instant.MIN;
        admission = 0;
        afterEviction = WorkloadState.PENDING;
        leavingSince = Instant.MAX;
        stuck = false;
        givenUp = false;
        memory = null;
        charged.clear();
    }
}
