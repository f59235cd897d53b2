package dev.sluice.kubernetes;

import dev.sluice.overview.WorkloadReader;
import dev.sluice.overview.WorkloadRow;
import dev.sluice.scheduling.Cluster;
import dev.sluice.scheduling.ClusterUnavailable;
import dev.sluice.scheduling.CommandAnswer;
import dev.sluice.scheduling.ManifestIntake;
import dev.sluice.scheduling.StoreUnavailable;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.scheduling.WorkloadCommands;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Submits every Job that names a queue, on the way that every submission takes: stored first, decided later. The workload's id is the
 * Job's uid, so that a Job is taken in once, whoever sees it and however often; another Job of the same name is another workload.
 * Every replica may take in. What cannot be taken in yet is tried again. What their authors change while they are suspended is followed.
 */
final class JobIntake implements Counting, AutoCloseable {
    static final String CALLER = "kubernetes";

    private static final Logger LOG = Logger.getLogger(JobIntake.class.getName());
    private static final int WORKERS = 4;
    /** Its queue may be made, or what its name is taken by may end. */
    private static final Duration NEXT_TRY = Duration.ofSeconds(2);

    private final KubernetesClient client;
    private final JobWriter writer;
    private final JobWatch watch;
    private final Patience patience;
    private final ManifestIntake manifests;
    private final WorkloadReader workloads;
    private final WorkloadCommands commands;
    private final KeyQueue<String> queue = new KeyQueue<>("sluice-job-intake", WORKERS, this::look);
    private final Backoff<String> backoff = new Backoff<>();
    /** By uid: what its author had written when it was last looked at; present = it is taken in. */
    private final Map<String, Written> known = new ConcurrentHashMap<>();

    private final Map<String, String> refusals = new ConcurrentHashMap<>();

    private volatile Consumer<JobSnapshot> counted = job -> {};

    /**
     * What the author of a Job may change while it is suspended, as it was followed last.
     *
     * @param generation of the specification that was read last
     * @param podSets what it asks for by that; null = nothing of it was read by this process
     * @param refusal why what it asks for by that cannot be read; null = it can
     */
    private record Written(
            @Nullable String queue,
            @Nullable String priorityClass,
            long generation,
            @Nullable List<PodSet> podSets,
            @Nullable String refusal) {
        static Written unread(@Nullable String queue, @Nullable String priorityClass) {
            return new Written(queue, priorityClass, -1, null, null);
        }

        Written asking(@Nullable String newQueue, @Nullable String newPriorityClass) {
            return new Written(newQueue, newPriorityClass, generation, podSets, refusal);
        }

        Written read(long newGeneration, List<PodSet> newPodSets) {
            return new Written(queue, priorityClass, newGeneration, newPodSets, null);
        }

        Written refused(long newGeneration, String why) {
            return new Written(queue, priorityClass, newGeneration, null, why);
        }
    }

    /** A Job as it is now, and what it asks for. */
    private record JobReading(JobSnapshot job, ManifestIntake.Reading reading) {}

    JobIntake(
            KubernetesClient client,
            JobWatch watch,
            Patience patience,
            ManifestIntake manifests,
            WorkloadReader workloads,
            WorkloadCommands commands) {
        this.client = client;
        writer = new JobWriter(client);
        this.watch = watch;
        this.patience = patience;
        this.manifests = manifests;
        this.workloads = workloads;
        this.commands = commands;
    }

    void start() {
        watch.listen(job -> queue.add(job.uid()));
        queue.start();
    }

    /** @param listener is told of every Job that was counted, or cannot be; must return at once */
    void whenCounted(Consumer<JobSnapshot> listener) {
        counted = listener;
    }

    @Override
    public Answer of(JobSnapshot job, WantedJob order) {
        Written last = known.get(job.uid());
        if (last == null || last.generation() != job.generation() || order.workload() == null) {
            return new NotYet();
        }
        if (last.refusal() != null) {
            return new Uncountable(last.refusal());
        }
        return order.workload().podSets().equals(last.podSets()) ? COUNTED : new NotYet();
    }

    /** Saves it a look of its own, unless somebody changed what was sent. */
    @Override
    public void created(Job job, WantedJob order) {
        Workload workload = order.workload();
        JobSnapshot snapshot = JobSnapshot.of(job);
        if (workload != null && reading(job, workload) instanceof ManifestIntake.Reading.Understood understood) {
            Written submitted = Written.unread(workload.localQueue(), workload.priorityClass());
            known.putIfAbsent(
                    snapshot.uid(),
                    submitted.read(
                            snapshot.generation(), understood.submission().podSets()));
        }
    }

