package dev.sluice.scheduling;

import dev.sluice.admission.CheckStatus;
import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.admission.WorkloadStatus;
import dev.sluice.quota.Configuration;
import dev.sluice.quota.LocalQueue;
import dev.sluice.quota.WorkloadPriorityClass;
import dev.sluice.workload.Workload;
import dev.sluice.workload.WorkloadId;
import dev.sluice.workload.WorkloadState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Makes engine events of committed commands, or says why one cannot be carried out (any more). */
final class Wishes {
    private final Turn turn;
    private final Engine engine;
    private final Roster roster;
    private final Configuration configuration;
    private final Instant at;

    Wishes(Turn turn, Engine engine, Roster roster, Configuration configuration, Instant at) {
        this.turn = turn;
        this.engine = engine;
        this.roster = roster;
        this.configuration = configuration;
        this.at = at;
    }

    /** Null = done; else why not. */
    @Nullable String carryOut(Command command) {
        return switch (command) {
            case Command.Submit submit -> queue(submit);
            case Command.Cancel cancel ->
                onLive(cancel.workloadId(), new EngineEvent.CancelRequested(cancel.workloadId()));
            case Command.ChangePriorityClass change -> changePriority(change);
            case Command.ChangeQueue change -> changeQueue(change);
            case Command.ChangeCheck change -> changeCheck(change);
            case Command.ChangePodSets change -> changePodSets(change);
            case Command.ChangeActivation change ->
                onLive(change.workloadId(), new EngineEvent.ActivationChanged(change.workloadId(), change.active()));
            case Command.Unreadable unreadable ->
                throw new IllegalArgumentException("set aside before it comes here: " + unreadable);
        };
    }

    private @Nullable String queue(Command.Submit submit) {
        Workload workload = submit.workload();
        if (roster.find(workload.id()) != null) {
            return null;
        }
        turn.apply(new EngineEvent.WorkloadQueued(workload, at));
        WorkloadStatus status = engine.status(workload.id())
                .orElseThrow(
                        () -> new IllegalStateException("the engine does not know " + workload.id() + ", just queued"));
        Roster.Entry entry = roster.add(workload, submit.manifest(), status);
        turn.touch(workload.id());
        turn.follow(new Effect.Create(workload, submit.manifest(), entry.fence));
        return null;
    }

    private @Nullable String onLive(WorkloadId workload, EngineEvent event) {
        if (roster.find(workload) == null || engine.status(workload).isEmpty()) {
            return whyNotLive(workload);
        }
        turn.apply(event);
        turn.touch(workload);
        return null;
    }

    private String whyNotLive(WorkloadId workload) {
        String unreadable = roster.setAside().get(workload);
        return unreadable == null ? "the workload has ended" : "its stored row cannot be read: " + unreadable;
    }

    private @Nullable String changePriority(Command.ChangePriorityClass change) {
        String name = change.priorityClass();
        if (name == null) {
            return onLive(change.workloadId(), new EngineEvent.PriorityChanged(change.workloadId(), null, 0));
        }
        WorkloadPriorityClass priorityClass = configuration.priorityClasses().get(name);
        if (priorityClass == null) {
            return "there is no priority class " + name;
        }
        return onLive(
                change.workloadId(), new EngineEvent.PriorityChanged(change.workloadId(), name, priorityClass.value()));
    }

    private @Nullable String changeCheck(Command.ChangeCheck change) {
        WorkloadStatus now = engine.status(change.workloadId())
                .filter(status -> status.charged() && status.state() != WorkloadState.EVICTING)
                .orElse(null);
        CheckStatus check = now == null ? null : now.particulars().checks().get(change.check());
        if (now == null || check == null) {
            return "admission check " + change.check() + " is not asked of the workload now";
        }
        boolean adds =
                !change.podSetUpdates().isEmpty() && !change.podSetUpdates().equals(check.podSetUpdates());
        if (adds && now.state() != WorkloadState.RESERVED) {
            return "its pods were let go already, and nothing can be added to them";
        }
        return onLive(
                change.workloadId(),
                new EngineEvent.CheckChanged(
                        change.workloadId(),
                        change.check(),
                        change.state(),
                        change.message(),
                        change.retryAfter(),
                        change.podSetUpdates()));
    }

    private @Nullable String changePodSets(Command.ChangePodSets change) {
        Roster.Entry entry = roster.find(change.workloadId());
        if (entry == null || engine.status(change.workloadId()).isEmpty()) {
            return whyNotLive(change.workloadId());
        }
        if (entry.workload.podSets().equals(change.podSets())) {
            return null;
        }
        entry.workload = entry.workload.asking(change.podSets());
        return onLive(change.workloadId(), new EngineEvent.PodSetsChanged(change.workloadId(), change.podSets()));
    }

    private @Nullable String changeQueue(Command.ChangeQueue change) {
        Roster.Entry entry = roster.find(change.workloadId());
        WorkloadStatus status = engine.status(change.workloadId()).orElse(null);
        if (entry == null || status == null) {
            return whyNotLive(change.workloadId());
        }
        if (status.charged()) {
            return "the workload holds quota; its queue can change only while it waits";
        }
        String key = LocalQueue.key(entry.workload.namespace(), change.localQueue());
        if (!configuration.localQueues().containsKey(key)) {
            return "there is no LocalQueue " + key;
        }
        return onLive(change.workloadId(), new EngineEvent.QueueChanged(change.workloadId(), change.localQueue()));
    }
}
