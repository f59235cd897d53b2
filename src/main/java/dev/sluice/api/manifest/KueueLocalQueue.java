package dev.sluice.api.manifest;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sluice.api.wire.Choice;
import dev.sluice.api.wire.ClusterQueueBody;
import dev.sluice.api.wire.ClusterQueueBody.FairSharing;
import dev.sluice.api.wire.Mistakes;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.StopPolicy;
import org.jspecify.annotations.Nullable;

/** The specification of Kueue's LocalQueue. */
@JsonInclude(JsonInclude.Include.NON_NULL)
record KueueLocalQueue(
        @Nullable String clusterQueue,
        @Nullable String stopPolicy,
        @Nullable FairSharing fairSharing) {
    LocalQueue localQueue(String namespace, String name, Mistakes mistakes) {
        String queue = mistakes.required("spec.clusterQueue", clusterQueue);
        return new LocalQueue(
                namespace,
                name,
                queue == null ? "" : queue,
                Choice.STOP_POLICY.read("spec.stopPolicy", stopPolicy, StopPolicy.NONE, mistakes),
                ClusterQueueBody.weight("spec.", fairSharing, mistakes));
    }

    static KueueLocalQueue of(LocalQueue queue) {
        return new KueueLocalQueue(
                queue.clusterQueue(),
                Choice.STOP_POLICY.word(queue.stopPolicy()),
                new FairSharing(queue.weight().toString()));
    }
}