    private void look(String uid) {
        JobSnapshot job = watch.byUid(uid);
        if (job == null) {
            refusals.remove(uid);
            if (watch.isGone(uid)) {
                known.remove(uid);
            }
            return;
        }
        if (job.status().end() != null || job.deleting() || job.cancelled()) {
            return;
        }
        try {
            if (patience.left().isPositive()) {
                queue.addAfter(uid, patience.left());
                return;
            }
            Written before = known.get(uid);
            if (before == null) {
                takeIn(job);
                return;
            }
            follow(job, before);
            backoff.reset(uid);
        } catch (StoreUnavailable | ClusterUnavailable | KubernetesClientException away) {
            queue.addAfter(uid, backoff.next(uid));
        }
    }

    private void takeIn(JobSnapshot job) {
        String uid = job.uid();
        WorkloadRow row = row(idOf(job));
        if (row != null && row.status().state() == WorkloadState.CANCELLED && isAuthors(job)) {
            // A leader that went away did not get to say so.
            sayCancelled(job);
        } else if (row != null) {
            // What was changed while nobody looked differs from what was submitted.
            Written submitted =
                    Written.unread(row.status().localQueue(), row.status().priorityClass());
            known.put(uid, submitted);
            follow(job, submitted);
        } else if (!job.queued()) {
            return;
        } else if (job.fenceOrFirst() > Cluster.FIRST_FENCE) {
            beginAnew(job);
            return;
        } else if (!submit(job)) {
            queue.addAfter(uid, NEXT_TRY);
            return;
        }
        refusals.remove(uid);
        backoff.reset(uid);
    }

    /**
     * What its author changed is asked for as anybody else would ask for it. What is refused stays as it was, and is asked for again: a
     * queue may be made, or its quota given back. Of a Job that runs the queue is put back by whoever lets it run.
     */
    private void follow(JobSnapshot job, Written before) {
        boolean authors = isAuthors(job);
        // A queue's name that was taken away is remembered: the same name put back is no change.
        boolean moved = authors && job.queue() != null && !job.queue().equals(before.queue());
        boolean reprioritised = !Objects.equals(job.priorityClass(), before.priorityClass());
        boolean edited = authors && (job.generation() != before.generation() || before.refusal() != null);
        if (!moved && !reprioritised && !edited) {
            return;
        }
        WorkloadId id = idOf(job);
        String newQueue = before.queue();
        String newClass = before.priorityClass();
        if (moved && isTaken(job, id, commands.changeQueue(id, Objects.requireNonNull(job.queue()), CALLER))) {
            newQueue = job.queue();
        }
        if (reprioritised && isTaken(job, id, commands.changePriorityClass(id, job.priorityClass(), CALLER))) {
            newClass = job.priorityClass();
        }
        Written followed = before.asking(newQueue, newClass);
        known.put(job.uid(), followed);
        if (edited) {
            count(job, id, followed);
        }
    }

    /** Whether it waits, with the template that its author wrote. */
    private static boolean isAuthors(JobSnapshot job) {
        return job.suspended() && job.mark() == null;
    }

    /** A copy of another Job, made while no webhook took that one's annotations off it; or its database is gone. */
    private void beginAnew(JobSnapshot job) {
        if (!job.suspended()) {
            // Nobody admitted it, so it is suspended soon.
            queue.addAfter(job.uid(), NEXT_TRY);
        } else if (writer.patch(job, JobPatch.beginAnew(job)) instanceof JobWriter.Outcome.Written written) {
            watch.learn(written.job());
            queue.add(job.uid());
        } else {
            queue.addAfter(job.uid(), backoff.next(job.uid()));
        }
    }

    private void sayCancelled(JobSnapshot job) {
        if (writer.patch(job, JobPatch.retire(job)) instanceof JobWriter.Outcome.Written written) {
            watch.learn(written.job());
        } else {
            queue.addAfter(job.uid(), backoff.next(job.uid()));
        }
    }

