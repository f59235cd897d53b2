package dev.sluice.fleet;

import dev.sluice.fleet.FleetEffect.Kind;
import dev.sluice.fleet.FleetTimers.Step;
import dev.sluice.fleet.FleetTimers.Timer;
import dev.sluice.scheduling.Cluster.ObservedJob;
import dev.sluice.scheduling.Cluster.Phase;
import dev.sluice.scheduling.Observation;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a fleet and the rules by which they move. Not thread-safe: the fleet calls it under its lock.
 *
 * <p>A job's fence is one number, as an annotation would be. An observation carries the fence that the job has when it is made,
 * and raising the fence of a job that runs or has ended tells its state again under the new one: a leader that fenced off its
 * predecessor need not know whether the predecessor's release came through.
 */
final class FleetJobs {
    private final FleetSettings settings;
    private final FleetScript script;
    private final FleetClock clock;
    private final Consumer<Observation> observed;
    private final FleetAudit audit;
    private final NodePool nodes;
    private final FleetTimers timers = new FleetTimers();
    private final Map<WorkloadId, FleetJob> jobs = new LinkedHashMap<>();
    private final Set<FleetJob> unplaced = new LinkedHashSet<>();
    private long created;

    FleetJobs(FleetSettings settings, FleetScript script, FleetClock clock, Consumer<Observation> observed) {
        this.settings = settings;
        this.script = script;
        this.clock = clock;
        this.observed = observed;
        this.audit = new FleetAudit(settings.audited(), clock);
        this.nodes = new NodePool(settings.nodes());
    }

    void create(Workload workload, long fence) {
        FleetJob known = jobs.get(workload.id());
        if (known != null && known.exists()) {
            return;
        }
        String refusal = script.of(workload).refusal();
        FleetJob job = known == null ? new FleetJob(workload.id(), fence) : known;
        job.fence = Math.max(job.fence, fence);
        if (refusal != null) {
            audit.record(Kind.REFUSED, job);
            observed.accept(new Observation.Refused(workload.id(), refusal));
            return;
        }
        created++;
        timers.cancel(job);
        job.workload = workload;
        job.uid = workload.id() + "-" + created;
        job.done = new int[workload.podSets().size()];
        jobs.put(job.id, job);
        audit.record(Kind.CREATED, job);
        observed.accept(new Observation.Created(job.id, job.uid));
    }

    void release(WorkloadId id, Assignment assignment, long fence) {
        FleetJob job = jobs.get(id);
        if (job == null || !job.exists() || job.fence != fence || job.phase != Phase.SUSPENDED) {
            audit.record(Kind.RELEASE_IGNORED, job == null ? new FleetJob(id, fence) : job, fence, null);
            return;
        }
        String rejection = script.of(job.workload()).startRejection();
        if (rejection != null) {
            audit.record(Kind.RELEASE_REJECTED, job, fence, null);
            observed.accept(new Observation.StartRejected(id, fence, rejection));
            return;
        }
        job.assignment = assignment;
        job.releasedFence = fence;
        job.doneBefore = job.done.clone();
        audit.record(Kind.RELEASED, job, fence, assignment);
        startPods(job);
    }

    private void startPods(FleetJob job) {
        job.phase = Phase.STARTING;
        job.unplaced = IntStream.range(0, job.done.length).map(job::active).toArray();
        unplaced.add(job);
        place(job);
    }

    private void place(FleetJob job) {
        nodes.place(job);
        if (job.isPlaced()) {
            unplaced.remove(job);
            after(job, or(script.of(job.workload()).startDelay(), settings.startDelay()), Step.BECOME_READY);
        }
    }

    private void placeWaiting() {
        if (!unplaced.isEmpty()) {
            // placing one may end another at once, which frees devices and comes back here
            for (FleetJob job : List.copyOf(unplaced)) {
                if (unplaced.contains(job)) {
                    place(job);
                }
            }
        }
    }

