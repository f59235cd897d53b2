package dev.sluice.fleet;

import java.time.Instant;

/**
 * Time of a fleet and the one thread on which it turns. The system's clock turns by itself; a test's clock is moved by hand,
 * so that hours pass in no time and always in the same order.
 */
public interface FleetClock extends AutoCloseable {
    /** On a scale that never goes back; only differences mean something. */
    long nanos();

    /** For records that people read. */
    Instant now();

    /** Begins to turn; called once. */
    void start(Turn turn);

    /** Something is to be done that was not when the last turn ended. Called from any thread. */
    void wake();

    @Override
    void close();

    /** Does what is due. */
    interface Turn {
        /** Returns when the next thing is due, on the scale of {@link FleetClock#nanos}; {@link Long#MAX_VALUE} = nothing is. */
        long run();
    }
}
