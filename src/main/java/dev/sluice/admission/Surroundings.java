package dev.sluice.admission;

import dev.sluice.quota.Configuration;
import dev.sluice.quota.StopPolicy;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** What becomes of everybody when the world around them changes: its configuration, its nodes, its namespaces. */
final class Surroundings {
    private final Roster roster;
    private final DecisionLog log;
    private final Eviction eviction;

    interface Eviction {
        void of(TrackedWorkload one, EvictionReason reason, WorkloadState after);
    }

    Surroundings(Roster roster, DecisionLog log, Eviction eviction) {
        this.roster = roster;
        this.log = log;
        this.eviction = eviction;
    }

    void reconfigure(Configuration configuration) {
        World before = roster.world();
        become(configuration, before.capacity(), before.namespaces());
        drain();
    }

    void changeCapacity(UsableCapacity capacity) {
        World before = roster.world();
        if (!capacity.equals(before.capacity())) {
            become(before.configuration(), capacity, before.namespaces());
        }
    }

    void changeNamespaces(SortedMap<String, SortedMap<String, String>> labels) {
        World before = roster.world();
        if (!labels.equals(before.namespaces())) {
            become(before.configuration(), before.capacity(), labels);
        }
    }

    /** An earmark is an admission still to come: it ends where what it was decided on is no longer true. */
    private void become(
            Configuration configuration,
            UsableCapacity capacity,
            SortedMap<String, SortedMap<String, String>> namespaces) {
        World before = roster.world();
        List<TrackedWorkload> earmarked = new ArrayList<>();
        Map<TrackedWorkload, List<Object>> decidedOn = new HashMap<>();
        for (TreeState tree : roster.trees()) {
            List<Object> quota = before.quotaObjects(tree.root);
            for (TrackedWorkload one : tree.earmarked) {
                earmarked.add(one);
                decidedOn.put(one, quota);
            }
        }
        roster.rebuild(configuration, capacity, namespaces);
        for (TrackedWorkload one : earmarked) {
            String lost = whyLost(one, decidedOn.getOrDefault(one, List.of()));
            if (lost != null) {
                roster.holdings().loseEarmark(one);
                log.dropEarmark(one, lost);
            }
        }
    }

    /** Null = its place stays set aside. */
    private @Nullable String whyLost(TrackedWorkload one, List<Object> decidedOn) {
        World now = roster.world();
        Assignment assignment = one.assignment;
        CompiledQueue queue = now.resolve(one.workload.namespace(), one.localQueue);
        if (queue == null || assignment == null || !queue.name().equals(assignment.clusterQueue())) {
            return "its LocalQueue changed";
        }
        if (!queue.mayAdmit() || now.isStopped(one.workload.namespace(), one.localQueue)) {
            return "its queue admits nothing";
        }
        if (!now.admitsNamespace(queue, one.workload)) {
            return "its namespace may not submit any more";
        }
        if (!now.quotaObjects(now.tree().root(queue.node())).equals(decidedOn)) {
            return "quota changed";
        }
        int[] counts = assignment.podSets().stream()
                .mapToInt(Assignment.PodSetAssignment::count)
                .toArray();
        return new PreparedRequest(queue, now.feasibility(), one.podSets(), counts).isPlaceable(assignment)
                ? null
                : "usable devices changed";
    }

    private void drain() {
        List<TrackedWorkload> running = new ArrayList<>();
        for (TrackedWorkload one : roster.everybody()) {
            if (one.isRunning()) {
                running.add(one);
            }
        }
        running.sort(Comparator.comparing(TrackedWorkload::id));
        for (TrackedWorkload one : running) {
            CompiledQueue queue = one.queueOrThrow().compiled;
            if (queue.config() != null && queue.config().stopPolicy() == StopPolicy.HOLD_AND_DRAIN) {
                eviction.of(one, EvictionReason.CLUSTER_QUEUE_STOPPED, WorkloadState.PENDING);
            } else if (roster.world().drains(one.workload.namespace(), one.localQueue)) {
                eviction.of(one, EvictionReason.LOCAL_QUEUE_STOPPED, WorkloadState.PENDING);
            }
        }
    }
}
