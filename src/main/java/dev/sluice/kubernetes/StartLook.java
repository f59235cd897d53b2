package dev.sluice.kubernetes;

import dev.sluice.kubernetes.WantedJob.Run;
import dev.sluice.scheduling.Observation;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the pods themselves of Jobs whose time to become ready is over, before anybody stops them for it. The Job's status will not
 * do: its controller counts pods at its own pace, and may stand still while pods become ready. Thread-safe.
 */
final class StartLook {
    private final JobWatch watch;
    private final JobWriter writer;
    /** Fence of the run that is asked about. */
    private final Map<WorkloadId, Long> asked = new ConcurrentHashMap<>();

    StartLook(JobWatch watch, JobWriter writer) {
        this.watch = watch;
        this.writer = writer;
    }

    void ask(WorkloadId id, long fence) {
        asked.merge(id, fence, Math::max);
    }

    boolean isAsked(WantedJob order) {
        Long fence = asked.get(order.id());
        if (fence != null && fence < order.fence()) {
            asked.remove(order.id(), fence);
        }
        return fence != null && fence == order.fence() && order.run() == Run.RELEASED;
    }

    /**
     * Asks the API server for the Job and its pods.
     *
     * @return what is to be told; null = its Job is gone or ended, which is told elsewhere
     * @throws KubernetesClientException if the API server does not answer; then it is still asked
     */
    @Nullable Observation answer(WantedJob order, @Nullable JobSnapshot seen) {
        Workload workload = order.workload();
        JobSnapshot job = seen != null
                ? watch.look(seen.namespace(), seen.name(), seen.uid())
                : workload == null ? null : watch.find(workload.namespace(), workload.name());
        List<Pod> pods = job == null ? List.of() : writer.pods(job.namespace(), job.uid());
        asked.remove(order.id(), order.fence());
        if (job == null ? seen != null : job.deleting() || job.status().end() != null) {
            return null;
        }
        return job != null && areReady(job, pods)
                ? new Observation.Ready(order.id(), order.fence())
                : new Observation.Unready(order.id(), order.fence());
    }

    static boolean areReady(JobSnapshot job, List<Pod> pods) {
        int ready = 0;
        int succeeded = 0;
        for (Pod pod : pods) {
            String phase = pod.getStatus() == null ? "" : pod.getStatus().getPhase();
            boolean stays = pod.getMetadata().getDeletionTimestamp() == null;
            if ("Succeeded".equals(phase)) {
                succeeded++;
            } else if ("Running".equals(phase) && stays && isReady(pod)) {
                ready++;
            }
        }
        return job.isReleased()
                && job.isReadyWith(ready, Math.max(succeeded, job.status().succeeded()));
    }

    private static boolean isReady(Pod pod) {
        return pod.getStatus().getConditions().stream()
                .anyMatch(condition -> condition.getType().equals("Ready")
                        && condition.getStatus().equals("True"));
    }
}
