package dev.sluice.persistence;

import static dev.sluice.persistence.StoreStory.submission;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.quota.Cohort;
import dev.sluice.quota.Quantity;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.ConfigurationChange;
import dev.sluice.scheduling.Deposed;
import dev.sluice.scheduling.LeadershipStore.Leadership;
import dev.sluice.scheduling.QueuedCommand;
import dev.sluice.scheduling.StoreUnavailable;
import dev.sluice.scheduling.Submission;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.testkit.PostgresForTests;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import io.agroal.api.AgroalDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several connections at once on one PostgreSQL. */
class StoreConcurrencyTest {
    private static final long PATIENCE_SECONDS = 60;

    private AgroalDataSource dataSource;
    private StoreUnderTest store;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeEach
    void begin() {
        dataSource = PostgresForTests.freshDatabase().open();
        store = StoreUnderTest.of(dataSource);
    }

    @AfterEach
    void end() {
        threads.shutdownNow();
        dataSource.close();
    }

    private <T> List<T> allAtOnce(List<Callable<T>> calls) throws InterruptedException, ExecutionException {
        CyclicBarrier barrier = new CyclicBarrier(calls.size());
        List<Future<T>> futures = new ArrayList<>();
        for (Callable<T> call : calls) {
            futures.add(threads.submit(() -> {
                barrier.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
                return call.call();
            }));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> future : futures) {
            results.add(future.get());
        }
        return results;
    }

    @Test
    void ten_submitters_lose_nothing_and_share_no_sequence() throws Exception {
        List<Callable<List<SubmissionResult>>> submitters = new ArrayList<>();
        for (int submitter = 0; submitter < 10; submitter++) {
            String prefix = "s" + submitter + "-";
            submitters.add(() -> {
                List<SubmissionResult> results = new ArrayList<>();
                for (int call = 0; call < 10; call++) {
                    List<Submission> group = new ArrayList<>();
                    for (int item = 0; item < 20; item++) {
                        group.add(submission(prefix + call + "-" + item));
                    }
                    results.addAll(store.intake().submit(group));
                }
                return results;
            });
        }

        Set<Long> sequences = new HashSet<>();
        Set<Long> commandIds = new HashSet<>();
        for (List<SubmissionResult> results : allAtOnce(submitters)) {
            for (SubmissionResult result : results) {
                SubmissionResult.Accepted accepted = (SubmissionResult.Accepted) result;
                sequences.add(accepted.workload().sequence());
                commandIds.add(accepted.commandId());
            }
        }

        assertThat(sequences).hasSize(2000);
        assertThat(store.scheduling().commands(Set.of(), 5000))
                .hasSize(2000)
                .extracting(QueuedCommand::id)
                .allMatch(commandIds::contains);
    }

    @Test
    void callers_that_want_the_same_names_in_opposite_order_do_not_wait_for_each_other() throws Exception {
        List<Callable<List<SubmissionResult>>> callers = new ArrayList<>();
        for (int caller = 0; caller < 8; caller++) {
            boolean reversed = caller % 2 == 0;
            callers.add(() -> {
                List<Submission> group = new ArrayList<>();
                for (int item = 0; item < 100; item++) {
                    int number = reversed ? 99 - item : item;
                    group.add(submission("n" + number, "k" + number, "same body"));
                }
                return store.intake().submit(group);
            });
        }

        long accepted = allAtOnce(callers).stream()
                .flatMap(List::stream)
                .filter(SubmissionResult.Accepted.class::isInstance)
                .count();

        assertThat(accepted).isEqualTo(100);
    }

    @Test
    void one_key_raced_by_many_connections_makes_one_workload() throws Exception {
        List<Callable<SubmissionResult>> racers = new ArrayList<>();
        for (int racer = 0; racer < 8; racer++) {
            String name = "race-" + racer;
            racers.add(() -> store.intake()
                    .submit(List.of(submission(name, "one-key", "body")))
                    .getFirst());
        }

        List<SubmissionResult> results = allAtOnce(racers);

        List<WorkloadId> made = results.stream()
                .filter(SubmissionResult.Accepted.class::isInstance)
                .map(result -> ((SubmissionResult.Accepted) result).workload().id())
                .toList();
        assertThat(made).hasSize(1);
        assertThat(results)
                .filteredOn(SubmissionResult.AlreadySubmitted.class::isInstance)
                .hasSize(7)
                .containsOnly(new SubmissionResult.AlreadySubmitted(made.getFirst()));
    }

