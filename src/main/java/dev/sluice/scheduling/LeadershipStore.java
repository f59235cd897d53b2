package dev.sluice.scheduling;

import java.time.Duration;
import java.util.Optional;

/** The one row that says who leads. Expiry is by the database's clock. */
public interface LeadershipStore {
    /**
     * Takes the lead if nobody holds it, its holder's time ran out, or {@code holder} holds it already; every taking makes a new
     * epoch. Empty = somebody else leads.
     */
    Optional<Leadership> acquire(String holder, Duration timeToLive);

    /** Gives the lead up, so that another need not wait for the expiry. Does nothing if it was lost. */
    void resign(Leadership leadership);

    /** Who leads now, whether or not its time ran out; empty = nobody ever did. */
    Optional<Leadership> current();

    record Leadership(String holder, long epoch) {}
}
