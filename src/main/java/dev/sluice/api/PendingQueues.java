package dev.sluice.api;

import dev.sluice.admission.Engine;
import dev.sluice.api.wire.PageResponse;
import dev.sluice.api.wire.ProblemKind;
import dev.sluice.api.wire.Rejection;
import dev.sluice.api.wire.WorkloadResponse;
import dev.sluice.overview.EngineReader;
import dev.sluice.overview.WorkloadReader;
import dev.sluice.overview.WorkloadRow;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.LocalQueue;
import dev.sluice.scheduling.ConfigurationKind;
import dev.sluice.workload.WorkloadId;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Who waits in a queue, in the order in which the engine will consider them. */
@Singleton
class PendingQueues {
    private final EngineReader engines;
    private final WorkloadReader workloads;
    private final CurrentConfiguration current;
    private final Reasons reasons;

    PendingQueues(EngineReader engines, WorkloadReader workloads, CurrentConfiguration current, Reasons reasons) {
        this.engines = engines;
        this.workloads = workloads;
        this.current = current;
        this.reasons = reasons;
    }

    PageResponse<WorkloadResponse> ofClusterQueue(String name, int limit, @Nullable String after) {
        Configuration configuration = current.fresh().configuration();
        if (!configuration.clusterQueues().containsKey(name)) {
            throw ConfigurationDesk.missing(ConfigurationKind.CLUSTER_QUEUE, name, configuration);
        }
        // One more than the page holds tells whether there is a next; most readers want the front of a long queue.
        List<WorkloadId> order =
                engines.ask((engine, now) -> after == null ? engine.pending(name, limit + 1) : engine.pending(name));
        return page(order, limit, after);
    }

    /** Only what came through this door: another namespace's workloads in the same ClusterQueue are not shown. */
    PageResponse<WorkloadResponse> ofLocalQueue(String namespace, String name, int limit, @Nullable String after) {
        Configuration configuration = current.fresh().configuration();
        LocalQueue queue = configuration.localQueues().get(LocalQueue.key(namespace, name));
        if (queue == null) {
            throw ConfigurationDesk.missing(
                    ConfigurationKind.LOCAL_QUEUE, LocalQueue.key(namespace, name), configuration);
        }
        List<WorkloadId> order = engines.ask((engine, now) -> engine.pending(queue.clusterQueue()).stream()
                .filter(through(engine, namespace, name))
                .toList());
        return page(order, limit, after);
    }

    private static Predicate<WorkloadId> through(Engine engine, String namespace, String localQueue) {
        return id -> engine.workload(id)
                        .filter(workload -> workload.namespace().equals(namespace))
                        .isPresent()
                && engine.status(id)
                        .filter(status -> status.localQueue().equals(localQueue))
                        .isPresent();
    }

    private PageResponse<WorkloadResponse> page(List<WorkloadId> order, int limit, @Nullable String after) {
        int from = 0;
        if (after != null) {
            from = order.indexOf(new WorkloadId(after.isEmpty() ? "-" : after)) + 1;
            if (from == 0) {
                throw new Rejection(
                        ProblemKind.INVALID_PARAMETER,
                        "after names a workload that does not wait here any more; begin again without it.");
            }
        }
        List<WorkloadId> ids = order.subList(from, Math.min(order.size(), from + limit));
        List<WorkloadRow> rows =
                workloads.findAll(ids).stream().filter(row -> !row.cancelling()).toList();
        String next = from + limit < order.size() ? ids.getLast().value() : null;
        return new PageResponse<>(reasons.shown(rows), next);
    }
}
