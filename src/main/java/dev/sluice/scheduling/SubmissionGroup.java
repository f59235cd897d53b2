package dev.sluice.scheduling;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Commits submissions in groups: whatever arrives while one transaction runs goes into the next. A lone submission pays for
 * itself only; a thousand callers share a few transactions.
 *
 * <p>Safe for use by any thread. One writing thread of its own.
 */
public final class SubmissionGroup implements AutoCloseable {
    private static final int WAITING_MAX = 50_000;

    private final IntakeStore intake;
    private final CommandReceiver receiver;
    private final int submissionsMax;
    private final BlockingQueue<Waiting> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
    private final Thread writer;
    private volatile boolean closed;

    public SubmissionGroup(IntakeStore intake, CommandReceiver receiver, SchedulingSettings settings) {
        this.intake = intake;
        this.receiver = receiver;
        this.submissionsMax = settings.submissionsMax();
        this.writer = Thread.ofPlatform().name("sluice-intake").daemon().unstarted(this::run);
    }

    public void start() {
        writer.start();
    }

    /** Completes after the commit; exceptionally with {@link StoreUnavailable} if nothing was stored. */
    public CompletableFuture<SubmissionResult> submit(Submission submission) {
        CompletableFuture<SubmissionResult> result = new CompletableFuture<>();
        if (closed || !waiting.offer(new Waiting(submission, result))) {
            result.completeExceptionally(new StoreUnavailable(
                    closed ? "the service is stopping" : "too many submissions wait to be stored", null));
        }
        return result;
    }

    @Override
    public void close() {
        closed = true;
        writer.interrupt();
    }

    private void run() {
        List<Waiting> group = new ArrayList<>(submissionsMax);
        while (!closed) {
            try {
                group.add(waiting.take());
                waiting.drainTo(group, submissionsMax - 1);
                store(group);
            } catch (InterruptedException stopping) {
                closed = true;
            } finally {
                group.clear();
            }
        }
        waiting.drainTo(group);
        group.forEach(one -> one.result.completeExceptionally(new StoreUnavailable("the service is stopping", null)));
    }

    private void store(List<Waiting> group) {
        List<SubmissionResult> results;
        try {
            results = intake.submit(group.stream().map(Waiting::submission).toList());
        } catch (StoreUnavailable unavailable) {
            group.forEach(one -> one.result.completeExceptionally(unavailable));
            return;
        } catch (RuntimeException refused) {
            storeApart(group, refused);
            return;
        }
        for (int index = 0; index < group.size(); index++) {
            acknowledge(group.get(index), results.get(index));
        }
    }

    /** One row that the store cannot take must not cost the others their place: each is tried alone. */
    private void storeApart(List<Waiting> group, RuntimeException refused) {
        if (group.size() == 1) {
            group.getFirst().result.completeExceptionally(refused);
            return;
        }
        group.forEach(one -> store(List.of(one)));
    }

    private void acknowledge(Waiting one, SubmissionResult result) {
        if (result instanceof SubmissionResult.Accepted accepted) {
            receiver.offer(new QueuedCommand(
                    accepted.commandId(),
                    new Command.Submit(accepted.workload(), one.submission.manifest()),
                    one.submission.caller()));
        }
        one.result.complete(result);
    }

    private record Waiting(Submission submission, CompletableFuture<SubmissionResult> result) {}
}
