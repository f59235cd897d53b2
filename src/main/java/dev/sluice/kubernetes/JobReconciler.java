package dev.sluice.kubernetes;

import dev.sluice.kubernetes.JobWriter.Outcome;
import dev.sluice.kubernetes.WantedJob.Run;
import dev.sluice.scheduling.Observation;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
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
    private final JobWatch watch;
    private final JobWriter writer;
    private final StartLook startLook;
    private final Patience patience;
    private final KeyQueue<WorkloadId> queue;
    private final Backoff<WorkloadId> backoff = new Backoff<>();
    private final Map<WorkloadId, WantedJob> wanted = new ConcurrentHashMap<>();
    private final Map<WorkloadId, LookMemory> memories = new ConcurrentHashMap<>();
    private volatile @Nullable Consumer<Observation> observer;
    private volatile boolean expecting;
    private volatile Counting counting = (job, order) -> Counting.COUNTED;
    /** One failure after a success is worth a line; the thousand that follow while the API server is away are not. */
    private volatile boolean troubled;

    JobReconciler(JobWatch watch, JobWriter writer, Patience patience, int workers) {
        this.watch = watch;
        this.writer = writer;
        this.startLook = new StartLook(watch, writer);
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

    /** From now on a Job is let go only if what it asks for was counted. */
    void countedBy(JobIntake intake) {
        counting = intake;
        intake.whenCounted(this::changed);
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

    void lookAtStart(WorkloadId id, long fence) {
        startLook.ask(id, fence);
        queue.add(id);
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
        LookMemory memory = memories.computeIfAbsent(key, id -> new LookMemory());
        memory.isAbout(order);
        if (job == null && order.uid() != null && !watch.isGone(order.uid())) {
            lookForIt(key, order, order.uid());
            return;
        }
        if (job != null && order.uid() == null && isWanted(key)) {
            String uid = job.uid();
            wanted.computeIfPresent(key, (id, now) -> now.withUid(uid));
        }
        Proof proof = memory.proof(job);
        boolean allTold = tell(JobNews.of(order, job, proof), memory);
        if (startLook.isAsked(order)) {
            answerAboutStart(key, order, job);
        }
        act(key, order, job, planned(key, order, job, proof, memory), memory);
        if (allTold && isOver(order, job, proof)) {
            wanted.remove(key, order);
            memories.remove(key);
        }
    }

    private JobPlan planned(
            WorkloadId key, WantedJob order, @Nullable JobSnapshot job, Proof proof, LookMemory memory) {
        JobPlan plan = JobPlan.of(order, job, proof);
        if (plan != JobPlan.RELEASE || job == null) {
            return plan;
        }
        String contradiction = JobPatch.contradiction(order, job);
        if (contradiction != null) {
            tell(List.of(new Observation.StartRejected(key, order.fence(), contradiction)), memory);
            return JobPlan.NOTHING;
        }
        Counting.Answer counted = counting.of(job, order);
        if (counted instanceof Counting.Uncountable never) {
            tell(List.of(new Observation.StartRejected(key, order.fence(), never.reason())), memory);
        }
        // Whoever counts it says when it has.
        return counted instanceof Counting.Counted ? plan : JobPlan.NOTHING;
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

    private boolean tell(List<Observation> news, LookMemory memory) {
        Consumer<Observation> receiver = observer;
        if (receiver == null || !expecting) {
            return news.isEmpty();
        }
        for (Observation one : news) {
            if (memory.isNews(one)) {
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

    private void answerAboutStart(WorkloadId key, WantedJob order, @Nullable JobSnapshot job) {
        Consumer<Observation> receiver = observer;
        Duration left = patience.left();
        if (receiver == null || left.isPositive()) {
            queue.addAfter(key, left.isPositive() ? left : NEXT_COUNT);
            return;
        }
        try {
            Observation answer = startLook.answer(order, job);
            backoff.reset(key);
            if (answer != null) {
                receiver.accept(answer);
            }
        } catch (KubernetesClientException away) {
            queue.addAfter(key, backoff.next(key));
        }
    }

    private void act(WorkloadId key, WantedJob order, @Nullable JobSnapshot job, JobPlan plan, LookMemory memory) {
        Duration left = patience.left();
        if (plan != JobPlan.NOTHING && left.isPositive()) {
            queue.addAfter(key, left);
            return;
        }
        switch (plan) {
            case NOTHING -> {
                if (memory.waitsForTime() && job != null && job.mark() != null) {
                    queue.addAfter(key, StopProof.PATIENCE);
                }
            }
            case CREATE -> create(key, order);
            case COUNT -> count(key, order, job, memory);
            case RELEASE,
                    SUSPEND,
                    RAISE_FENCE,
                    PUT_BACK_QUEUE,
                    TRIM,
                    FORGET_TRIM,
                    ASK,
                    CLEAR_START_TIME,
                    RESTORE,
                    RETIRE -> {
                if (job != null) {
                    write(key, order, job, plan, memory);
                }
            }
        }
    }

    private void write(WorkloadId key, WantedJob order, JobSnapshot job, JobPlan plan, LookMemory memory) {
        Outcome outcome = switch (plan) {
            case RELEASE -> writer.patch(job, JobPatch.release(order, job));
            case SUSPEND -> writer.patch(job, JobPatch.suspend(order, job));
            case RAISE_FENCE -> writer.patch(job, JobPatch.raiseFence(order, job));
            case PUT_BACK_QUEUE -> writer.patch(job, JobPatch.putBackQueue(order, job));
            case TRIM -> writer.patch(job, JobPatch.trim(order, job));
            case FORGET_TRIM -> writer.patch(job, JobPatch.forgetTrim(job));
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
                memory.wrote(plan, JobSnapshot.of(written.job()));
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
                counting.created(written.job(), order);
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

    private void count(WorkloadId key, WantedJob order, @Nullable JobSnapshot job, LookMemory memory) {
        Workload workload = order.workload();
        String uid = job == null ? order.uid() : job.uid();
        String namespace = job != null ? job.namespace() : workload == null ? null : workload.namespace();
        if (uid == null || namespace == null) {
            memory.countedNoneForGood();
            queue.add(key);
            return;
        }
        try {
            JobSnapshot mayEnd = job == null || job.deleting() ? null : job;
            long left =
                    mayEnd == null ? writer.countLivePods(namespace, uid) : writer.countUnsettledPods(namespace, uid);
            if (left > 0) {
                queue.addAfter(key, NEXT_COUNT);
                return;
            }
            if (mayEnd != null) {
                // What was noted of its pods before they were listed.
                watch.look(namespace, mayEnd.name(), uid);
            }
            backoff.reset(key);
            queue.addAfter(key, memory.countedNone(job) ? Duration.ZERO : NEXT_COUNT);
        } catch (KubernetesClientException away) {
            retry(key, JobPlan.COUNT, String.valueOf(away.getMessage()));
        }
    }

    @Override
    public void close() {
        queue.close();
    }
}
