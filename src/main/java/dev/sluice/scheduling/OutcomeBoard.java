package dev.sluice.scheduling;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Tells callers of this process what the leader of this process committed for their commands. */
public final class OutcomeBoard implements BatchObserver {
    private final Map<Long, CompletableFuture<CommandOutcome>> awaited = new ConcurrentHashMap<>();

    CompletableFuture<CommandOutcome> await(long commandId) {
        return awaited.computeIfAbsent(commandId, id -> new CompletableFuture<>());
    }

    void forget(long commandId) {
        awaited.remove(commandId);
    }

    @Override
    public void committed(Batch batch) {
        for (CommandOutcome outcome : batch.outcomes()) {
            CompletableFuture<CommandOutcome> waiting = awaited.get(outcome.commandId());
            if (waiting != null) {
                waiting.complete(outcome);
            }
        }
    }
}
