package dev.sluice.kubernetes;

import dev.sluice.kubernetes.JobWriter.Outcome;
import dev.sluice.scheduling.ManifestTrial;
import dev.sluice.scheduling.Submission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A server-side dry run of a Job's creation. An API server that does not answer in time is not asked for a while, so that submissions go
 * on at their own speed without it.
 */
final class JobTrial implements ManifestTrial {
    private static final Duration ANSWER_WITHIN = Duration.ofMillis(1500);
    private static final Duration MANY_WITHIN = Duration.ofSeconds(30);
    private static final int AT_ONCE = 16;
    private static final Duration ASKED_AGAIN_AFTER = Duration.ofSeconds(5);

    private final JobWriter writer;
    private final Patience patience;
    private final AtomicLong askedFromNanos = new AtomicLong(System.nanoTime());

    JobTrial(JobWriter writer, Patience patience) {
        this.writer = writer;
        this.patience = patience;
    }

    @Override
    public Optional<String> refusal(Submission submission) {
        String manifest = submission.manifest();
        if (manifest == null || patience.left().isPositive() || System.nanoTime() - askedFromNanos.get() < 0) {
            return Optional.empty();
        }
        Outcome outcome = ask(submission, manifest);
        return switch (outcome) {
            case Outcome.Refused refused -> Optional.of(refused.reason());
            // A Job of this name may be the very one, on a repeat of the submission; the store knows.
            case Outcome.Moved moved -> moved.missing() ? Optional.of(moved.reason()) : Optional.empty();
            case Outcome.Written written -> Optional.empty();
            case Outcome.Failed failed -> {
                askedFromNanos.set(System.nanoTime() + ASKED_AGAIN_AFTER.toNanos());
                yield Optional.empty();
            }
        };
    }

    @Override
    public List<Optional<String>> refusals(List<Submission> submissions) {
        List<Callable<Optional<String>>> asked = new ArrayList<>();
        submissions.forEach(submission -> asked.add(() -> refusal(submission)));
        try (ExecutorService asking = Executors.newFixedThreadPool(
                AT_ONCE, Thread.ofVirtual().name("sluice-trials").factory())) {
            return asking.invokeAll(asked, MANY_WITHIN.toMillis(), TimeUnit.MILLISECONDS).stream()
                    .map(JobTrial::answered)
                    .toList();
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return Collections.nCopies(submissions.size(), Optional.empty());
        }
    }

    /** One that was not reached in time is taken. */
    private static Optional<String> answered(Future<Optional<String>> answer) {
        return switch (answer.state()) {
            case SUCCESS -> answer.resultNow();
            case FAILED -> throw new IllegalStateException("a dry run failed by a bug", answer.exceptionNow());
            case CANCELLED, RUNNING -> Optional.empty();
        };
    }

    private Outcome ask(Submission submission, String manifest) {
        CompletableFuture<Outcome> answer = new CompletableFuture<>();
        Thread.ofVirtual().name("sluice-trial").start(() -> {
            try {
                answer.complete(writer.tryOut(submission, manifest));
            } catch (RuntimeException broken) {
                answer.completeExceptionally(broken);
            }
        });
        try {
            return answer.get(ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            return new Outcome.Failed("no answer within " + ANSWER_WITHIN);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return new Outcome.Failed("interrupted");
        } catch (ExecutionException broken) {
            throw new IllegalStateException("a dry run failed by a bug", broken.getCause());
        }
    }
}
