package dev.sluice.overview;

import dev.sluice.overview.WorkloadReader.LoggedEvent;
import java.util.List;

/** The committed log, read by position; positions are contiguous and grow in commit order. */
public interface EventLogReader {
    /** Entries after {@code position}, in order. */
    List<LoggedEvent> after(long position, int limit);

    /** Position of the last entry; 0 = none. */
    long end();
}
