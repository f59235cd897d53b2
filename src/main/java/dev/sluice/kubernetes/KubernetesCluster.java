package dev.sluice.kubernetes;

import dev.sluice.kubernetes.WantedJob.Run;
import dev.sluice.overview.WorkloadReader;
import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.BatchObserver;
import dev.sluice.scheduling.Cluster;
import dev.sluice.scheduling.ManifestIntake;
import dev.sluice.scheduling.ManifestTrial;
import dev.sluice.scheduling.Observation;
import dev.sluice.scheduling.Placement;
import dev.sluice.scheduling.PodRules;
import dev.sluice.scheduling.WorkloadCommands;
import dev.sluice.topology.UsableCapacity;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A Kubernetes cluster behind the port. Calls only set down what is wanted and return at once; the reconciler follows, and keeps
 * trying while the API server is away. Thread-safe.
 */
public final class KubernetesCluster implements Cluster, BatchObserver, AutoCloseable {
    private final KubernetesClient client;
    private final JobWatch jobs;
    private final NodeWatch nodes;
    private final NamespaceWatch namespaces;
    private final PodRulesWatch podRules;
    private final JobReconciler reconciler;
    private @Nullable JobIntake intake;
    private volatile @Nullable JobNotices notices;

    private final Patience patience;

    private KubernetesCluster(KubernetesClient client, Patience patience, int workers) {
        this.client = client;
        this.patience = patience;
        jobs = new JobWatch(client);
        nodes = new NodeWatch(client);
        namespaces = new NamespaceWatch(client);
        podRules = new PodRulesWatch(client);
        reconciler = new JobReconciler(jobs, new JobWriter(client), patience, workers);
    }

    /** Returns at once, whether or not the API server answers. */
    public static KubernetesCluster connect(KubernetesConfig config) {
        Config found = config.kubeconfig()
                .map(file -> Config.fromKubeconfig(file.toFile()))
                .orElseGet(() -> Config.autoConfigure(null));
        Config tuned = new ConfigBuilder(found)
                .withRequestTimeout((int) config.requestTimeout().toMillis())
                // Repeating a write is decided where it is known whether it may be repeated.
                .withRequestRetryBackoffLimit(0)
                .build();
        Patience patience = new Patience();
        KubernetesClient client = new KubernetesClientBuilder()
                .withConfig(tuned)
                .withHttpClientBuilderConsumer(http -> http.addOrReplaceInterceptor(Patience.NAME, patience))
                .build();
        KubernetesCluster cluster = new KubernetesCluster(client, patience, config.workers());
        cluster.reconciler.start();
        cluster.jobs.start();
        cluster.nodes.start();
        cluster.namespaces.start();
        cluster.podRules.start();
        return cluster;
    }

    /** Open as long as the cluster is. */
    public KubernetesClient client() {
        return client;
    }

    /** What the cluster adds to pods and demands of them. */
    public PodRules podRules() {
        return podRules;
    }

    /** Whether the cluster would take what is submitted. */
    public ManifestTrial trial() {
        return new JobTrial(new JobWriter(client), patience);
    }

    /** From now on Jobs that name a queue are submitted. */
    public synchronized void takeIn(ManifestIntake manifests, WorkloadReader workloads, WorkloadCommands commands) {
        JobIntake taking = new JobIntake(client, jobs, patience, manifests, workloads, commands);
        reconciler.countedBy(taking);
        taking.start();
        intake = taking;
    }

    /**
     * From now on admissions and evictions are told on the Jobs, as far as batches are told here.
     *
     * @param configuration as this process last saw it, from memory
     * @param workloads to look up what was decided while another process led
     */
    public synchronized void giveNotice(Supplier<Configuration> configuration, WorkloadReader workloads) {
        JobNotices given = new JobNotices(client, jobs, patience, configuration, workloads);
        given.start();
        notices = given;
    }

    @Override
    public void committed(Batch batch) {
        JobNotices given = notices;
        if (given != null) {
            given.committed(batch);
        }
    }

    @Override
    public void create(Workload workload, @Nullable String manifest, long fence) {
        WantedJob first = held(workload, manifest, null, fence);
        reconciler.want(first, now -> now.fence() >= fence ? now : now.fenced(fence));
    }