    void stop(WorkloadId id, long fence) {
        FleetJob job = jobs.computeIfAbsent(id, absent -> fenceWithoutJob(absent, fence));
        if (fence < job.fence || (job.hasLivePods() && fence <= job.releasedFence)) {
            audit.record(Kind.STOP_IGNORED, job, fence, null);
            return;
        }
        job.fence = fence;
        switch (job.phase) {
            case SUSPENDED -> observed.accept(new Observation.Gone(id, fence));
            case STARTING, RUNNING -> endPods(job);
            case STOPPING -> {
                // what is on its way ends under the new fence
            }
            case SUCCEEDED, FAILED -> {
                tellAgain(job);
                observed.accept(new Observation.Gone(id, fence));
            }
        }
    }

    private void endPods(FleetJob job) {
        audit.record(Kind.STOPPED, job);
        unplaced.remove(job);
        job.phase = Phase.STOPPING;
        timers.cancel(job);
        PodBehavior behavior = script.of(job.workload());
        if (!behavior.stuck()) {
            after(job, or(behavior.terminationDelay(), settings.terminationDelay()), Step.BE_GONE);
        }
    }

    void advanceFence(WorkloadId id, long fence) {
        FleetJob job = jobs.computeIfAbsent(id, absent -> fenceWithoutJob(absent, fence));
        if (job.fence < fence) {
            job.fence = fence;
            tellAgain(job);
        }
    }

    /** Of a job that a release did not find, or found under another fence, no pod is ready. */
    void lookAtStart(WorkloadId id, long fence) {
        FleetJob job = jobs.get(id);
        if (job == null || job.fence < fence) {
            observed.accept(new Observation.Unready(id, fence));
        } else if (job.fence == fence) {
            switch (job.phase) {
                case RUNNING, SUCCEEDED, FAILED -> tellAgain(job);
                case SUSPENDED, STARTING -> observed.accept(new Observation.Unready(id, fence));
                case STOPPING -> {
                    // Only a stop that is not committed yet, or a newer leader's, could have come before.
                }
            }
        }
    }

    /** Kept for a while, so that a creation that comes late does not come with a fence that was passed already. */
    private FleetJob fenceWithoutJob(WorkloadId id, long fence) {
        FleetJob job = new FleetJob(id, fence);
        timers.set(job, clock.nanos() + settings.retention().toNanos(), Step.FORGET);
        return job;
    }

    private void tellAgain(FleetJob job) {
        switch (job.phase) {
            case RUNNING -> {
                observed.accept(new Observation.Ready(job.id, job.fence));
                tellDone(job);
            }
            case SUCCEEDED, FAILED ->
                observed.accept(new Observation.Finished(job.id, job.fence, job.phase == Phase.SUCCEEDED, job.message));
            case SUSPENDED, STARTING, STOPPING -> {
                // what comes next tells the fence
            }
        }
    }

    private void tellDone(FleetJob job) {
        job.toldDone |= !job.reclaimable().isEmpty();
        if (job.toldDone) {
            observed.accept(new Observation.Reclaimable(job.id, job.fence, job.reclaimable()));
        }
    }

    void succeedPods(WorkloadId id, String podSet, int count) {
        FleetJob job = jobs.get(id);
        if (job == null || job.phase != Phase.RUNNING) {
            return;
        }
        List<String> names = job.workload().podSets().stream().map(PodSet::name).toList();
        int index = names.indexOf(podSet);
        if (index < 0) {
            throw new IllegalArgumentException("workload " + id + " has no pod set " + podSet + " but " + names);
        }
        int succeeding = Math.min(count, job.active(index));
        job.done[index] += succeeding;
        if (job.isDone()) {
            end(job, true, "");
        } else {
            nodes.release(job, index, succeeding);
            tellDone(job);
            placeWaiting();
        }
    }

    void checkpoint(WorkloadId id) {
        FleetJob job = jobs.get(id);
        if (job != null && job.phase == Phase.RUNNING) {
            observed.accept(new Observation.Checkpointed(id, job.fence, null));
        }
    }

    void restart(WorkloadId id) {
        FleetJob job = jobs.get(id);
        if (job != null && (job.phase == Phase.RUNNING || job.phase == Phase.STARTING)) {
            timers.cancel(job);
            nodes.release(job);
            job.done = new int[job.done.length];
            tellDone(job);
            startPods(job);
        }
    }

    void finish(WorkloadId id, boolean succeeded, String message) {
        FleetJob job = jobs.get(id);
        if (job != null && job.phase == Phase.RUNNING) {
            end(job, succeeded, message);
        }
    }

