package dev.sluice.scheduling;

import dev.sluice.workload.PodSet;
import dev.sluice.workload.WorkloadId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What people may ask of workloads. Everything is committed before it is acknowledged; any replica may be asked. */
public final class WorkloadCommands {
    /** Between looks at the store for an outcome that another replica's leader writes. */
    private static final long OUTCOME_POLL_MILLIS = 50;

    private final SubmissionGroup submissions;
    private final IntakeStore intake;
    private final CommandReceiver receiver;
    private final OutcomeBoard outcomes;
    private final SchedulingSettings settings;

    public WorkloadCommands(
            SubmissionGroup submissions,
            IntakeStore intake,
            CommandReceiver receiver,
            OutcomeBoard outcomes,
            SchedulingSettings settings) {
        this.submissions = submissions;
        this.intake = intake;
        this.receiver = receiver;
        this.outcomes = outcomes;
        this.settings = settings;
    }

    /** Completes after the commit; exceptionally with {@link StoreUnavailable} if nothing was stored. */
    public CompletionStage<SubmissionResult> submit(Submission submission) {
        return submissions.submit(submission);
    }

    /**
     * Waits until all are durable; one result each, in order.
     *
     * @throws StoreUnavailable if any of them could not be stored; others may be
     */
    public List<SubmissionResult> submit(List<Submission> all) {
        List<CompletableFuture<SubmissionResult>> results = new ArrayList<>(all.size());
        all.forEach(submission -> results.add(submissions.submit(submission)));
        try {
            return results.stream().map(CompletableFuture::join).toList();
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw failed;
        }
    }

    public CommandAnswer cancel(WorkloadId workload, String caller) {
        return send(new Command.Cancel(workload), caller);
    }

    /** @param priorityClass null = none, priority 0 */
    public CommandAnswer changePriorityClass(WorkloadId workload, @Nullable String priorityClass, String caller) {
        return send(new Command.ChangePriorityClass(workload, priorityClass), caller);
    }

    public CommandAnswer changeQueue(WorkloadId workload, String localQueue, String caller) {
        return send(new Command.ChangeQueue(workload, localQueue), caller);
    }

    /** Refused while it holds quota: what runs runs as it was admitted. */
    public CommandAnswer changePodSets(WorkloadId workload, List<PodSet> podSets, String caller) {
        return send(new Command.ChangePodSets(workload, podSets), caller);
    }

    public CommandAnswer changeActivation(WorkloadId workload, boolean active, String caller) {
        return send(new Command.ChangeActivation(workload, active), caller);
    }

    public CommandAnswer changeCheck(Command.ChangeCheck change, String caller) {
        return send(change, caller);
    }

    private CommandAnswer send(Command command, String caller) {
        long id = intake.enqueue(command, caller);
        CompletableFuture<CommandOutcome> outcome = outcomes.await(id);
        try {
            receiver.offer(new QueuedCommand(id, command, caller));
            long deadline = System.nanoTime() + settings.answerPatience().toNanos();
            while (System.nanoTime() < deadline) {
                Optional<CommandOutcome> found = look(id, outcome);
                if (found.isPresent()) {
                    String refusal = found.get().refusal();
                    return refusal == null ? new CommandAnswer.Done() : new CommandAnswer.Refused(refusal);
                }
            }
            return new CommandAnswer.Pending(id);
        } finally {
            outcomes.forget(id);
        }
    }

    private Optional<CommandOutcome> look(long id, CompletableFuture<CommandOutcome> outcome) {
        try {
            return Optional.of(outcome.get(OUTCOME_POLL_MILLIS, TimeUnit.MILLISECONDS));
        } catch (TimeoutException notHere) {
            return intake.outcome(id);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException impossible) {
            throw new IllegalStateException("an outcome is only ever completed with a value", impossible);
        }
    }
}
