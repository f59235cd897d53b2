package dev.sluice.overview;

import dev.sluice.admission.WorkloadStatus;
import dev.sluice.workload.Workload;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A workload as committed.
 *
 * @param team owner of its ClusterQueue; null = none named
 * @param deciding whether a command for it is committed and not yet processed
 * @param cancelling whether one of those is a cancel
 * @param evictions latest first, at most twenty
 */
public record WorkloadRow(
        Workload workload,
        WorkloadStatus status,
        @Nullable String team,
        @Nullable String jobUid,
        @Nullable Instant startedAt,
        @Nullable Instant finishedAt,
        @Nullable String failure,
        boolean deciding,
        boolean cancelling,
        List<EvictionRow> evictions) {
    public WorkloadRow {
        evictions = List.copyOf(evictions);
    }
}
