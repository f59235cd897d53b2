package dev.sluice.kubernetes;

import dev.sluice.scheduling.Placement;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import org.jspecify.annotations.Nullable;

/**
 * What the leader committed about one workload's Job.
 *
 * @param workload as its author wants it; null = unknown: all that is known of it is its id
 * @param manifest what its Job is created from; null = there is nothing to create one from
 * @param uid of its Job, once it is known
 * @param fence the one that its Job is to have
 * @param placement where its pods go; null unless {@code run} is {@code RELEASED}
 * @param retired whether its workload has ended for good although its Job has not, so that nobody takes that in again
 */
record WantedJob(
        WorkloadId id,
        @Nullable Workload workload,
        @Nullable String manifest,
        @Nullable String uid,
        long fence,
        Run run,
        @Nullable Placement placement,
        boolean retired) {
    enum Run {
        /** Suspended; nobody waits to hear of it. */
        HELD,
        /** Its pods run. */
        RELEASED,
        /** Suspended, and its devices are free when the last pod is gone; the leader waits to hear of that. */
        STOPPED
    }

    static WantedJob unknown(WorkloadId id, long fence, Run run) {
        return new WantedJob(id, null, null, null, fence, run, null, false);
    }

    /** Whether the Job is not in the queue whose quota it has; one that never named a queue is nowhere else. */
    boolean isElsewhere(JobSnapshot job) {
        return workload != null
                && !workload.localQueue().equals(job.queue())
                && (job.queue() != null || JobBody.queueLabel(manifest) != null);
    }

    WantedJob withUid(String known) {
        return new WantedJob(id, workload, manifest, known, fence, run, placement, retired);
    }

    /** @param asking as its author wants it now, in the queue whose quota it has; null = unknown */
    WantedJob released(long newFence, Placement where, @Nullable Workload asking) {
        return new WantedJob(
                id, asking == null ? workload : asking, manifest, uid, newFence, Run.RELEASED, where, retired);
    }

    WantedJob stopped(long newFence) {
        return new WantedJob(id, workload, manifest, uid, newFence, Run.STOPPED, null, retired);
    }

    WantedJob retiring() {
        return new WantedJob(id, workload, manifest, uid, fence, run, placement, true);
    }

    WantedJob fenced(long newFence) {
        return new WantedJob(id, workload, manifest, uid, newFence, run, placement, retired);
    }
}
