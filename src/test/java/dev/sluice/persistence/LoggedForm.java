package dev.sluice.persistence;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.sluice.overview.WorkloadReader.LoggedEvent;
import dev.sluice.scheduling.Batch;
import java.time.Instant;
import java.util.Map;

/** A log entry as readers get it, for stores that keep none of it in a database. */
public final class LoggedForm {
    private static final TypeReference<Map<String, Object>> FIELDS = new TypeReference<>() {};

    private LoggedForm() {}

    public static LoggedEvent of(Instant at, Batch.Entry entry) {
        EntryCodec.Line line = EntryCodec.encode(entry);
        return new LoggedEvent(
                entry.position(),
                at,
                line.kind(),
                line.workload(),
                StoredJson.MAPPER.convertValue(line.body(), FIELDS));
    }
}
