package dev.sluice.bench;

import dev.sluice.admission.AdmissionSettings;
import dev.sluice.admission.Decision;
import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.quota.Configuration;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** An engine in a world of its own: whoever is told to leave is gone at once, and what it decided is followed. */
final class EngineRun {
    private final Engine engine;
    /** In the order of their admission; those that were evicted since are still in it. */
    private final Deque<WorkloadId> admitted = new ArrayDeque<>();

    private final Set<WorkloadId> running = new HashSet<>();
    private Instant now = Instant.EPOCH;
    private long decisions;
    private long evictions;

    EngineRun(AdmissionSettings settings, Configuration configuration) {
        engine = new Engine(settings);
        decide(new EngineEvent.ConfigurationReplaced(configuration));
    }

    Engine engine() {
        return engine;
    }

    Instant now() {
        return now;
    }

    long decisions() {
        return decisions;
    }

    long evictions() {
        return evictions;
    }

    int runningNow() {
        return running.size();
    }

    /** Without deciding anything yet. */
    void queue(Workload workload) {
        engine.apply(new EngineEvent.WorkloadQueued(workload, workload.createdAt()), now);
    }

    /** Nothing happens for so long. */
    void pass(Duration time) {
        now = now.plus(time);
    }

    /** A millisecond later; returns how long the engine took until nothing more followed, in nanoseconds. */
    long decide(EngineEvent... events) {
        now = now.plusMillis(1);
        long start = System.nanoTime();
        for (EngineEvent event : events) {
            engine.apply(event, now);
        }
        List<Decision> decided = engine.decide(now);
        while (!decided.isEmpty()) {
            decisions += decided.size();
            boolean goesOn = false;
            for (Decision decision : decided) {
                goesOn |= follow(decision);
            }
            decided = goesOn ? engine.decide(now) : List.of();
        }
        return System.nanoTime() - start;
    }

    private boolean follow(Decision decision) {
        return switch (decision) {
            case Decision.Admit admit -> {
                admitted.add(admit.workload());
                running.add(admit.workload());
                yield false;
            }
            case Decision.Preempt preempt -> {
                preempt.victims().forEach(victim -> {
                    evictions++;
                    running.remove(victim.workload());
                    engine.apply(new EngineEvent.PodsGone(victim.workload()), now);
                });
                yield !preempt.victims().isEmpty();
            }
            case Decision.Become become -> {
                running.remove(become.workload());
                yield false;
            }
            case Decision.DropEarmark drop -> false;
            case Decision.Evict evict -> throw unexpected(evict);
            case Decision.Reserve reserve -> throw unexpected(reserve);
            case Decision.Unreserve unreserve -> throw unexpected(unreserve);
            case Decision.ChangeChecks change -> throw unexpected(change);
            case Decision.ScheduleStop stop -> throw unexpected(stop);
            case Decision.Stuck stuck -> throw unexpected(stuck);
        };
    }

    private static IllegalStateException unexpected(Decision decision) {
        return new IllegalStateException("nothing here leads to " + decision);
    }

    /** The one that runs longest; it is to be ended by the caller. */
    WorkloadId oldest() {
        WorkloadId oldest = admitted.remove();
        while (!running.contains(oldest)) {
            oldest = admitted.remove();
        }
        return oldest;
    }
}
