package dev.sluice.kubernetes;

import dev.sluice.kubernetes.WantedJob.Run;
import dev.sluice.scheduling.Placement.PodSetPlacement;
import org.jspecify.annotations.Nullable;

/**
 * The next step from the Job that is seen to the one that is wanted. A pure function; every step is at most one call, and the next
 * look at the Job tells the next step.
 */
enum JobPlan {
    /** All is as it should be, or somebody else has to move first. */
    NOTHING,
    CREATE,
    /** Unsuspend and place, in one write. */
    RELEASE,
    /** Suspend and raise the fence, in one write. */
    SUSPEND,
    RAISE_FENCE,
    /** Name the queue again whose quota it has. */
    PUT_BACK_QUEUE,
    /** Fewer pods: it was scaled up beyond what was admitted. */
    TRIM,
    /** It was scaled down by its author after a trim: what was remembered for the stop is no longer what its author wants. */
    FORGET_TRIM,
    /** Make the Job controller answer whether it knows of the stop. */
    ASK,
    /** List the pods that live. */
    COUNT,
    /** On servers that let the template change only before the first start. */
    CLEAR_START_TIME,
    /** Put the template back as it was. */
    RESTORE,
    /** Say on it that it was cancelled, which came too late to be said with the stop. */
    RETIRE;

    /**
     * @param job null = there is none
     * @param proof of its pods being gone; means nothing unless it is suspended, in deletion or not there
     */
    static JobPlan of(WantedJob wanted, @Nullable JobSnapshot job, Proof proof) {
        if (job == null) {
            return withoutJob(wanted, proof);
        }
        // A higher fence is a newer leader's; what ended needs nothing.
        if (job.fenceOrFirst() > wanted.fence() || job.status().end() != null) {
            return NOTHING;
        }
        if (job.deleting()) {
            return wanted.run() == Run.STOPPED && proof != Proof.QUIET ? COUNT : NOTHING;
        }
        boolean behind = job.fenceOrFirst() < wanted.fence();
        return switch (wanted.run()) {
            case HELD -> held(job, proof, behind);
            case STOPPED -> behind || !job.suspended() ? SUSPEND : settled(job, proof, left(wanted, job));
            case RELEASED -> job.suspended() ? settled(job, proof, letGo(wanted, job)) : running(wanted, job, behind);
        };
    }

    private static JobPlan withoutJob(WantedJob wanted, Proof proof) {
        boolean had = wanted.uid() != null;
        if (wanted.run() == Run.STOPPED) {
            return had && proof != Proof.QUIET ? COUNT : NOTHING;
        }
        return had || wanted.manifest() == null ? NOTHING : CREATE;
    }

    private static JobPlan held(JobSnapshot job, Proof proof, boolean behind) {
        if (job.suspended()) {
            return behind ? RAISE_FENCE : settled(job, proof, NOTHING);
        }
        // Released under the very fence at which it is held here: by a leader that knows more than this one.
        return !behind && job.isReleased() ? NOTHING : SUSPEND;
    }

    /** Of a suspended Job: first its pods go and its template comes back, then {@code next}. */
    private static JobPlan settled(JobSnapshot job, Proof proof, JobPlan next) {
        if (job.mark() == null) {
            return next;
        }
        return switch (proof) {
            case AWAITED -> NOTHING;
            case OVERDUE -> ASK;
            case ACKNOWLEDGED -> COUNT;
            case QUIET -> job.status().started() ? CLEAR_START_TIME : RESTORE;
        };
    }

    private static JobPlan left(WantedJob wanted, JobSnapshot job) {
        return wanted.retired() && !job.cancelled() ? RETIRE : NOTHING;
    }

    private static JobPlan letGo(WantedJob wanted, JobSnapshot job) {
        return job.status().started() && JobPatch.changesTemplate(wanted, job) ? CLEAR_START_TIME : RELEASE;
    }

    private static JobPlan running(WantedJob wanted, JobSnapshot job, boolean behind) {
        if (!job.isReleased()) {
            // By hand, so that its pods are not where they were admitted to; unless it is only the fence that was taken
            // away.
            boolean released = job.mark() != null && job.mark().fence() == wanted.fence();
            return released && behind ? RAISE_FENCE : SUSPEND;
        }
        if (behind) {
            return RAISE_FENCE;
        }
        if (wanted.isElsewhere(job)) {
            return PUT_BACK_QUEUE;
        }
        PodSetPlacement pods =
                wanted.placement() == null ? null : wanted.placement().first();
        if (pods == null) {
            return NOTHING;
        }
        if (job.parallelism() < pods.count() && job.isTrimmed()) {
            return FORGET_TRIM;
        }
        return job.parallelism() > JobPatch.parallelismMax(pods, job) ? TRIM : NOTHING;
    }
}
