package dev.sluice.api;

import dev.sluice.api.wire.EvictionShape;
import dev.sluice.api.wire.PageResponse;
import dev.sluice.overview.EvictionRow;
import dev.sluice.overview.WorkloadReader;
import dev.sluice.overview.WorkloadReader.EvictionFilter;
import dev.sluice.overview.WorkloadReader.Page;
import dev.sluice.workload.WorkloadId;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.inject.Singleton;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The log of who lost their place to whom, by which right. */
@Path("/api/v1/preemptions")
@Singleton
@Produces(Bodies.JSON)
@RunOnVirtualThread
@Tag(name = "observation")
public class PreemptionResource {
    private final WorkloadReader workloads;

    PreemptionResource(WorkloadReader workloads) {
        this.workloads = workloads;
    }

    @GET
    @Operation(
            summary = "List preemptions, latest first",
            description =
                    "With all=true also evictions that no other workload caused, such as cancelling. Without it a page"
                            + " may hold fewer items than its limit and still have a next.")
    public PageResponse<EvictionShape> list(
            @QueryParam("workload") @Nullable String workload,
            @QueryParam("victimQueue") @Nullable String victimQueue,
            @QueryParam("preemptorQueue") @Nullable String preemptorQueue,
            @QueryParam("reason") @Nullable String reason,
            @QueryParam("all") boolean all,
            @QueryParam("limit") @DefaultValue(Limits.DEFAULT) int limit,
            @QueryParam("after") @Nullable String after) {
        WorkloadId id = workload == null || workload.isEmpty() ? null : new WorkloadId(workload);
        Page<EvictionRow> page = workloads.evictions(
                new EvictionFilter(id, victimQueue, preemptorQueue, reason), Limits.checked(limit), after);
        return new PageResponse<>(
                page.items().stream()
                        .filter(eviction -> all || eviction.preemptor() != null)
                        .map(EvictionShape::of)
                        .toList(),
                page.next());
    }
}
