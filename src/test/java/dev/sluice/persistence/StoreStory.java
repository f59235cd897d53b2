package dev.sluice.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.Decision;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.LocalQueueUsage;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.Toleration;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.Batch.WorkloadChange;
import dev.sluice.scheduling.CommandOutcome;
import dev.sluice.scheduling.LeadershipStore.Leadership;
import dev.sluice.scheduling.SchedulingStore.Snapshot;
import dev.sluice.scheduling.Submission;
import dev.sluice.scheduling.SubmissionResult;
import dev.sluice.workload.Assignment;
import dev.sluice.workload.Assignment.PodSetAssignment;
import dev.sluice.workload.PodSet;
import dev.sluice.workload.PodSetUpdate;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Writes to a store what a leader would write, with as few words as a test needs. */
final class StoreStory {
    static final Duration LEAD = Duration.ofSeconds(30);
    static final String GPU = "deviceclass/h100.gpu.example.com";

    private static final AtomicLong IDS = new AtomicLong();

    final StoreUnderTest store;
    final Leadership leadership;
    private final Duration timeToLive;
    private long batch;
    private long position;

    private final List<Batch.Entry> entries = new ArrayList<>();
    private final List<WorkloadChange> changes = new ArrayList<>();
    private final List<Batch.Eviction> evictions = new ArrayList<>();
    private final List<CommandOutcome> outcomes = new ArrayList<>();
    private final List<LocalQueueUsage> usages = new ArrayList<>();

    StoreStory(StoreUnderTest store, String holder) {
        this(store, holder, LEAD);
    }

    StoreStory(StoreUnderTest store, String holder, Duration timeToLive) {
        this.store = store;
        this.timeToLive = timeToLive;
        this.leadership = store.leadership().acquire(holder, timeToLive).orElseThrow();
        Snapshot snapshot = store.scheduling().load();
        this.batch = snapshot.batchNumber();
        this.position = snapshot.logPosition();
    }

    static Submission submission(String name) {
        return submission(name, null, "hash");
    }

    static Submission submission(String name, @Nullable String key, String bodyHash) {
        return new Submission(
                new WorkloadId("w-" + String.format("%09d", IDS.incrementAndGet())),
                name,
                "team-a",
                "main",
                "batch",
                100,
                List.of(PodSet.of("main", 2, Map.of(GPU, 2L, "cpu", 8000L))),
                Duration.ofHours(2),
                null,
                null,
                "alice",
                key,
                bodyHash);
    }

    SubmissionResult.Accepted submit(Submission submission) {
        SubmissionResult result = store.intake().submit(List.of(submission)).getFirst();
        assertThat(result).isInstanceOf(SubmissionResult.Accepted.class);
        return (SubmissionResult.Accepted) result;
    }

    /** Submitted, and taken into its queue by a batch. */
    Workload queued(String name) {
        SubmissionResult.Accepted accepted = submit(submission(name));
        queue(accepted).commit();
        return accepted.workload();
    }

    StoreStory queue(SubmissionResult.Accepted accepted) {
        Workload workload = accepted.workload();
        input(new EngineEvent.WorkloadQueued(workload, workload.createdAt()));
        outcomes.add(new CommandOutcome(accepted.commandId(), null));
        return change(workload, List.of(), pending(workload));
    }

    StoreStory input(EngineEvent event) {
        entries.add(new Batch.Entry.Input(++position, event));
        return this;
    }

    StoreStory decide(Decision decision) {
        entries.add(new Batch.Entry.Decided(++position, decision));
        return this;
    }

    StoreStory admit(Workload workload, long admissionSequence) {
        decide(new Decision.Admit(workload.id(), assignment(), admissionSequence));
        return change(workload, List.of(WorkloadState.ADMITTED), holding(workload, WorkloadState.ADMITTED));
    }

    StoreStory change(Workload workload, List<WorkloadState> path, WorkloadStatus status) {
        return change(new WorkloadChange(workload.id(), path, status, 1, null, null, null, null));
    }

    StoreStory change(WorkloadChange change) {
        changes.add(change);
        return this;
    }

    StoreStory evict(Batch.Eviction eviction) {
        evictions.add(eviction);
        return this;
    }

    StoreStory use(LocalQueueUsage... written) {
        usages.addAll(List.of(written));
        return this;
    }

    StoreStory settle(long commandId, @Nullable String refusal) {
        outcomes.add(new CommandOutcome(commandId, refusal));
        return this;
    }

    Batch batch() {
        return batchOn(store.scheduling().configurationVersion());
    }

    Batch batchOn(long configurationVersion) {
        return new Batch(
                batch + 1,
                store.scheduling().now(),
                configurationVersion,
                entries,
                changes,
                evictions,
                outcomes,
                usages);
    }

    Instant commit() {
        Instant at = store.scheduling().commit(leadership, batch(), timeToLive);
        batch++;
        entries.clear();
        changes.clear();
        evictions.clear();
        outcomes.clear();
        usages.clear();
        return at;
    }

    static Assignment assignment() {
        return new Assignment(
                "team-a",
                List.of(new PodSetAssignment(
                        "main",
                        2,
                        new TreeMap<>(Map.of(GPU, "h100", "cpu", "default")),
                        new TreeMap<>(Map.of(GPU, 4L, "cpu", 16000L)))),
                true);
    }

    static PodSetUpdate podSetUpdate() {
        return new PodSetUpdate(
                "main",
                new TreeMap<>(Map.of("example.com/budget", "b7")),
                new TreeMap<>(Map.of("example.com/paid-by", "the \"team\"")),
                new TreeMap<>(Map.of("pool", "a")),
                List.of(new Toleration("spot", "Exists", "", "NoExecute", 30L)));
    }

    static WorkloadStatus pending(Workload workload) {
        return status(workload, WorkloadState.PENDING, null, false);
    }

    static WorkloadStatus holding(Workload workload, WorkloadState state) {
        return status(workload, state, assignment(), true);
    }

    static WorkloadStatus ended(Workload workload, WorkloadState state) {
        return status(workload, state, null, false);
    }

    private static WorkloadStatus status(
            Workload workload, WorkloadState state, @Nullable Assignment assignment, boolean charged) {
        return new WorkloadStatus(
                state,
                workload.localQueue(),
                "team-a",
                workload.priorityClass(),
                workload.priority(),
                true,
                workload.createdAt(),
                assignment,
                assignment == null ? null : workload.createdAt().plusMillis(5),
                assignment == null ? 0 : 7,
                charged,
                List.of(),
                state == WorkloadState.EVICTING ? WorkloadState.PENDING : null,
                0,
                null,
                null);
    }
}
