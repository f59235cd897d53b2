package dev.sluice.kubernetes;

import dev.sluice.overview.EvictionRow;
import dev.sluice.overview.WorkloadReader;
import dev.sluice.overview.WorkloadReader.EvictionFilter;
import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.BatchObserver;
import dev.sluice.scheduling.Cluster;
import dev.sluice.scheduling.StoreUnavailable;
import dev.sluice.workload.WorkloadId;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Tells admissions and evictions on the Jobs themselves, by an event and a condition each. Best effort: a notice is written after the
 * release or the stop that it is about, by a thread of its own and at a modest pace, tried a few times, and dropped when there are too
 * many. Nothing waits for it.
 */
final class JobNotices implements BatchObserver, AutoCloseable {
    private static final Logger LOG = Logger.getLogger(JobNotices.class.getName());
    private static final int WORKLOADS_MAX = 2_000;
    private static final int OF_ONE_MAX = 4;
    private static final int ATTEMPTS_MAX = 3;
    /** A workload may also be the preemptor of others. */
    private static final int LOOKED_UP = 20;
    /** What happened longer ago was said, or is no news. */
    private static final Duration CAUGHT_UP = Duration.ofMinutes(10);

    private static final Duration NEXT_ATTEMPT = Duration.ofSeconds(2);
    /** Fifty notices a second at most: in a flood of Jobs the API server has better to do. */
    private static final long PACE_NANOS = Duration.ofMillis(20).toNanos();

    private static final Set<Integer> NEVER_TAKEN = Set.of(400, 403, 404, 405, 409, 422);

    private final JobWatch watch;
    private final Patience patience;
    private final NoticeWriter writer;
    private final Supplier<Configuration> configuration;
    private final WorkloadReader workloads;
    private final KeyQueue<WorkloadId> queue = new KeyQueue<>("sluice-job-notices", 1, this::look);
    /** Oldest first, of each workload as well. */
    private final Map<WorkloadId, Deque<Pending>> pending = new LinkedHashMap<>();

    private long lastNanos = System.nanoTime() - PACE_NANOS;

    private static final class Pending {
        Notice notice;
        /** It may have been said by a leader before. */
        final boolean inDoubt;

        boolean eventOwed = true;
        boolean conditionOwed = true;
        int attempts;

        Pending(Notice notice, boolean inDoubt) {
            this.notice = notice;
            this.inDoubt = inDoubt;
        }
    }

    /**
     * @param configuration to name amounts by
     * @param workloads to look up why one was evicted while another led
     */
    JobNotices(
            KubernetesClient client,
            JobWatch watch,
            Patience patience,
            Supplier<Configuration> configuration,
            WorkloadReader workloads) {
        this.watch = watch;
        this.patience = patience;
        this.configuration = configuration;
        this.workloads = workloads;
        writer = new NoticeWriter(client);
    }

    void start() {
        watch.listen(this::changed);
        queue.start();
    }

    @Override
    public void committed(Batch batch) {
        for (Notice notice : Notice.of(batch)) {
            add(new Pending(notice, false));
            queue.add(notice.workload());
        }
    }

    /** Another leads from now on: what the one before may not have got to say of late is said, unless the Job says it. */
    void catchUp(List<Cluster.Expected> all) {
        Instant since = Instant.now().minus(CAUGHT_UP);
        for (Cluster.Expected one : all) {
            Notice unsaid = Notice.unsaid(one, since);
            if (unsaid != null && !isPending(unsaid.workload())) {
                add(new Pending(unsaid, true));
                queue.add(unsaid.workload());
            }
        }
    }

    private synchronized void add(Pending one) {
        Notice notice = one.notice;
        Deque<Pending> ofOne = pending.computeIfAbsent(notice.workload(), id -> new ArrayDeque<>(OF_ONE_MAX));
        if (ofOne.size() == OF_ONE_MAX) {
            ofOne.removeFirst();
        }
        ofOne.addLast(one);
        if (pending.size() > WORKLOADS_MAX) {
            WorkloadId oldest = pending.keySet().iterator().next();
            pending.remove(oldest);
            LOG.fine(() -> "what was to be said on the Job of " + oldest + " is not: too much is to be said");
        }
    }

    private void changed(JobSnapshot job) {
        WorkloadId byUid = new WorkloadId(job.uid());
        WorkloadId workload = job.workload() == null ? byUid : new WorkloadId(job.workload());
        if (watch.isGone(job.uid())) {
            forget(byUid);
            forget(workload);
        } else if (isPending(byUid)) {
            queue.add(byUid);
        } else if (isPending(workload)) {
            queue.add(workload);
        }
    }

