package dev.sluice.scheduling;

import dev.sluice.admission.WorkloadStatus;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What the leader knows of live workloads beside the engine: their jobs' fences and uids, and the status last put into a batch. A
 * workload is on it from its submission to the batch that ends it. Belongs to the leader's thread.
 */
final class Roster {
    private final Map<WorkloadId, Entry> entries = new LinkedHashMap<>();
    private final Map<WorkloadId, String> setAside = new ConcurrentHashMap<>();

    @Nullable Entry find(WorkloadId workload) {
        return entries.get(workload);
    }

    Entry get(WorkloadId workload) {
        Entry entry = entries.get(workload);
        if (entry == null) {
            throw new IllegalStateException("the engine decided about " + workload + ", which is not on the roster");
        }
        return entry;
    }

    Entry add(Workload workload, @Nullable String manifest, WorkloadStatus status) {
        Entry entry = new Entry(workload, manifest, status);
        if (entries.putIfAbsent(workload.id(), entry) != null) {
            throw new IllegalStateException("workload " + workload.id() + " is on the roster already");
        }
        return entry;
    }

    /** Keeps a workload of which nothing can be told out of the way of the others. */
    void setAside(WorkloadId workload, String why) {
        setAside.put(workload, why);
    }

    /** Workload to why; may be read by any thread. */
    Map<WorkloadId, String> setAside() {
        return Collections.unmodifiableMap(setAside);
    }

    void remove(WorkloadId workload) {
        entries.remove(workload);
    }

    Collection<Entry> entries() {
        return Collections.unmodifiableCollection(entries.values());
    }

    /** Mutable on purpose: one per live workload, changed at every turn that touches it. */
    static final class Entry {
        /** As its author wants it now. */
        Workload workload;

        final @Nullable String manifest;
        WorkloadStatus status;
        long fence = Cluster.FIRST_FENCE;

        @Nullable String jobUid;

        @Nullable Instant startedAt;

        @Nullable Instant finishedAt;

        @Nullable String failure;

        /** Whether its maximum duration is being watched in this run. */
        boolean watched;

        private Entry(Workload workload, @Nullable String manifest, WorkloadStatus status) {
            this.workload = workload;
            this.manifest = manifest;
            this.status = status;
        }
    }
}
