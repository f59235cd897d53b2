package dev.sluice.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SubmissionGroupTest {
    private final Intake intake = new Intake();
    private final List<QueuedCommand> offered = new CopyOnWriteArrayList<>();
    private final SubmissionGroup group = new SubmissionGroup(intake, offered::add, SchedulingSettings.defaults());

    @AfterEach
    void close() {
        intake.open.countDown();
        group.close();
    }

    @Test
    void what_arrives_while_a_transaction_runs_shares_the_next_one() {
        List<CompletableFuture<SubmissionResult>> results = new ArrayList<>();
        for (int index = 0; index < 20; index++) {
            results.add(group.submit(submission("w" + index)));
        }
        intake.open.countDown();
        group.start();
        results.forEach(CompletableFuture::join);

        assertThat(intake.transactions).hasSize(1);
        assertThat(intake.transactions.getFirst()).hasSize(20);
        assertThat(offered).hasSize(20);
    }

    @Test
    void nothing_is_acknowledged_or_offered_when_the_store_is_away() {
        intake.open.countDown();
        intake.away = true;
        group.start();

        assertThatThrownBy(() -> group.submit(submission("w")).join()).hasCauseInstanceOf(StoreUnavailable.class);
        assertThat(offered).isEmpty();
    }

    @Test
    void one_row_that_the_store_cannot_take_does_not_cost_the_others_their_place() {
        CompletableFuture<SubmissionResult> first = group.submit(submission("first"));
        CompletableFuture<SubmissionResult> poisoned = group.submit(submission("poison"));
        CompletableFuture<SubmissionResult> last = group.submit(submission("last"));
        intake.open.countDown();
        group.start();

        assertThat(first.join()).isInstanceOf(SubmissionResult.Accepted.class);
        assertThat(last.join()).isInstanceOf(SubmissionResult.Accepted.class);
        assertThatThrownBy(poisoned::join).hasCauseInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whoever_waits_when_the_service_stops_is_told() {
        CompletableFuture<SubmissionResult> waiting = group.submit(submission("w"));
        group.close();
        group.start();

        assertThatThrownBy(waiting::join).hasCauseInstanceOf(StoreUnavailable.class);
        assertThatThrownBy(() -> group.submit(submission("late")).join()).hasCauseInstanceOf(StoreUnavailable.class);
    }

    private static Submission submission(String name) {
        return new Submission(
                new WorkloadId("id-" + name),
                name,
                "team-a",
                "main",
                null,
                0,
                List.of(PodSet.of("main", 1, Map.of("gpu", 1L))),
                null,
                null,
                null,
                "tester",
                null,
                "hash");
    }

    /** Counts transactions, and can be away or refuse a row. */
    private static final class Intake implements IntakeStore {
        final List<List<Submission>> transactions = new CopyOnWriteArrayList<>();
        final CountDownLatch open = new CountDownLatch(1);
        final AtomicLong sequence = new AtomicLong();
        volatile boolean away;

        @Override
        public List<SubmissionResult> submit(List<Submission> submissions) {
            try {
                open.await();
            } catch (InterruptedException stopping) {
                Thread.currentThread().interrupt();
            }
            if (away) {
                throw new StoreUnavailable("away", null);
            }
            if (submissions.stream().anyMatch(one -> one.name().equals("poison"))) {
                throw new IllegalArgumentException("this row cannot be stored");
            }
            transactions.add(submissions);
            return submissions.stream().map(this::accept).toList();
        }

        private SubmissionResult accept(Submission one) {
            long number = sequence.incrementAndGet();
            Workload workload = new Workload(
                    one.id(),
                    number,
                    one.name(),
                    one.namespace(),
                    one.localQueue(),
                    null,
                    0,
                    one.podSets(),
                    Instant.EPOCH,
                    null,
                    null);
            return new SubmissionResult.Accepted(workload, number);
        }

        @Override
        public long enqueue(Command command, String caller) {
            return sequence.incrementAndGet();
        }

        @Override
        public Optional<CommandOutcome> outcome(long commandId) {
            return Optional.empty();
        }
    }
}
