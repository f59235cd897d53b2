package dev.sluice.admission;

import dev.sluice.quota.Configuration;
import dev.sluice.quota.StopPolicy;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.WorkloadState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

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

    /** Earmarks in trees whose quota moved were decided on what is no longer true. */
    void reconfigure(Configuration configuration) {
        World before = roster.world();
        Map<Integer, List<Object>> quotaBefore = new HashMap<>();
        roster.trees().forEach(tree -> quotaBefore.put(tree.root, before.quotaObjects(tree.root)));
        List<TrackedWorkload> earmarked = new ArrayList<>();
        Map<TrackedWorkload, List<Object>> decidedOn = new HashMap<>();
        for (TreeState tree : roster.trees()) {
            for (TrackedWorkload one : tree.earmarked) {
                earmarked.add(one);
                decidedOn.put(one, quotaBefore.get(tree.root));
            }
        }
        roster.rebuild(configuration, before.capacity(), before.namespaces());
        World after = roster.world();
        for (TrackedWorkload one : earmarked) {
            CompiledQueue queue = after.queue(one.queueOrThrow().name());
            boolean stands = queue != null
                    && queue.mayAdmit()
                    && !after.isStopped(one.workload.namespace(), one.localQueue)
                    && after.quotaObjects(after.tree().root(queue.node())).equals(decidedOn.get(one));
            if (!stands) {
                roster.holdings().loseEarmark(one);
                log.dropEarmark(one, "quota changed");
            }
        }
        drain();
    }

    void changeCapacity(UsableCapacity capacity) {
        if (!capacity.equals(roster.world().capacity())) {
            roster.rebuild(
                    roster.world().configuration(), capacity, roster.world().namespaces());
        }
    }

    void changeNamespaces(SortedMap<String, SortedMap<String, String>> labels) {
        if (!labels.equals(roster.world().namespaces())) {
            roster.rebuild(roster.world().configuration(), roster.world().capacity(), labels);
        }
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
