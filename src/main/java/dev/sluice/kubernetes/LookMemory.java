package dev.sluice.kubernetes;

import dev.sluice.scheduling.Observation;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What one look at a Job leaves for the next. Belongs to whoever reconciles the Job at the moment. */
final class LookMemory {
    /** A Job that is gone acknowledges nothing: what its controller had under way when it went may still come. */
    private static final int EMPTY_COUNTS = 2;

    /** The order that all below is about. */
    private @Nullable WantedJob order;

    private final Map<Class<?>, Observation> told = new HashMap<>();
    private @Nullable StopProof proof;
    private int emptyCounts;

    /** Of another order than before, everything is told anew. */
    void isAbout(WantedJob now) {
        if (!now.equals(order)) {
            order = now;
            told.clear();
        }
    }

    /** Whether it was not told last among its kind; from now on it was. */
    boolean isNews(Observation one) {
        return !one.equals(told.put(one.getClass(), one));
    }

    Proof proof(@Nullable JobSnapshot job) {
        if (job == null || job.deleting()) {
            return emptyCounts >= EMPTY_COUNTS ? Proof.QUIET : Proof.ACKNOWLEDGED;
        }
        if (!job.suspended()) {
            proof = null;
            return Proof.AWAITED;
        }
        if (proof == null) {
            proof = StopProof.from(job, System.nanoTime());
        }
        return proof.at(job, System.nanoTime());
    }

    boolean waitsForTime() {
        return proof != null && proof.waitsForTime();
    }

    /** A list of pods has none that lives. Returns whether that is proof enough. */
    boolean countedNone(@Nullable JobSnapshot job) {
        if (job == null || job.deleting()) {
            emptyCounts++;
            return emptyCounts >= EMPTY_COUNTS;
        }
        if (proof != null) {
            proof.counted();
        }
        return true;
    }

    /** There can be no pods. */
    void countedNoneForGood() {
        emptyCounts = EMPTY_COUNTS;
    }

    void wrote(JobPlan plan, JobSnapshot answer) {
        switch (plan) {
            case SUSPEND -> proof = StopProof.from(answer, System.nanoTime());
            case RELEASE -> proof = null;
            case ASK -> {
                if (proof != null) {
                    proof.asked(answer, System.nanoTime());
                }
            }
            case RESTORE -> {
                if (proof != null) {
                    proof.carriedOver(answer);
                }
            }
            default -> {}
        }
    }
}