    void releaseStuck(WorkloadId id) {
        FleetJob job = jobs.get(id);
        if (job != null && job.phase == Phase.STOPPING) {
            beGone(job);
        }
    }

    void putNode(FleetNode node) {
        if (nodes.isUnlimited()) {
            throw new IllegalStateException("a fleet without limit of capacity has no nodes");
        }
        nodes.put(node);
        observed.accept(new Observation.Capacity(capacity()));
        placeWaiting();
    }

    void loseNode(String name) {
        if (nodes.remove(name) == null) {
            throw new IllegalArgumentException("the fleet has no node " + name);
        }
        observed.accept(new Observation.Capacity(capacity()));
        jobs.values().stream()
                .filter(job ->
                        job.placed.stream().anyMatch(placed -> placed.node().equals(name)))
                .toList()
                .forEach(job -> losePods(job, name));
        placeWaiting();
    }

    private void losePods(FleetJob job, String node) {
        if (job.phase == Phase.STOPPING) {
            job.placed.removeIf(placed -> placed.node().equals(node));
            if (job.placed.isEmpty()) {
                beGone(job);
            }
        } else if (script.of(job.workload()).failsOnNodeLoss()) {
            end(job, false, "node " + node + " was lost");
        } else if (job.assignment != null) {
            timers.cancel(job);
            nodes.release(job);
            startPods(job);
        }
    }

    void runDue() {
        for (Timer due = timers.poll(clock.nanos()); due != null; due = timers.poll(clock.nanos())) {
            run(due.job(), due.step());
        }
    }

    private void run(FleetJob job, Step step) {
        switch (step) {
            case BECOME_READY -> becomeReady(job);
            case END -> {
                String failure = script.of(job.workload()).failure();
                end(job, failure == null, failure == null ? "" : failure);
            }
            case BE_GONE -> beGone(job);
            case FORGET -> jobs.remove(job.id);
        }
    }

    private void becomeReady(FleetJob job) {
        job.phase = Phase.RUNNING;
        audit.record(Kind.READY, job);
        observed.accept(new Observation.Ready(job.id, job.fence));
        tellDone(job);
        Duration scripted = script.of(job.workload()).runTime();
        Duration said = scripted != null ? scripted : job.workload().expectedDuration();
        Duration runTime = said != null ? said : settings.runTimeDefault();
        if (runTime != null) {
            after(job, runTime, Step.END);
        }
    }

    private void end(FleetJob job, boolean succeeded, String message) {
        timers.cancel(job);
        unplaced.remove(job);
        job.phase = succeeded ? Phase.SUCCEEDED : Phase.FAILED;
        job.message = message;
        audit.record(succeeded ? Kind.SUCCEEDED : Kind.FAILED, job);
        observed.accept(new Observation.Finished(job.id, job.fence, succeeded, message));
        timers.set(job, clock.nanos() + settings.retention().toNanos(), Step.FORGET);
        freePods(job);
    }

    private void beGone(FleetJob job) {
        timers.cancel(job);
        job.phase = Phase.SUSPENDED;
        audit.record(Kind.GONE, job);
        tellDone(job);
        observed.accept(new Observation.Gone(job.id, job.fence));
        freePods(job);
    }

    private void freePods(FleetJob job) {
        if (!job.placed.isEmpty()) {
            nodes.release(job);
            placeWaiting();
        }
    }

    private void after(FleetJob job, Duration delay, Step step) {
        if (delay.isZero()) {
            run(job, step);
        } else {
            timers.set(job, clock.nanos() + (long) (delay.toNanos() / settings.speed()), step);
        }
    }

    private static Duration or(@Nullable Duration first, Duration second) {
        return first != null ? first : second;
    }

    List<ObservedJob> observed() {
        return jobs.values().stream()
                .filter(FleetJob::exists)
                .map(FleetJob::observed)
                .toList();
    }

    UsableCapacity capacity() {
        return nodes.capacity();
    }

    List<FleetEffect> effects() {
        return audit.effects();
    }

    long free(String resource) {
        return nodes.free(resource);
    }

    long nextNanos() {
        return timers.nextNanos();
    }
}