    @Test
    void of_two_edits_that_together_make_a_cycle_the_second_sees_the_first() throws Exception {
        List<Callable<Boolean>> editors = List.of(() -> link("a", "b"), () -> link("b", "a"));

        assertThat(allAtOnce(editors)).containsExactlyInAnyOrder(true, false);
        assertThat(store.configuration().read().configuration().cohorts()).hasSize(1);
    }

    /** False = refused since the parent hangs below the child already. */
    private boolean link(String child, String parent) {
        try {
            store.configuration().edit("admin", stored -> {
                Cohort above = stored.configuration().cohorts().get(parent);
                if (above != null && child.equals(above.parent())) {
                    throw new IllegalArgumentException("cycle");
                }
                return List.of(new ConfigurationChange.PutCohort(new Cohort(child, parent, List.of(), Quantity.of(1))));
            });
            return true;
        } catch (IllegalArgumentException cycle) {
            return false;
        }
    }

    @Test
    void many_who_want_to_lead_make_one_leader() throws Exception {
        List<Callable<Optional<Leadership>>> candidates = new ArrayList<>();
        for (int candidate = 0; candidate < 8; candidate++) {
            String holder = "replica-" + candidate;
            candidates.add(() -> store.leadership().acquire(holder, Duration.ofSeconds(30)));
        }

        assertThat(allAtOnce(candidates)).filteredOn(Optional::isPresent).hasSize(1);
    }

    @Test
    void while_two_take_the_lead_from_each_other_every_commit_belongs_to_who_led() throws Exception {
        Workload workload = new StoreStory(store, "setup").queued("train");
        store.leadership().resign(store.leadership().current().orElseThrow());
        CountDownLatch done = new CountDownLatch(60);
        Callable<Integer> replica = () -> {
            String holder = Thread.currentThread().getName();
            int written = 0;
            while (done.getCount() > 0) {
                Optional<Leadership> lead = store.leadership().acquire(holder, Duration.ofMillis(40));
                if (lead.isPresent()) {
                    written += leadUntilDeposed(lead.get(), workload, done);
                }
            }
            return written;
        };

        int written = allAtOnce(List.of(replica, replica)).stream()
                .mapToInt(Integer::intValue)
                .sum();

        long batches = store.scheduling().load().batchNumber() - 1;
        assertThat(batches).as("batches in the log").isEqualTo(written).isGreaterThanOrEqualTo(60);
        assertThat(store.log().end()).isEqualTo(1 + written);
    }

    /** Commits without ever renewing for longer, until it hears that another leads. */
    private int leadUntilDeposed(Leadership lead, Workload workload, CountDownLatch done) {
        int written = 0;
        long batch = store.scheduling().load().batchNumber();
        long position = store.log().end();
        while (done.getCount() > 0) {
            try {
                Batch next = new Batch(
                        ++batch,
                        store.scheduling().now(),
                        0,
                        List.of(new Batch.Entry.Input(
                                ++position, new dev.sluice.admission.EngineEvent.PodsReady(workload.id()))),
                        List.of(),
                        List.of(),
                        List.of());
                store.scheduling().commit(lead, next, Duration.ofMillis(2));
                written++;
                done.countDown();
            } catch (Deposed deposed) {
                return written;
            }
        }
        return written;
    }

    @Test
    void a_leader_that_waits_for_a_row_held_elsewhere_hears_that_the_database_is_not_available() throws SQLException {
        StoreStory leader = new StoreStory(store, "leader");
        Workload workload = leader.queued("train");
        try (Connection other = dataSource.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("set idle_in_transaction_session_timeout = 0");
            statement.execute("select from workload for update");

            assertThatThrownBy(() -> leader.admit(workload, 1).commit()).isInstanceOf(StoreUnavailable.class);
            other.rollback();
        }
        leader.commit();
    }
}
