package dev.sluice.kubernetes;

import dev.sluice.scheduling.ClusterUnavailable;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.ReducedStateItemStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The newest that is known of every Job that Sluice manages, from a watch and from the answers to its own writes, which may come
 * before the watch tells of them. Thread-safe.
 */
final class JobWatch implements AutoCloseable {
    private static final int GONE_MAX = 10_000;
    private static final long PAGE = 500;

    private final KubernetesClient client;
    private final List<Consumer<JobSnapshot>> listeners = new CopyOnWriteArrayList<>();
    private final Map<String, JobSnapshot> byUid = new HashMap<>();
    private final Map<String, Set<String>> uidsByWorkload = new HashMap<>();
    /** An answer that was long under way must not bring back what is gone. */
    private final Set<String> gone = Collections.newSetFromMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > GONE_MAX;
        }
    });

    /** As they were last, of those that had ended when they went: one may be swept before anybody looked at its end. */
    private final Map<String, JobSnapshot> endedAndGone = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, JobSnapshot> eldest) {
            return size() > GONE_MAX;
        }
    };

    private @Nullable SharedIndexInformer<Job> informer;
    private volatile boolean closed;

    JobWatch(KubernetesClient client) {
        this.client = client;
    }

    /** @param listener is told of every Job that is new, changed or gone, by its last snapshot; must return at once */
    void listen(Consumer<JobSnapshot> listener) {
        listeners.add(listener);
    }

    /** Returns at once, also while the API server is away; it is tried until it is there. */
    synchronized void start() {
        SharedIndexInformer<Job> started =
                client.batch().v1().jobs().inAnyNamespace().runnableInformer(0);
        // Of Jobs that are not Sluice's nothing is kept but that they exist.
        started.itemStore(new ReducedStateItemStore<>(
                ReducedStateItemStore.NAME_KEY_STATE, Job.class, client.getKubernetesSerialization(), "metadata.uid"));
        started.exceptionHandler((isStarted, failure) -> !closed);
        started.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(Job job) {
                seen(job);
            }

            @Override
            public void onUpdate(Job before, Job job) {
                seen(job);
            }

            @Override
            public void onDelete(Job job, boolean unknown) {
                gone(job.getMetadata().getUid());
            }
        });
        started.start().exceptionally(failure -> null);
        informer = started;
    }

    private void seen(Job job) {
        if (JobSnapshot.isManaged(job)) {
            learn(job);
        } else {
            // Its queue's name was taken away; whoever manages it looks for itself.
            forget(job.getMetadata().getUid());
        }
    }

    /** Takes in what an answer or an event shows, unless something newer is known. */
    JobSnapshot learn(Job job) {
        JobSnapshot snapshot = JobSnapshot.of(job);
        synchronized (this) {
            if (gone.contains(snapshot.uid())) {
                return snapshot;
            }
            JobSnapshot known = byUid.get(snapshot.uid());
            if (known != null && known.version() >= snapshot.version()) {
                return known;
            }
            byUid.put(snapshot.uid(), snapshot);
            if (snapshot.workload() != null) {
                uidsByWorkload
                        .computeIfAbsent(snapshot.workload(), id -> new LinkedHashSet<>())
                        .add(snapshot.uid());
            }
        }
        listeners.forEach(listener -> listener.accept(snapshot));
        return snapshot;
    }

    /** It exists no more, whatever an answer that was long under way says. */
    void gone(String uid) {
        synchronized (this) {
            gone.add(uid);
            JobSnapshot last = byUid.get(uid);
            if (last != null && last.status().end() != null) {
                endedAndGone.put(uid, last);
            }
        }
        forget(uid);
    }

    /** Whether a Job of this uid existed and exists no more. */
    synchronized boolean isGone(String uid) {
        return gone.contains(uid);
    }

    private void forget(String uid) {
        JobSnapshot last;
        synchronized (this) {
            last = byUid.remove(uid);
            if (last != null && last.workload() != null) {
                Set<String> uids = uidsByWorkload.get(last.workload());
                if (uids != null && uids.remove(uid) && uids.isEmpty()) {
                    uidsByWorkload.remove(last.workload());
                }
            }
        }
        if (last != null) {
            JobSnapshot gone = last;
            listeners.forEach(listener -> listener.accept(gone));
        }
    }

    synchronized @Nullable JobSnapshot byUid(String uid) {
        return byUid.get(uid);
    }

    /**
     * The workload's Job: by its uid if that is known, also if it ended and is gone; else the one that says so and is where it should
     * be.
     */
    synchronized @Nullable JobSnapshot of(WantedJob wanted) {
        if (wanted.uid() != null) {
            JobSnapshot there = byUid.get(wanted.uid());
            return there == null ? endedAndGone.get(wanted.uid()) : there;
        }
        for (String uid : uidsByWorkload.getOrDefault(wanted.id().value(), Set.of())) {
            JobSnapshot job = byUid.get(uid);
            if (job != null && isWhereItShouldBe(wanted, job)) {
                return job;
            }
        }
        return byUid.get(wanted.id().value());
    }

    private static boolean isWhereItShouldBe(WantedJob wanted, JobSnapshot job) {
        return wanted.workload() == null
                || (job.namespace().equals(wanted.workload().namespace())
                        && job.name().equals(wanted.workload().name()));
    }

    /** Asks the API server for a Job by its name, whosever it is; null = there is none. */
    @Nullable JobSnapshot find(String namespace, String name) {
        Job job =
                client.batch().v1().jobs().inNamespace(namespace).withName(name).get();
        if (job == null) {
            return null;
        }
        return JobSnapshot.isManaged(job) ? learn(job) : JobSnapshot.of(job);
    }

    /** Asks the API server for one Job by its name; null = there is none, or another than the one that is meant. */
    @Nullable JobSnapshot look(String namespace, String name, String uid) {
        Job job =
                client.batch().v1().jobs().inNamespace(namespace).withName(name).get();
        if (job == null || !job.getMetadata().getUid().equals(uid)) {
            gone(uid);
            return null;
        }
        return learn(job);
    }

    /**
     * Asks the API server for all of them, so that nothing of what is known is older than this call.
     *
     * @throws ClusterUnavailable if it does not answer
     */
    List<JobSnapshot> lookAtAll() {
        try {
            List<JobSnapshot> all = new ArrayList<>();
            String next = null;
            do {
                JobList page = client.batch()
                        .v1()
                        .jobs()
                        .inAnyNamespace()
                        .list(new ListOptionsBuilder()
                                .withLimit(PAGE)
                                .withContinue(next)
                                .build());
                page.getItems().stream()
                        .filter(JobSnapshot::isManaged)
                        .map(this::learn)
                        .forEach(all::add);
                next = page.getMetadata().getContinue();
            } while (next != null && !next.isEmpty());
            return all;
        } catch (KubernetesClientException away) {
            throw new ClusterUnavailable(
                    "the Kubernetes API server does not list its Jobs: " + away.getMessage(), away);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (informer != null) {
            informer.close();
        }
    }
}