    private static WantedJob held(Workload workload, @Nullable String manifest, @Nullable String uid, long fence) {
        // A workload whose id is its manifest's uid was taken in from the cluster: that Job is its Job, and no other.
        String own = workload.id().value().equals(JobBody.uid(manifest))
                ? workload.id().value()
                : uid;
        return new WantedJob(workload.id(), workload, manifest, own, fence, Run.HELD, null, false);
    }

    @Override
    public void release(Workload workload, Assignment assignment, Placement placement, long fence) {
        reconciler.want(
                held(workload, null, null, fence),
                now -> fence < now.fence() ? now : now.released(fence, placement, workload));
    }

    @Override
    public void stop(WorkloadId workload, long fence) {
        reconciler.want(WantedJob.unknown(workload, fence, Run.STOPPED), now -> {
            boolean late = fence < now.fence() || (now.run() == Run.RELEASED && fence <= now.fence());
            return late ? now : now.stopped(fence);
        });
    }

    @Override
    public void retire(WorkloadId workload) {
        reconciler.retire(workload);
    }

    @Override
    public void advanceFence(WorkloadId workload, long fence) {
        reconciler.want(
                WantedJob.unknown(workload, fence, Run.HELD), now -> fence <= now.fence() ? now : now.fenced(fence));
    }

    @Override
    public void lookAtStart(WorkloadId workload, long fence) {
        reconciler.lookAtStart(workload, fence);
    }

    @Override
    public void expect(List<Expected> all) {
        reconciler.expect(all.stream().map(KubernetesCluster::wanted).toList());
        JobNotices given = notices;
        if (given != null) {
            given.catchUp(all);
        }
    }

    private static WantedJob wanted(Expected expected) {
        WantedJob held = held(expected.workload(), expected.manifest(), expected.jobUid(), expected.fence());
        if (expected.placement() != null) {
            return held.released(expected.fence(), expected.placement(), expected.workload());
        }
        return expected.leaving() ? held.stopped(expected.fence()) : held;
    }

    @Override
    public List<ObservedJob> jobs() {
        List<JobSnapshot> all = jobs.lookAtAll();
        Map<String, Long> claims = all.stream()
                .filter(job -> job.workload() != null)
                .collect(Collectors.groupingBy(job -> String.valueOf(job.workload()), Collectors.counting()));
        List<ObservedJob> observed = new ArrayList<>();
        for (JobSnapshot job : all) {
            if (job.workload() != null) {
                observed.add(observed(job, job.workload()));
            }
            // A copy of a Job that Sluice created says what the original says, and is a workload of its own.
            if (job.workload() == null || claims.getOrDefault(job.workload(), 0L) > 1) {
                observed.add(observed(job, job.uid()));
            }
        }
        return observed;
    }

    private static ObservedJob observed(JobSnapshot job, String workload) {
        return new ObservedJob(new WorkloadId(workload), job.uid(), job.fenceOrFirst(), phase(job), job.done());
    }

    private static Phase phase(JobSnapshot job) {
        JobSnapshot.End end = job.status().end();
        if (end != null) {
            return end.succeeded() ? Phase.SUCCEEDED : Phase.FAILED;
        }
        if (job.suspended()) {
            return job.mark() == null ? Phase.SUSPENDED : Phase.STOPPING;
        }
        return job.isReady() ? Phase.RUNNING : Phase.STARTING;
    }

    @Override
    public UsableCapacity capacity() {
        return nodes.look();
    }

    @Override
    public SortedMap<String, SortedMap<String, String>> namespaces() {
        return namespaces.look();
    }

    @Override
    public void observe(Consumer<Observation> observer) {
        reconciler.observe(observer);
        nodes.listen(capacity -> observer.accept(new Observation.Capacity(capacity)));
        namespaces.listen(labels -> observer.accept(new Observation.Namespaces(labels)));
    }

    @Override
    public synchronized void close() {
        if (intake != null) {
            intake.close();
        }
        if (notices != null) {
            notices.close();
        }
        reconciler.close();
        jobs.close();
        nodes.close();
        namespaces.close();
        podRules.close();
        client.close();
    }
}
