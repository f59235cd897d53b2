package dev.sluice.naive;

import static dev.sluice.testkit.ClusterBuilder.aCluster;
import static dev.sluice.testkit.WorkloadBuilder.aWorkload;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Decision;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.FairSharing;
import dev.sluice.admission.FairSharing.Strategy;
import dev.sluice.quota.Configuration;
import dev.sluice.simulation.RandomWorld;
import dev.sluice.testkit.QueueBuilder;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One cohort of alike queues in which far more waits than there is room for, and what happens in it: mostly one end, or one arrival, at a
 * time, so that the same circumstances come again and again.
 */
final class CrowdedCohort {
    private static final int WAITING_MOST = 60;
    private static final int STEPS = 70;
    private static final String MEMORY = "memory";
    private static final List<FairSharing> SHARING = List.of(
            FairSharing.ON,
            FairSharing.ON,
            new FairSharing(List.of(Strategy.LESS_THAN_INITIAL_SHARE)),
            new FairSharing(List.of(Strategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE)),
            FairSharing.OFF);

    /** Whoever decides what is to be done about what happened. */
    interface Decider {
        List<Decision> decide(List<EngineEvent> events, Instant now);
    }

    private final Random random;
    private final AdmissionSettings settings;
    private final int queues;
    private final int quota;
    private final boolean withMemory;
    private final int priorities;
    private final List<WorkloadId> waiting = new ArrayList<>();
    private final List<WorkloadId> running = new ArrayList<>();
    private final List<WorkloadId> leaving = new ArrayList<>();
    private Instant now = Instant.EPOCH;
    private long sequence;

    CrowdedCohort(long seed) {
        random = RandomWorld.chanceOf(seed);
        settings = NaiveEngine.known(AdmissionSettings.defaults()).with(any(SHARING));
        queues = 3 + random.nextInt(5);
        quota = 2 + random.nextInt(5);
        withMemory = random.nextInt(3) == 0;
        priorities = 1 + random.nextInt(3);
    }

    AdmissionSettings settings() {
        return settings;
    }

    private <T> T any(List<T> choice) {
        return choice.get(random.nextInt(choice.size()));
    }

    void live(Decider decider) {
        step(decider, List.of(new EngineEvent.ConfigurationReplaced(configuration())));
        for (int step = 0; step < STEPS; step++) {
            List<EngineEvent> events = new ArrayList<>();
            // several at once are seldom, or what was known of a queue is outdated before it is asked for
            int count = random.nextInt(8) == 0 ? 3 : 1;
            for (int number = 0; number < count; number++) {
                events.add(event());
            }
            step(decider, events);
        }
    }

    private Configuration configuration() {
        int within = random.nextInt(4);
        int reclaim = random.nextInt(3);
        boolean limited = random.nextInt(4) == 0;
        return aCluster()
                .cohort("all", all -> {
                    for (int number = 0; number < queues; number++) {
                        all.queue("q" + number, queue -> shape(queue, within, reclaim, limited));
                    }
                })
                .build();
    }

    private void shape(QueueBuilder queue, int within, int reclaim, boolean limited) {
        queue.gpus(quota);
        if (limited) {
            queue.borrowAtMost(1 + random.nextInt(4));
        }
        if (withMemory) {
            queue.quota(MEMORY, String.valueOf(quota * 2));
        }
        if (within == 1) {
            queue.preemptsLowerOrNewer();
        } else if (within > 1) {
            queue.preemptsLower();
        }
        if (reclaim == 1) {
            queue.reclaimsLower();
        } else if (reclaim == 2) {
            queue.reclaimsAny();
        }
        queue.weighs(any(List.of("1", "1", "1", "2", "0.5")));
    }

    private EngineEvent event() {
        int die = random.nextInt(100);
        if (!leaving.isEmpty() && die < 50) {
            return new EngineEvent.PodsGone(any(leaving));
        }
        if (waiting.size() < 12 || (die < 85 && die >= 50 && waiting.size() < WAITING_MOST)) {
            return submission();
        }
        if (die < 88 && !running.isEmpty()) {
            return new EngineEvent.WorkloadFinished(any(running), true);
        }
        WorkloadId one = any(waiting);
        int priority = random.nextInt(priorities);
        return die < 94 ? new EngineEvent.CancelRequested(one) : new EngineEvent.PriorityChanged(one, null, priority);
    }

    private EngineEvent submission() {
        sequence++;
        var workload = aWorkload("w" + sequence)
                .in("q" + random.nextInt(queues))
                .gpus(1L + random.nextInt(quota + 1))
                .priority(random.nextInt(priorities))
                .sequence(sequence)
                .createdAt(now);
        if (withMemory) {
            workload.asks(MEMORY, String.valueOf(1 + random.nextInt(quota)));
        }
        Workload built = workload.build();
        waiting.add(built.id());
        return new EngineEvent.WorkloadQueued(built, now);
    }

    private void step(Decider decider, List<EngineEvent> events) {
        now = now.plusSeconds(1);
        decider.decide(events, now).forEach(this::follow);
    }

    private void follow(Decision decision) {
        switch (decision) {
            case Decision.Admit admit -> move(admit.workload(), running);
            case Decision.Preempt preempt -> preempt.victims().forEach(victim -> move(victim.workload(), leaving));
            case Decision.Become become -> {
                move(become.workload(), waiting);
                if (become.state().isFinal()) {
                    waiting.remove(become.workload());
                } else if (!become.state().waits()) {
                    move(become.workload(), leaving);
                }
            }
            case Decision.DropEarmark drop -> {
                // it waits on
            }
            case Decision.Evict evict -> throw unexpected(evict);
            case Decision.ScheduleStop stop -> throw unexpected(stop);
            case Decision.Stuck stuck -> throw unexpected(stuck);
            case Decision.Reserve reserve -> throw unexpected(reserve);
            case Decision.Unreserve unreserve -> throw unexpected(unreserve);
            case Decision.ChangeChecks change -> throw unexpected(change);
        }
    }

    private void move(WorkloadId one, List<WorkloadId> to) {
        waiting.remove(one);
        running.remove(one);
        leaving.remove(one);
        to.add(one);
    }

    private static IllegalStateException unexpected(Decision decision) {
        return new IllegalStateException("nothing here leads to " + decision);
    }
}
