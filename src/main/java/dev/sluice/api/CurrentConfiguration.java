package dev.sluice.api;

import dev.sluice.quota.Configuration;
import dev.sluice.scheduling.Batch;
import dev.sluice.scheduling.BatchObserver;
import dev.sluice.scheduling.ConfigurationStore;
import dev.sluice.scheduling.ConfigurationStore.Stored;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The configuration as this process last saw it, so that a submission costs no read. It is read again when it is older than two
 * seconds or a batch tells of a newer version; whoever misses a name asks for {@link #fresh} before saying that it does not exist.
 */
@Singleton
public class CurrentConfiguration implements BatchObserver {
    private static final long AGE_MAX_NANOS = 2_000_000_000L;

    private final ConfigurationStore store;
    private final AtomicReference<@Nullable Seen> seen = new AtomicReference<>();

    public CurrentConfiguration(ConfigurationStore store) {
        this.store = store;
    }

    private record Seen(Stored stored, long at) {}

    public Configuration recent() {
        Seen last = seen.get();
        return last != null && System.nanoTime() - last.at() < AGE_MAX_NANOS
                ? last.stored().configuration()
                : fresh().configuration();
    }

    /** As committed at this moment. */
    public Stored fresh() {
        Stored stored = store.read();
        seen(stored);
        return stored;
    }

    /** What an edit of this process left behind. */
    void seen(Stored stored) {
        seen.accumulateAndGet(
                new Seen(stored, System.nanoTime()),
                (last, next) -> last == null
                                || next == null
                                || last.stored().configuration().version()
                                        <= next.stored().configuration().version()
                        ? next
                        : last);
    }

    @Override
    public void committed(Batch batch) {
        Seen last = seen.get();
        if (last != null && last.stored().configuration().version() < batch.configurationVersion()) {
            seen.compareAndSet(last, null);
        }
    }
}
