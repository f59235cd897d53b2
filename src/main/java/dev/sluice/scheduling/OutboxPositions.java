package dev.sluice.scheduling;

/** How far each reader of the event log got. The log is the outbox: one append, and a position per reader. */
public interface OutboxPositions {
    /** Position of the last entry that the reader is done with; 0 = none. */
    long position(String reader);

    /** Moves the reader on if it still stands at {@code from}; false = another relay moved it. */
    boolean advance(String reader, long from, long to);
}
