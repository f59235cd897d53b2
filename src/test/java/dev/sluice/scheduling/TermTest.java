package dev.sluice.scheduling;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.fleet.SimulatedFleet;
import dev.sluice.scheduling.LeadershipStore.Leadership;
import dev.sluice.testkit.InMemoryStore;
import dev.sluice.testkit.LocalService;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How a term goes round, seen from its mailbox. */
class TermTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final int SUBMISSIONS = 400;
    private static final int INPUTS_MAX = 4;

    private final InMemoryStore store = new InMemoryStore(InstantSource.system());
    private final BlockingQueue<Message> mailbox = new LinkedBlockingQueue<>();
    private final Semaphore commits = new Semaphore(0);
    private final AtomicInteger rounds = new AtomicInteger();

    /** The news of a commit stands behind what was offered meanwhile; taken one offer a round, it would be reached late. */
    @Test
    void while_a_batch_is_full_and_another_commits_the_mailbox_is_emptied_at_once() throws InterruptedException {
        Leadership leadership = store.acquire("me", LONG).orElseThrow();
        store.edit(
                "tester",
                stored -> LocalService.putting(
                        aCluster().queue("research", queue -> queue.gpus(4)).build()));
        submissions().forEach(command -> mailbox.add(new Message.Offered(command)));
        try (SimulatedFleet fleet = LocalService.aFleet();
                Committer committer = new Committer(
                        store,
                        leadership,
                        LONG,
                        fleet,
                        List.of(batch -> commits.acquireUninterruptibly()),
                        mailbox::add)) {
            committer.start();
            Thread leader = Thread.ofPlatform().start(() -> lead(fleet, leadership, committer));

            await().until(mailbox::isEmpty);
            await().until(() -> rounds.get() >= 3);
            assertThat(rounds.get()).isLessThan(10);

            commits.release(SUBMISSIONS);
            await().until(() -> store.commands(Set.of(), 1).isEmpty());
            mailbox.add(new Message.Stop());
            leader.join();
        }
    }

    private void lead(SimulatedFleet fleet, Leadership leadership, Committer committer) {
        SchedulingSettings settings = new SchedulingSettings(LONG, LONG, INPUTS_MAX, 256, LONG);
        Term term = new Term(
                store,
                fleet,
                leadership,
                AdmissionSettings.defaults(),
                settings,
                mailbox,
                committer,
                new Roster(),
                System::nanoTime);
        try {
            term.run(rounds::incrementAndGet);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private List<QueuedCommand> submissions() {
        List<Submission> submissions = new ArrayList<>();
        for (int index = 0; index < SUBMISSIONS; index++) {
            Workload workload = aWorkload("w" + index).in("research").gpus(4).build();
            submissions.add(new Submission(
                    new WorkloadId("w" + index),
                    workload.name(),
                    workload.namespace(),
                    workload.localQueue(),
                    null,
                    0,
                    workload.podSets(),
                    null,
                    null,
                    null,
                    "tester",
                    null,
                    "hash"));
        }
        store.submit(submissions);
        return store.commands(Set.of(), SUBMISSIONS);
    }
}
