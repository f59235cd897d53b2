package dev.sluice.kubernetes;

import dev.sluice.kubernetes.JobWriter.Outcome;
import dev.sluice.kubernetes.WantedJob.Run;
import dev.sluice.scheduling.Observation;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Makes each Job follow what is wanted of it. A look at one key reads what is wanted and what is seen, tells what is new, and makes at
 * most one call; the answer, or the event that follows, brings the key back until nothing is left to do. Whatever the event was, the
 * whole is compared anew.
 *
 * <p>What is wanted may be changed by any thread. Everything else about a key belongs to the one thread that looks at it.
 */
final class JobReconciler implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger(JobReconciler.class.getName());
    private static final Duration NEXT_COUNT = Duration.ofMillis(500);
    /** A Job that is gone acknowledges nothing: what its controller had under way when it went may still come. */
    private static final int EMPTY_COUNTS = 2;

    private final JobWatch watch;
    private final JobWriter writer;
    private final Patience patience;
    private final KeyQueue<WorkloadId> queue;
    private final Backoff<WorkloadId> backoff = new Backoff<>();
    private final Map<WorkloadId, WantedJob> wanted = new ConcurrentHashMap<>();
    private final Map<WorkloadId, Memory> memories = new ConcurrentHashMap<>();
    private volatile @Nullable Consumer<Observation> observer;
    private volatile boolean expecting;
    /** One failure after a success is worth a line; the thousand that follow while the API server is away are not. */
    private volatile boolean troubled;

    /** What one look leaves for the next. */
    private static final class Memory {
        /** The order that all below is about. */
        @Nullable WantedJob order;

        final Map<Class<?>, Observation> told = new HashMap<>();

        @Nullable StopProof proof;

        int emptyCounts;
    }

    JobReconciler(JobWatch watch, JobWriter writer, Patience patience, int workers) {
        this.watch = watch;
        this.writer = writer;
        this.patience = patience;
        this.queue = new KeyQueue<>("sluice-jobs", workers, this::look);
        watch.listen(this::changed);
    }

    void start() {
        queue.start();
    }

    void observe(Consumer<Observation> newObserver) {
        observer = newObserver;
    }

    /** Forgets all that was wanted before. */
    void expect(List<WantedJob> all) {
        wanted.clear();
        memories.clear();
        all.forEach(one -> wanted.put(one.id(), one));
        expecting = true;
        all.forEach(one -> queue.add(one.id()));
    }

    /** @param change of what is wanted now, or of {@code otherwise} if nothing is; an unchanged order is no order */
    void want(WantedJob otherwise, UnaryOperator<WantedJob> change) {
        wanted.compute(otherwise.id(), (id, now) -> change.apply(now == null ? otherwise : now));
        queue.add(otherwise.id());
    }

    /** Of one that nothing is wanted of, nothing is known here either. */
    void retire(WorkloadId id) {
        wanted.computeIfPresent(id, (same, now) -> now.retired() ? now : now.retiring());
        queue.add(id);
    }

    /** The key of a Job is the workload that it is of; of one that nobody wants, its uid. */
    private void changed(JobSnapshot job) {
        if (job.workload() != null) {
            queue.add(new WorkloadId(job.workload()));
        }
        queue.add(new WorkloadId(job.uid()));
    }

    boolean isWanted(WorkloadId id) {
        return wanted.containsKey(id);
    }

    private void look(WorkloadId key) {
        WantedJob order = wanted.get(key);
        JobSnapshot job = order == null ? watch.byUid(key.value()) : watch.of(order);
        if (order == null) {
            if (job == null) {
                memories.remove(key);
                return;
            }
            if (!runsUnasked(job)) {
                return;
            }
            order = WantedJob.unknown(key, job.fenceOrFirst(), Run.HELD);
        }
        Memory memory = memories.computeIfAbsent(key, id -> new Memory());
        if (!order.equals(memory.order)) {
            memory.order = order;
            memory.told.clear();
        }
        if (job == null && order.uid() != null && !watch.isGone(order.uid())) {
            lookForIt(key, order, order.uid());
            return;
        }
        if (job != null && order.uid() == null && isWanted(key)) {
            String uid = job.uid();
            wanted.computeIfPresent(key, (id, now) -> now.withUid(uid));
        }
        Proof proof = proof(job, memory);
        boolean allTold = tell(JobNews.of(order, job, proof), memory);
        act(key, order, job, JobPlan.of(order, job, proof), memory);
        if (allTold && isOver(order, job, proof)) {
            wanted.remove(key, order);
            memories.remove(key);
        }
    }

    /** Labelled, running, and neither released by any leader nor known: nobody admitted it. */
    private boolean runsUnasked(JobSnapshot job) {
        return expecting
                && job.queued()
                && !job.suspended()
                && !job.deleting()
                && job.status().end() == null
                && job.mark() == null
                && !isOfWanted(job);
    }

    private boolean isOfWanted(JobSnapshot job) {
        WantedJob order = job.workload() == null ? null : wanted.get(new WorkloadId(job.workload()));
        return order != null && job.equals(watch.of(order));
    }

    private static Proof proof(@Nullable JobSnapshot job, Memory memory) {
        if (job == null || job.deleting()) {
            return memory.emptyCounts >= EMPTY_COUNTS ? Proof.QUIET : Proof.ACKNOWLEDGED;
        }
        if (!job.suspended()) {
            memory.proof = null;
            return Proof.AWAITED;
        }
        if (memory.proof == null) {
            memory.proof = StopProof.from(job, System.nanoTime());
        }
        return memory.proof.at(job, System.nanoTime());
    }

    private boolean tell(List<Observation> news, Memory memory) {
        Consumer<Observation> receiver = observer;
        if (receiver == null || !expecting) {
            return news.isEmpty();
        }
        for (Observation one : news) {
            if (!one.equals(memory.told.put(one.getClass(), one))) {
                receiver.accept(one);
            }
        }
        return true;
    }

    /** Nothing more will come of it; what is ended and forgotten here is known to the leader. */
    private boolean isOver(WantedJob order, @Nullable JobSnapshot job, Proof proof) {
        if (job == null) {
            // One that was stopped before its Job could be made may be let go again, and is made then.
            boolean madeAnew = order.uid() == null && order.manifest() != null;
            return order.run() == Run.STOPPED && !madeAnew && (order.uid() == null || proof == Proof.QUIET);
        }
        return job.status().end() != null;
    }

    private void lookForIt(WorkloadId key, WantedJob order, String uid) {
        Workload workload = order.workload();
        if (workload == null) {
            return;
        }
        try {
            watch.look(workload.namespace(), workload.name(), uid);
            backoff.reset(key);
            queue.add(key);
        } catch (KubernetesClientException away) {
            queue.addAfter(key, backoff.next(key));
        }
    }

    private void act(WorkloadId key, WantedJob order, @Nullable JobSnapshot job, JobPlan plan, Memory memory) {
        Duration left = patience.left();
        if (plan != JobPlan.NOTHING && left.isPositive()) {
            queue.addAfter(key, left);
            return;
        }
        switch (plan) {
            case NOTHING -> {
                if (memory.proof != null && memory.proof.waitsForTime() && job != null && job.mark() != null) {
                    queue.addAfter(key, StopProof.PATIENCE);
                }
            }
            case CREATE -> create(key, order);
            case COUNT -> count(key, order, job, memory);
            case RELEASE, SUSPEND, RAISE_FENCE, TRIM, ASK, CLEAR_START_TIME, RESTORE, RETIRE -> {
                if (job != null) {
                    write(key, order, job, plan, memory);
                }
            }
        }
    }

    private void write(WorkloadId key, WantedJob order, JobSnapshot job, JobPlan plan, Memory memory) {
        Outcome outcome = switch (plan) {
            case RELEASE -> writer.patch(job, JobPatch.release(order, job));
            case SUSPEND -> writer.patch(job, JobPatch.suspend(order, job));
            case RAISE_FENCE -> writer.patch(job, JobPatch.raiseFence(order, job));
            case TRIM -> writer.patch(job, JobPatch.trim(order, job));
            case RESTORE -> writer.patch(job, JobPatch.restore(job));
            case RETIRE -> writer.patch(job, JobPatch.retire(job));
            case ASK -> writer.patchStatus(job, JobPatch.ask(job));
            case CLEAR_START_TIME -> writer.patchStatus(job, JobPatch.clearStartTime(job));
            case NOTHING, CREATE, COUNT -> throw new IllegalArgumentException(plan + " changes no Job");
        };
        switch (outcome) {
            case Outcome.Written written -> {
                backoff.reset(key);
                troubled = false;
                note(plan, JobSnapshot.of(written.job()), memory);
                watch.learn(written.job());
                queue.add(key);
            }
            case Outcome.Moved moved -> lookAgain(key, job, plan, moved.reason());
            case Outcome.Refused refused -> {
                LOG.warning(() -> "the API server refuses to " + plan + " Job " + job.namespace() + "/" + job.name()
                        + ": " + refused.reason());
                if (plan == JobPlan.RELEASE) {
                    tell(List.of(new Observation.StartRejected(key, order.fence(), refused.reason())), memory);
                }
                lookAgain(key, job, plan, refused.reason());
            }
            case Outcome.Failed failed -> retry(key, plan, failed.reason());
        }
    }

    private static void note(JobPlan plan, JobSnapshot answer, Memory memory) {
        switch (plan) {
            case SUSPEND -> memory.proof = StopProof.from(answer, System.nanoTime());
            case RELEASE -> memory.proof = null;
            case ASK -> {
                if (memory.proof != null) {
                    memory.proof.asked(answer, System.nanoTime());
                }
            }
            case RESTORE -> {
                if (memory.proof != null) {
                    memory.proof.carriedOver(answer);
                }
            }
            default -> {}
        }
    }

    private void lookAgain(WorkloadId key, JobSnapshot job, JobPlan plan, String reason) {
        LOG.fine(() -> "to " + plan + " Job " + job.namespace() + "/" + job.name() + " met another state: " + reason);
        try {
            watch.look(job.namespace(), job.name(), job.uid());
            queue.addAfter(key, backoff.next(key));
        } catch (KubernetesClientException away) {
            retry(key, plan, String.valueOf(away.getMessage()));
        }
    }

    private void retry(WorkloadId key, JobPlan plan, String reason) {
        Duration pause = backoff.next(key);
        LOG.log(
                troubled ? Level.FINE : Level.WARNING,
                () -> plan + " of " + key + " is tried again in " + pause.toMillis() + " ms: " + reason);
        troubled = true;
        queue.addAfter(key, pause);
    }

    private void create(WorkloadId key, WantedJob order) {
        Workload workload = order.workload();
        String manifest = order.manifest();
        if (workload == null || manifest == null) {
            return;
        }
        switch (writer.create(workload, manifest, order.fence())) {
            case Outcome.Written written -> {
                backoff.reset(key);
                watch.learn(written.job());
            }
            case Outcome.Moved moved -> findOwn(key, workload, moved);
            case Outcome.Refused refused -> refuse(key, order, refused.reason());
            case Outcome.Failed failed -> retry(key, JobPlan.CREATE, failed.reason());
        }
    }

    /** Its name is taken, by a Job that an earlier attempt created or by somebody else's; or its namespace does not exist. */
    private void findOwn(WorkloadId key, Workload workload, Outcome.Moved moved) {
        try {
            JobSnapshot there = watch.find(workload.namespace(), workload.name());
            if (there != null && key.value().equals(there.workload())) {
                queue.add(key);
            } else if (there == null && !moved.missing()) {
                // Whoever had the name is gone, or the conflict was about something else.
                retry(key, JobPlan.CREATE, moved.reason());
            } else {
                WantedJob order = wanted.get(key);
                if (order != null) {
                    refuse(key, order, moved.reason());
                }
            }
        } catch (KubernetesClientException away) {
            retry(key, JobPlan.CREATE, String.valueOf(away.getMessage()));
        }
    }

    private void refuse(WorkloadId key, WantedJob order, String reason) {
        Consumer<Observation> receiver = observer;
        if (receiver != null) {
            receiver.accept(new Observation.Refused(key, reason));
            wanted.remove(key, order);
            memories.remove(key);
        }
    }

    private void count(WorkloadId key, WantedJob order, @Nullable JobSnapshot job, Memory memory) {
        Workload workload = order.workload();
        String uid = job == null ? order.uid() : job.uid();
        String namespace = job != null ? job.namespace() : workload == null ? null : workload.namespace();
        if (uid == null || namespace == null) {
            memory.emptyCounts = EMPTY_COUNTS;
            queue.add(key);
            return;
        }
        try {
            if (writer.countLivePods(namespace, uid) > 0) {
                queue.addAfter(key, NEXT_COUNT);
                return;
            }
            backoff.reset(key);
            if (job == null || job.deleting()) {
                memory.emptyCounts++;
                queue.addAfter(key, memory.emptyCounts < EMPTY_COUNTS ? NEXT_COUNT : Duration.ZERO);
            } else if (memory.proof != null) {
                memory.proof.counted();
                queue.add(key);
            }
        } catch (KubernetesClientException away) {
            retry(key, JobPlan.COUNT, String.valueOf(away.getMessage()));
        }
    }

    @Override
    public void close() {
        queue.close();
    }
}
