package dev.sluice.platform;

import dev.sluice.admission.Engine;
import dev.sluice.admission.EngineEvent;
import dev.sluice.overview.EngineReader;
import dev.sluice.scheduling.Cluster;
import dev.sluice.scheduling.LeaderLoop;
import dev.sluice.scheduling.SchedulingStore;
import dev.sluice.scheduling.SchedulingStore.Snapshot;
import dev.sluice.scheduling.StoreUnavailable;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Asks the leader's engine where this process leads. A replica that does not lead restores an engine of its own from the store, at most
 * once a second, so it answers from what was committed up to then.
 */
@Singleton
class EngineQuestions implements EngineReader {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final Duration RESTORED_AGE_MAX = Duration.ofSeconds(1);

    private final LeaderLoop loop;
    private final SchedulingStore store;
    private final Cluster cluster;
    private final SchedulingConfig config;
    private @Nullable Restored restored;

    EngineQuestions(LeaderLoop loop, SchedulingStore store, Cluster cluster, SchedulingConfig config) {
        this.loop = loop;
        this.store = store;
        this.cluster = cluster;
        this.config = config;
    }

    @Override
    public <T> T ask(BiFunction<Engine, Instant, T> question) {
        Optional<CompletableFuture<T>> answer = loop.ask(question);
        return answer.isPresent() ? await(answer.get()) : askRestored(question);
    }

    private static <T> T await(CompletableFuture<T> answer) {
        try {
            return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(failed.getCause());
        } catch (TimeoutException late) {
            throw new StoreUnavailable("the leader did not answer within " + PATIENCE.toSeconds() + " s", late);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailable("the service is stopping", stopping);
        }
    }

    private synchronized <T> T askRestored(BiFunction<Engine, Instant, T> question) {
        Restored current = restored;
        if (current == null || System.nanoTime() - current.atNanos > RESTORED_AGE_MAX.toNanos()) {
            current = restore();
            restored = current;
        }
        return question.apply(current.engine, current.now);
    }

    private Restored restore() {
        Snapshot snapshot = store.load();
        Instant now = store.now();
        if (snapshot.lastDecidedAt() != null && snapshot.lastDecidedAt().isAfter(now)) {
            now = snapshot.lastDecidedAt();
        }
        Engine engine = new Engine(config.admission());
        snapshot.restore(engine, now);
        engine.apply(new EngineEvent.ConfigurationReplaced(snapshot.configuration()), now);
        engine.apply(new EngineEvent.NamespacesChanged(cluster.namespaces()), now);
        // Decided once on its own copy, so that everything that waits has a reason; nothing of it is committed.
        engine.decide(now);
        return new Restored(engine, now, System.nanoTime());
    }

    private record Restored(Engine engine, Instant now, long atNanos) {}
}