    /** Of a Job that is as its author wants it. */
    private void count(JobSnapshot seen, WorkloadId id, Written followed) {
        WorkloadRow row = row(id);
        JobReading read = row == null || row.status().state().isFinal() ? null : read(seen, row.workload());
        if (row == null || read == null || !isAuthors(read.job())) {
            // It has ended, or what it became meanwhile is told next.
            return;
        }
        long generation = read.job().generation();
        switch (read.reading()) {
            case ManifestIntake.Reading.Understood understood -> {
                List<PodSet> podSets = understood.submission().podSets();
                if (podSets.equals(row.workload().podSets())
                        || isTaken(seen, id, commands.changePodSets(id, podSets, CALLER))) {
                    known.put(seen.uid(), followed.read(generation, podSets));
                    refusals.remove(seen.uid());
                }
            }
            case ManifestIntake.Reading.Refused refused -> {
                known.put(seen.uid(), followed.refused(generation, refused.reason()));
                warnOnce(seen, "asks for what cannot be counted, and does not run with it: ", refused.reason());
                queue.addAfter(seen.uid(), Backoff.LONGEST);
            }
        }
        counted.accept(read.job());
    }

    private void warnOnce(JobSnapshot job, String what, String reason) {
        if (!reason.equals(refusals.put(job.uid(), reason))) {
            LOG.warning(() -> "Job " + job.namespace() + "/" + job.name() + " " + what + reason);
        }
    }

    private WorkloadId idOf(JobSnapshot job) {
        return new WorkloadId(isCreatedForAnother(job) ? String.valueOf(job.workload()) : job.uid());
    }

    private @Nullable WorkloadRow row(WorkloadId id) {
        return workloads.find(id).orElse(null);
    }

    private boolean isTaken(JobSnapshot job, WorkloadId id, CommandAnswer answer) {
        if (answer instanceof CommandAnswer.Refused refused) {
            WorkloadRow row = row(id);
            if (row != null && !row.status().state().isFinal()) {
                warnOnce(job, "was changed, which has no effect yet: ", refused.why());
                queue.addAfter(job.uid(), Backoff.LONGEST);
            }
            return false;
        }
        return true;
    }

    /** Sluice itself created it for a workload that it has; a copy of such a Job is a workload of its own. */
    private boolean isCreatedForAnother(JobSnapshot job) {
        return job.workload() != null
                && workloads
                        .find(new WorkloadId(job.workload()))
                        .filter(row -> row.workload().namespace().equals(job.namespace())
                                && row.workload().name().equals(job.name())
                                && (row.jobUid() == null || row.jobUid().equals(job.uid())))
                        .isPresent();
    }

    /** The Job as it is now; null = there is none, or another. */
    private @Nullable Job find(JobSnapshot seen) {
        Job job = client.batch()
                .v1()
                .jobs()
                .inNamespace(seen.namespace())
                .withName(seen.name())
                .get();
        return job == null || !job.getMetadata().getUid().equals(seen.uid()) ? null : job;
    }

    private @Nullable JobReading read(JobSnapshot seen, Workload workload) {
        Job job = find(seen);
        return job == null ? null : new JobReading(JobSnapshot.of(job), reading(job, workload));
    }

    /** One that names no queue any more is of the queue that it named before. */
    private ManifestIntake.Reading reading(Job job, Workload workload) {
        String manifest = manifestOf(job);
        return manifests.read(
                JobSnapshot.of(job).queued() ? manifest : JobBody.queued(manifest, workload.localQueue()),
                workload.id(),
                CALLER);
    }

    private String manifestOf(Job job) {
        return JobBody.manifest(client.getKubernetesSerialization().asJson(job));
    }

    private boolean submit(JobSnapshot seen) {
        Job job = find(seen);
        if (job == null) {
            return false;
        }
        JobSnapshot now = JobSnapshot.of(job);
        String manifest = manifestOf(job);
        return switch (manifests.read(manifest, new WorkloadId(seen.uid()), CALLER)) {
            case ManifestIntake.Reading.Understood understood -> {
                boolean stored = isStored(understood);
                if (stored) {
                    known.put(
                            now.uid(),
                            Written.unread(now.queue(), now.priorityClass())
                                    .read(
                                            now.generation(),
                                            understood.submission().podSets()));
                    counted.accept(now);
                }
                yield stored;
            }
            case ManifestIntake.Reading.Refused refused -> {
                warnOnce(seen, "cannot be queued: ", refused.reason());
                yield false;
            }
        };
    }

    private boolean isStored(ManifestIntake.Reading.Understood understood) {
        return switch (commands.submit(List.of(understood.submission())).getFirst()) {
            case SubmissionResult.Accepted accepted -> true;
            case SubmissionResult.AlreadySubmitted already -> true;
            // The key is the uid and the hash is of the uid: only another service on the same database could have used
            // it.
            case SubmissionResult.KeyReused reused -> true;
            // A Job of the same name that is gone and whose workload has not ended yet.
            case SubmissionResult.NameTaken taken ->
                taken.holder().equals(understood.submission().id());
        };
    }

    @Override
    public void close() {
        queue.close();
    }
}
