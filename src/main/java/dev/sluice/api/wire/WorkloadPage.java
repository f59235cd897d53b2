package dev.sluice.api.wire;

import dev.sluice.workload.WorkloadState;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * One page of workloads.
 *
 * @param next where the next page begins, given as {@code after}; null = there is none
 * @param counts of all that the filters match, by state; a filter by state does not narrow them
 */
public record WorkloadPage(
        List<WorkloadResponse> items, @Nullable String next, SortedMap<WorkloadState, Long> counts) {}
