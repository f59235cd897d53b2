package dev.sluice.fleet;

import dev.sluice.scheduling.Cluster;
import dev.sluice.scheduling.ClusterUnavailable;
import dev.sluice.scheduling.Observation;
import dev.sluice.scheduling.Placement;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.SortedMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The simulated cluster in one process. Thread-safe: calls take hold under one lock, before they return unless the fleet is
 * scripted to be away or slow; observations are delivered by the clock's thread alone, outside the lock, in the order in which
 * they came about.
 */
public final class SimulatedFleet implements Cluster, AutoCloseable {
    private final Object lock = new Object();
    private final FleetClock clock;
    private final FleetScript script = new FleetScript();
    private final FleetJobs jobs;
    private final Queue<Call> calls = new ArrayDeque<>();
    private List<Observation> outgoing = new ArrayList<>();
    private @Nullable Consumer<Observation> observer;
    private boolean away;
    private long answerNanos;

    public SimulatedFleet(FleetSettings settings, FleetClock clock) {
        this.clock = clock;
        this.jobs = new FleetJobs(settings, script, clock, observation -> outgoing.add(observation));
        clock.start(this::turn);
    }

    /** A fleet on the system's clock. */
    public static SimulatedFleet started(FleetSettings settings) {
        return new SimulatedFleet(settings, new SystemFleetClock());
    }

    @Override
    public void create(Workload workload, @Nullable String manifest, long fence) {
        call(() -> jobs.create(workload, fence));
    }

    @Override
    public void release(Workload workload, Assignment assignment, Placement placement, long fence) {
        release(workload.id(), assignment, fence);
    }

    void release(WorkloadId workload, Assignment assignment, long fence) {
        call(() -> jobs.release(workload, assignment, fence));
    }

    @Override
    public void stop(WorkloadId workload, long fence) {
        call(() -> jobs.stop(workload, fence));
    }

    @Override
    public void advanceFence(WorkloadId workload, long fence) {
        call(() -> jobs.advanceFence(workload, fence));
    }

    @Override
    public void lookAtStart(WorkloadId workload, long fence) {
        call(() -> jobs.lookAtStart(workload, fence));
    }

    /** Nothing happens to a job here but what the port is told and the script says. */
    @Override
    public void expect(List<Expected> all) {}

    @Override
    public List<ObservedJob> jobs() {
        synchronized (lock) {
            requireReachable();
            return jobs.observed();
        }
    }

    @Override
    public UsableCapacity capacity() {
        synchronized (lock) {
            requireReachable();
            return jobs.capacity();
        }
    }

    /** Pods here belong to no namespace that could carry labels. */
    @Override
    public SortedMap<String, SortedMap<String, String>> namespaces() {
        return Collections.emptySortedMap();
    }

    @Override
    public void observe(Consumer<Observation> observer) {
        synchronized (lock) {
            this.observer = observer;
        }
    }

    /** How single workloads behave; may be changed at any time. */
    public FleetScript script() {
        return script;
    }

    /** While away, calls wait and nothing is observed; pods go on. Coming back, all that waited takes hold in order. */
    public void setAway(boolean away) {
        synchronized (lock) {
            this.away = away;
        }
        clock.wake();
    }

    /** Every call from now on takes hold only after this time; zero = at once. Not divided by the speed. */
    public void setAnswerDelay(Duration delay) {
        synchronized (lock) {
            answerNanos = delay.toNanos();
        }
    }

    /** The node's pods are lost with it. They start anew elsewhere, or their jobs fail, as their behavior says. */
    public void loseNode(String name) {
        change(() -> jobs.loseNode(name));
    }

    /** Adds a node or changes one; taints of a changed node do not touch the pods that are there. */
    public void putNode(FleetNode node) {
        change(() -> jobs.putNode(node));
    }

    /**
     * Lets pods of a running job succeed, as many as run at most; the job ends when its last pod does.
     *
     * @throws IllegalArgumentException if the workload has no such pod set
     */
    public void succeedPods(WorkloadId workload, String podSet, int count) {
        change(() -> jobs.succeedPods(workload, podSet, count));
    }

    /** A running job saves its work. */
    public void checkpoint(WorkloadId workload) {
        change(() -> jobs.checkpoint(workload));
    }

    /** All pods of a running job start anew, those that had succeeded too. */
    public void restart(WorkloadId workload) {
        change(() -> jobs.restart(workload));
    }

    /** Ends a running job now. Nothing happens if it does not run. */
    public void finish(WorkloadId workload, boolean succeeded, String message) {
        change(() -> jobs.finish(workload, succeeded, message));
    }

    /** Lets the pods go of a workload that was stopped and got stuck. */
    public void releaseStuck(WorkloadId workload) {
        change(() -> jobs.releaseStuck(workload));
    }

    /** What took hold so far, if the settings say that it is kept. */
    public List<FleetEffect> effects() {
        synchronized (lock) {
            return jobs.effects();
        }
    }

    /** Amount of a resource that no pod holds. */
    public long free(String resource) {
        synchronized (lock) {
            return jobs.free(resource);
        }
    }

    private void requireReachable() {
        if (away) {
            throw new ClusterUnavailable("the simulated fleet is away", null);
        }
    }

    private void call(Runnable effect) {
        synchronized (lock) {
            if (away || answerNanos > 0 || !calls.isEmpty()) {
                calls.add(new Call(clock.nanos() + answerNanos, effect));
            } else {
                effect.run();
            }
        }
        clock.wake();
    }

    private void change(Runnable change) {
        synchronized (lock) {
            change.run();
        }
        clock.wake();
    }

    private long turn() {
        List<Observation> delivered = List.of();
        Consumer<Observation> receiver;
        long next;
        synchronized (lock) {
            jobs.runDue();
            runCalls();
            receiver = observer;
            if (!away && !outgoing.isEmpty()) {
                delivered = outgoing;
                outgoing = new ArrayList<>();
            }
            next = Math.min(jobs.nextNanos(), away || calls.isEmpty() ? Long.MAX_VALUE : calls.element().dueNanos);
        }
        if (receiver != null) {
            delivered.forEach(receiver);
        }
        return delivered.isEmpty() ? next : Math.min(next, clock.nanos());
    }

    private void runCalls() {
        long now = clock.nanos();
        while (!away && !calls.isEmpty() && calls.element().dueNanos <= now) {
            calls.remove().effect.run();
        }
    }

    @Override
    public void close() {
        clock.close();
    }

    private record Call(long dueNanos, Runnable effect) {}
}
