package dev.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.StopPolicy;
import org.jspecify.annotations.Nullable;

/** A namespace's door to a ClusterQueue. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LocalQueueBody(
        @Nullable String namespace,
        @Nullable String name,
        @Nullable String clusterQueue,
        @Nullable String stopPolicy,
        ClusterQueueBody.@Nullable FairSharing fairSharing,
        @Nullable LocalQueueStatus status) {
    public LocalQueue localQueue(String ofNamespace, String key, Mistakes mistakes) {
        String queue = mistakes.required("clusterQueue", clusterQueue);
        return new LocalQueue(
                ofNamespace,
                key,
                queue == null ? "" : queue,
                Choice.STOP_POLICY.read("stopPolicy", stopPolicy, StopPolicy.NONE, mistakes),
                ClusterQueueBody.weight("", fairSharing, mistakes));
    }

    public static LocalQueueBody of(LocalQueue queue) {
        return of(queue, null);
    }

    /** @param status null = its ClusterQueue does not go by usage, or it is not asked for */
    public static LocalQueueBody of(LocalQueue queue, @Nullable LocalQueueStatus status) {
        return new LocalQueueBody(
                queue.namespace(),
                queue.name(),
                queue.clusterQueue(),
                Choice.STOP_POLICY.word(queue.stopPolicy()),
                new ClusterQueueBody.FairSharing(queue.weight().toString()),
                status);
    }
}
