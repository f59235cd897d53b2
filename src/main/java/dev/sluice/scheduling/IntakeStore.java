package dev.sluice.scheduling;

import java.util.List;
import java.util.Optional;

/** Where wishes are made durable. Any replica writes; nothing here touches a workload row that exists. */
public interface IntakeStore {
    /**
     * Stores all of them in one transaction; results in the order given. One that cannot be stored (a name taken, a key
     * reused) does not hinder the others. Two of one call with one key: the second is {@code AlreadySubmitted}.
     *
     * @throws StoreUnavailable and then nothing is stored, as far as can be told
     */
    List<SubmissionResult> submit(List<Submission> submissions);

    /** Stores a command other than a submission; returns its id. */
    long enqueue(Command command, String caller);

    /**
     * What became of a command: empty while it is not processed. A submission that was taken in leaves no outcome, since its
     * workload tells; others are kept for a stated time.
     */
    Optional<CommandOutcome> outcome(long commandId);
}
