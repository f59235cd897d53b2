package dev.sluice.scheduling;

import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.Cluster.ObservedJob;
import dev.sluice.scheduling.SchedulingStore.LastSeen;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** How a new leader and the cluster come to agree: it takes in what runs, and says what should. Belongs to the leader's thread. */
final class Takeover {
    private static final Logger LOG = Logger.getLogger(Takeover.class.getName());

    /** Where there is nothing else to go by. */
    private static final Duration UNBOUNDED = Duration.ofDays(1);

    private final SchedulingStore store;
    private final Cluster cluster;
    private final Roster roster;
    private final Consumer<Message> mailbox;
    /** What is not compared yet, as it was at the start. */
    private final Map<WorkloadId, Standing> postponed = new HashMap<>();

    private @Nullable Thread surveying;
    private @Nullable Survey survey;

    private record Standing(WorkloadState state, long fence) {
        static Standing of(Roster.Entry entry) {
            return new Standing(entry.status.state(), entry.fence);
        }
    }

    /** @param mailbox of the leader; gets a survey from another thread when a cluster answers that did not at the start */
    Takeover(SchedulingStore store, Cluster cluster, Roster roster, Consumer<Message> mailbox) {
        this.store = store;
        this.cluster = cluster;
        this.roster = roster;
        this.mailbox = mailbox;
    }

    /**
     * Before anything is decided, what the store says is compared with the cluster. While that is away, decisions go on by what is known:
     * what the store says is charged stays charged until it is seen to be gone, and nodes and namespaces are as they were last. What is
     * decided waits for the cluster, and so does the comparison.
     *
     * @throws ClusterUnavailable if it is away and no leader ever saw it
     */
    void look(Turn turn, Duration patience) throws InterruptedException {
        LastSeen last = store.lastSeen();
        try {
            Survey seen = Survey.of(cluster, patience, last == null ? UNBOUNDED : patience);
            take(turn, seen, List.copyOf(roster.entries()));
        } catch (ClusterUnavailable away) {
            if (last == null) {
                throw away;
            }
            LOG.warning(() ->
                    "the cluster is away; the leader decides by what was seen last, and compares when it is back: "
                            + away.getMessage());
            turn.capacity(last.capacity());
            turn.namespaces(last.namespaces());
            for (Roster.Entry entry : roster.entries()) {
                postponed.put(entry.workload.id(), Standing.of(entry));
                if (entry.jobUid == null) {
                    // Its creation may have been lost, and it may be let go before that is compared. To create it twice
                    // is to create it once.
                    turn.reconcile(entry, new Reconciliation.Create());
                }
            }
            surveying = Survey.later(cluster, seen -> mailbox.accept(new Message.Surveyed(this, seen)));
        }
    }

    /** One that an earlier term asked for is older than this one. */
    void surveyed(Message.Surveyed seen) {
        if (seen.by() == this) {
            survey = seen.survey();
        }
    }

    /** What was put off is compared once the cluster was surveyed, unless something was decided or heard of it meanwhile. */
    void catchUp(Turn turn) {
        Survey seen = survey;
        if (seen != null) {
            survey = null;
            List<Roster.Entry> untouched = roster.entries().stream()
                    .filter(entry -> Standing.of(entry).equals(postponed.get(entry.workload.id())))
                    .toList();
            postponed.clear();
            take(turn, seen, untouched);
        }
    }

    void end() {
        if (surveying != null) {
            surveying.interrupt();
        }
    }

    private void take(Turn turn, Survey seen, List<Roster.Entry> entries) {
        turn.capacity(seen.capacity());
        turn.namespaces(seen.namespaces());
        reconcile(turn, seen.jobs(), entries);
    }

    private void reconcile(Turn turn, List<ObservedJob> observed, List<Roster.Entry> entries) {
        Map<WorkloadId, List<ObservedJob>> jobs = new HashMap<>();
        observed.forEach(job ->
                jobs.computeIfAbsent(job.workload(), id -> new ArrayList<>(1)).add(job));
        for (Roster.Entry entry : entries) {
            // Several may say that they are a workload's; the one that was seen first is.
            ObservedJob job = jobs.getOrDefault(entry.workload.id(), List.of()).stream()
                    .filter(one -> entry.jobUid == null || entry.jobUid.equals(one.uid()))
                    .findFirst()
                    .orElse(null);
            turn.reconcile(entry, Reconciliation.of(entry, job));
            if (job != null) {
                turn.observation(new Observation.Reclaimable(entry.workload.id(), entry.fence, job.reclaimable()));
            }
        }
    }

    /** What the cluster should look like once the first batch is carried out. */
    Effect expectation(Configuration configuration) {
        return new Effect.Expect(roster.entries().stream()
                .map(entry -> {
                    WorkloadState state = entry.status.state();
                    boolean runs = state == WorkloadState.ADMITTED || state == WorkloadState.RUNNING;
                    Assignment assignment = entry.status.assignment();
                    return new Cluster.Expected(
                            entry.workload.in(entry.status.localQueue()),
                            entry.manifest,
                            entry.jobUid,
                            entry.fence,
                            entry.status,
                            runs && assignment != null
                                    ? Placement.of(
                                            assignment,
                                            configuration,
                                            entry.status.particulars().checks())
                                    : null,
                            state == WorkloadState.EVICTING);
                })
                .toList());
    }
}
