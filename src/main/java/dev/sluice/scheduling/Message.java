package dev.sluice.scheduling;

import dev.sluice.admission.Engine;
import dev.sluice.scheduling.ConfigurationStore.Stored;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** What reaches the leader's thread. */
sealed interface Message {
    record Offered(QueuedCommand command) implements Message {}

    record Observed(Observation observation) implements Message {}

    /** @param answer completes its own future, also exceptionally; the engine must not escape it */
    record Question(BiConsumer<Engine, Instant> answer, CompletableFuture<?> future) implements Message {}

    record Edit(Supplier<Stored> edit, CompletableFuture<Stored> future) implements Message {}

    record Committed(Batch batch, Instant databaseNow) implements Message {}

    record CommitFailed(RuntimeException failure) implements Message {}

    /** The cluster answers that did not at the start of the term; {@code by} tells of which term. */
    record Surveyed(Takeover by, Survey survey) implements Message {}

    record Stop() implements Message {}
}
