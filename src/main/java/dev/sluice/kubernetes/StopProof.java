package dev.sluice.kubernetes;

import java.time.Duration;

/**
 * Gathers, for one suspended Job, the proof that its pods are gone. Its status alone proves nothing: when a Job is stopped soon after
 * its release, the Job controller may have seen neither, say "suspended, none active" from before, and create pods a moment later.
 *
 * <p>What does prove it: the Job controller writes the status by an update that names the version which it computed from, and the API
 * server refuses it if the Job has changed since. So a status that differs from the one that the stop met was computed from the
 * stopped Job; and since the controller works on one Job at a time, whatever pods an earlier look made it create exist by then. A list
 * of pods taken after that misses none.
 *
 * <p>A Job may come to its end while it is stopped, since its pods did before they were told to go: the Job controller first notes them
 * in the status, then takes its finalizer from each, and only then says that the Job ended. So who has none that lives is not out of it
 * yet. A list without any finalizer, and a status read after it that notes none, leave nothing from which the Job could still end.
 *
 * <p>Belongs to whoever reconciles the Job at the moment.
 */
final class StopProof {
    /** A controller that has something to say has said it by then, usually; if not, it is asked once too often. */
    static final Duration PATIENCE = Duration.ofMillis(500);

    private long generation;
    private long version;
    private int digest;
    private boolean mayStaySilent;
    private long sinceNanos;
    private boolean acknowledged;
    private boolean quiet;

    private StopProof(JobSnapshot job, long nowNanos) {
        begin(job, nowNanos);
    }

    /** Begins at a Job that was just stopped, or that is found stopped and of which nothing is known. */
    static StopProof from(JobSnapshot stopped, long nowNanos) {
        return new StopProof(stopped, nowNanos);
    }

    private void begin(JobSnapshot job, long nowNanos) {
        generation = job.generation();
        version = job.version();
        digest = job.status().digest();
        mayStaySilent = job.status().looksStopped();
        sinceNanos = nowNanos;
        acknowledged = false;
        quiet = false;
    }

    Proof at(JobSnapshot job, long nowNanos) {
        if (job.generation() != generation) {
            // Somebody changed it meanwhile, and may have let it run in between.
            begin(job, nowNanos);
        }
        if (job.version() > version && job.status().digest() != digest) {
            acknowledged = true;
        }
        if (acknowledged && job.status().ending()) {
            return Proof.AWAITED;
        }
        if (quiet) {
            return Proof.QUIET;
        }
        if (acknowledged) {
            return job.status().active() == 0 && job.status().terminating() == 0 ? Proof.ACKNOWLEDGED : Proof.AWAITED;
        }
        return mayStaySilent && nowNanos - sinceNanos >= PATIENCE.toNanos() ? Proof.OVERDUE : Proof.AWAITED;
    }

    /** Whether time alone may change the answer. */
    boolean waitsForTime() {
        return mayStaySilent && !acknowledged;
    }

    /** Its condition was taken away, so that the controller has to set it again. */
    void asked(JobSnapshot answer, long nowNanos) {
        begin(answer, nowNanos);
        mayStaySilent = false;
    }

    /** A list of pods made after the acknowledgement has none that lives or is still to be counted. */
    void counted() {
        quiet = true;
    }

    /** Sluice itself changed the specification of the suspended Job. */
    void carriedOver(JobSnapshot answer) {
        generation = answer.generation();
    }
}