    private synchronized boolean isPending(WorkloadId workload) {
        return pending.containsKey(workload);
    }

    private synchronized void forget(WorkloadId workload) {
        pending.remove(workload);
    }

    private synchronized @Nullable Pending first(WorkloadId workload) {
        Deque<Pending> ofOne = pending.get(workload);
        return ofOne == null ? null : ofOne.peekFirst();
    }

    private synchronized void done(Pending one) {
        WorkloadId workload = one.notice.workload();
        Deque<Pending> ofOne = pending.get(workload);
        if (ofOne != null) {
            ofOne.remove(one);
            if (ofOne.isEmpty()) {
                pending.remove(workload);
            }
        }
    }

    private void look(WorkloadId workload) {
        Pending one = first(workload);
        if (one == null) {
            return;
        }
        if (patience.left().isPositive()) {
            queue.addAfter(workload, patience.left());
            return;
        }
        JobSnapshot job = jobOf(workload);
        boolean said = one.inDoubt && one.attempts == 0 && job != null && one.notice.isSaid(job);
        switch (said ? Notice.Moment.NEVER : one.notice.at(job)) {
            case NOT_YET -> {
                return;
            }
            case NOW -> write(one, job, true);
            case LATE -> write(one, job, false);
            case NEVER -> done(one);
        }
        Pending next = first(workload);
        if (next != null && next != one) {
            queue.add(workload);
        }
    }

    private @Nullable JobSnapshot jobOf(WorkloadId workload) {
        return watch.of(WantedJob.unknown(workload, Cluster.FIRST_FENCE, WantedJob.Run.HELD));
    }

    private void write(Pending one, @Nullable JobSnapshot job, boolean asCondition) {
        if (job == null || !isExplained(one)) {
            return;
        }
        awaitTurn();
        JobSnapshot preemptor = one.notice instanceof Notice.Evicted evicted && evicted.preemptor() != null
                ? jobOf(evicted.preemptor())
                : null;
        NoticeText text = NoticeText.of(one.notice, configuration.get(), preemptor);
        one.attempts++;
        one.eventOwed = one.eventOwed && !isSettled(one, () -> writer.event(job, text), job);
        one.conditionOwed = asCondition && one.conditionOwed && !isSettled(one, () -> writer.condition(job, text), job);
        if (one.eventOwed || one.conditionOwed) {
            queue.addAfter(one.notice.workload(), NEXT_ATTEMPT);
        } else {
            done(one);
        }
    }

    /** Looks up what is not known of the notice yet. */
    private boolean isExplained(Pending one) {
        if (!(one.notice instanceof Notice.Lapsed lapsed)) {
            return true;
        }
        try {
            List<EvictionRow> last = workloads
                    .evictions(new EvictionFilter(lapsed.workload(), null, null, null), LOOKED_UP, null)
                    .items()
                    .stream()
                    .filter(row -> row.victim().equals(lapsed.workload()))
                    .toList();
            if (last.isEmpty()) {
                done(one);
                return false;
            }
            one.notice = lapsed.told(last.getFirst());
            return true;
        } catch (StoreUnavailable away) {
            queue.addAfter(lapsed.workload(), NEXT_ATTEMPT);
            return false;
        }
    }

    /** Whether it was written, or never will be. */
    private static boolean isSettled(Pending one, Runnable write, JobSnapshot job) {
        try {
            write.run();
            return true;
        } catch (KubernetesClientException failed) {
            boolean givenUp = one.attempts >= ATTEMPTS_MAX || NEVER_TAKEN.contains(failed.getCode());
            LOG.fine(() -> "a notice about Job " + job.namespace() + "/" + job.name() + " could not be given"
                    + (givenUp ? ": " : " yet: ") + failed.getMessage());
            return givenUp;
        }
    }

    /** Only ever called by the one worker. */
    private void awaitTurn() {
        long rest = lastNanos + PACE_NANOS - System.nanoTime();
        if (rest > 0) {
            try {
                Thread.sleep(Duration.ofNanos(rest));
            } catch (InterruptedException stopping) {
                Thread.currentThread().interrupt();
            }
        }
        lastNanos = System.nanoTime();
    }

    @Override
    public void close() {
        queue.close();
    }
}
