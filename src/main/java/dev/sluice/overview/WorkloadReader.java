package dev.sluice.overview;

import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Committed workloads, their history and their evictions. */
public interface WorkloadReader {
    Optional<WorkloadRow> find(WorkloadId workload);

    /** Those that exist, in the order asked for; unknown ids are left out. */
    List<WorkloadRow> findAll(List<WorkloadId> workloads);

    Page<WorkloadRow> page(Filter filter, Sort sort, int limit, @Nullable String after);

    /** How many of the filter's workloads stand in each state; the filter's own states are ignored. */
    SortedMap<WorkloadState, Long> counts(Filter filter);

    /** Log entries about one workload, oldest first. */
    List<LoggedEvent> history(WorkloadId workload);

    /** Latest first. */
    Page<EvictionRow> evictions(EvictionFilter filter, int limit, @Nullable String after);

    /** Absent parts do not filter. {@code states} empty = all. */
    record Filter(
            @Nullable String team,
            @Nullable String clusterQueue,
            @Nullable String namespace,
            List<WorkloadState> states,
            @Nullable String priorityClass,
            @Nullable String deviceClass,
            @Nullable String name) {
        public Filter {
            states = List.copyOf(states);
        }
    }

    record EvictionFilter(
            @Nullable WorkloadId workload,
            @Nullable String victimQueue,
            @Nullable String preemptorQueue,
            @Nullable String reason) {}

    enum Sort {
        CREATED_ASCENDING,
        CREATED_DESCENDING,
        PRIORITY_DESCENDING,
        NAME_ASCENDING
    }

    /** @param next opaque; null = this is the last page */
    record Page<T>(List<T> items, @Nullable String next) {
        public Page {
            items = List.copyOf(items);
        }
    }

    /** A committed log entry. {@code body} holds its fields by name. */
    record LoggedEvent(
            long position,
            java.time.Instant at,
            String kind,
            @Nullable WorkloadId workload,
            Map<String, Object> body) {}
}
