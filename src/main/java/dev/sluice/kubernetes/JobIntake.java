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
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Submits every Job that names a queue, on the way that every submission takes: stored first, decided later. The workload's id is the
 * Job's uid, so that a Job is taken in once, whoever sees it and however often; another Job of the same name is another workload.
 * Every replica may take in. What cannot be taken in yet is tried again.
 */
final class JobIntake implements AutoCloseable {
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

    /**
     * What the author of a Job may change while it waits.
     *
     * @param generation of the specification that was read last
     */
    private record Written(@Nullable String queue, @Nullable String priorityClass, long generation) {
        /** Nothing of its specification was read by this process. */
        static final long UNREAD = -1;

        static Written of(JobSnapshot job, long generation) {
            return new Written(job.queue(), job.priorityClass(), generation);
        }

        Written read(long newGeneration) {
            return new Written(queue, priorityClass, newGeneration);
        }
    }

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
        watch.listen(job -> {
            if (job.queued()) {
                queue.add(job.uid());
            }
        });
        queue.start();
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
                    new Written(row.workload().localQueue(), row.workload().priorityClass(), Written.UNREAD);
            known.put(uid, submitted);
            follow(job, submitted);
        } else if (job.fenceOrFirst() > Cluster.FIRST_FENCE) {
            beginAnew(job);
            return;
        } else if (submit(job)) {
            known.put(uid, Written.of(job, job.generation()));
        } else {
            queue.addAfter(uid, NEXT_TRY);
            return;
        }
        refusals.remove(uid);
        backoff.reset(uid);
    }

    /** What its author changed is asked for as anybody else would ask for it; what is refused stays as it was. */
    private void follow(JobSnapshot job, Written before) {
        Written now = Written.of(job, before.generation());
        WorkloadId id = idOf(job);
        if (now.queue() != null && !now.queue().equals(before.queue())) {
            tell(job, commands.changeQueue(id, now.queue(), CALLER));
        }
        if (!Objects.equals(now.priorityClass(), before.priorityClass())) {
            tell(job, commands.changePriorityClass(id, now.priorityClass(), CALLER));
        }
        // A queue's name that was taken away is remembered: the same name put back is no change.
        Written followed = new Written(
                now.queue() == null ? before.queue() : now.queue(), now.priorityClass(), before.generation());
        known.put(job.uid(), followed);
        if (isAuthors(job) && job.generation() != before.generation() && recount(job, id)) {
            known.put(job.uid(), followed.read(job.generation()));
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

    /** Of a Job that is as its author wants it. Whether its specification was read; it need not have changed. */
    private boolean recount(JobSnapshot seen, WorkloadId id) {
        WorkloadRow row = row(id);
        if (row == null || row.status().state().isFinal()) {
            return true;
        }
        ManifestIntake.Reading reading = read(seen, id);
        if (reading == null) {
            return false;
        }
        switch (reading) {
            case ManifestIntake.Reading.Understood understood -> {
                List<PodSet> podSets = understood.submission().podSets();
                if (!podSets.equals(row.workload().podSets())) {
                    tell(seen, commands.changePodSets(id, podSets, CALLER));
                }
            }
            case ManifestIntake.Reading.Refused refused ->
                LOG.warning(() -> "what Job " + seen.namespace() + "/" + seen.name()
                        + " asks for now cannot be read; it waits for what it asked for before: " + refused.reason());
        }
        return true;
    }

    private WorkloadId idOf(JobSnapshot job) {
        return new WorkloadId(isCreatedForAnother(job) ? String.valueOf(job.workload()) : job.uid());
    }

    private @Nullable WorkloadRow row(WorkloadId id) {
        return workloads.find(id).orElse(null);
    }

    private static void tell(JobSnapshot job, CommandAnswer answer) {
        if (answer instanceof CommandAnswer.Refused refused) {
            LOG.warning(
                    () -> "a change of Job " + job.namespace() + "/" + job.name() + " has no effect: " + refused.why());
        }
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
    private ManifestIntake.@Nullable Reading read(JobSnapshot seen, WorkloadId id) {
        Job job = client.batch()
                .v1()
                .jobs()
                .inNamespace(seen.namespace())
                .withName(seen.name())
                .get();
        if (job == null || !job.getMetadata().getUid().equals(seen.uid())) {
            return null;
        }
        String manifest = JobBody.manifest(client.getKubernetesSerialization().asJson(job));
        return manifests.read(manifest, id, CALLER);
    }

    private boolean submit(JobSnapshot seen) {
        ManifestIntake.Reading reading = read(seen, new WorkloadId(seen.uid()));
        if (reading == null) {
            return false;
        }
        return switch (reading) {
            case ManifestIntake.Reading.Understood understood -> isStored(understood);
            case ManifestIntake.Reading.Refused refused -> {
                if (!refused.reason().equals(refusals.put(seen.uid(), refused.reason()))) {
                    LOG.warning(() ->
                            "Job " + seen.namespace() + "/" + seen.name() + " cannot be queued: " + refused.reason());
                }
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
