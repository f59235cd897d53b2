package dev.sluice.scheduling;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/** The committed log as the engine saw it, so that another engine can be led through the same instants. */
public interface ReplayReader {
    /**
     * Hands over every batch that has entries, in order, from the first. Queued workloads and configurations come in full.
     *
     * @throws IllegalStateException if the log no longer begins at its beginning
     */
    void replay(Consumer<LoggedBatch> receiver);

    /** @param at engine time at which the inputs were applied and the decisions made */
    record LoggedBatch(long number, Instant at, List<Batch.Entry> entries) {
        public LoggedBatch {
            entries = List.copyOf(entries);
        }
    }
}
