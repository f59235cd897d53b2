package dev.sluice.api;

import dev.sluice.api.wire.ClusterQueueBody.QueueStatus;
import dev.sluice.quota.ClusterQueue;
import dev.sluice.quota.Configuration;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Who uses what at this moment. */
@Path("/api/v1/usage")
@Singleton
@Produces(Bodies.JSON)
@RunOnVirtualThread
@Tag(name = "observation")
public class UsageResource {
    private final ConfigurationDesk desk;
    private final CurrentConfiguration current;

    UsageResource(ConfigurationDesk desk, CurrentConfiguration current) {
        this.desk = desk;
        this.current = current;
    }

    /** Usage of all queues. */
    public record UsageResponse(List<QueueUsage> queues) {}

    public record QueueUsage(
            String clusterQueue,
            @Nullable String cohort,
            @Nullable String team,
            QueueStatus status) {}

    @GET
    @Operation(summary = "Usage of every ClusterQueue, by quota key and line by line")
    public UsageResponse usage() {
        Configuration configuration = current.recent();
        List<QueueUsage> queues = new ArrayList<>();
        for (Map.Entry<String, QueueStatus> entry : desk.statuses().entrySet()) {
            ClusterQueue queue = configuration.clusterQueues().get(entry.getKey());
            queues.add(new QueueUsage(
                    entry.getKey(),
                    queue == null ? null : queue.cohort(),
                    queue == null ? null : queue.team(),
                    entry.getValue()));
        }
        return new UsageResponse(queues);
    }
}
