package dev.sluice.testkit;

import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.LeadershipStore.Leadership;
import dev.sluice.scheduling.QueuedCommand;
import dev.sluice.scheduling.SchedulingStore;
import dev.sluice.scheduling.StoreUnavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A store whose commits fail when a test wants them to.
 *
 * @param faults asked before each commit
 */
public record FailingCommits(SchedulingStore store, Function<Batch, Fault> faults) implements SchedulingStore {
    public enum Fault {
        NONE,
        /** Nothing is written. */
        BEFORE,
        /** It is written, and the answer is lost on the way: the caller cannot tell. */
        AFTER
    }

    @Override
    public Instant commit(Leadership leadership, Batch batch, Duration timeToLive) {
        Fault fault = faults.apply(batch);
        if (fault == Fault.BEFORE) {
            throw new StoreUnavailable("the database went away before batch " + batch.number(), null);
        }
        Instant now = store.commit(leadership, batch, timeToLive);
        if (fault == Fault.AFTER) {
            throw new StoreUnavailable("the answer to batch " + batch.number() + " was lost", null);
        }
        return now;
    }

    @Override
    public Instant renew(Leadership leadership, Duration timeToLive) {
        return store.renew(leadership, timeToLive);
    }

    @Override
    public Snapshot load() {
        return store.load();
    }

    @Override
    public @Nullable LastSeen lastSeen() {
        return store.lastSeen();
    }

    @Override
    public Instant now() {
        return store.now();
    }

    @Override
    public List<QueuedCommand> commands(Set<Long> known, int limit) {
        return store.commands(known, limit);
    }

    @Override
    public Configuration configuration() {
        return store.configuration();
    }

    @Override
    public long configurationVersion() {
        return store.configurationVersion();
    }
}
