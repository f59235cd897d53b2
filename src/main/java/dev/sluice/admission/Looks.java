package dev.sluice.admission;

/**
 * What deciding cost so far, counted where it costs: decisions are the same however much is looked at in vain, so nothing else tells
 * whether a bound or a memory still spares what it is there to spare. Belongs to one roster; never goes down.
 */
final class Looks {
    /** Queues that were searched for somebody to wake. */
    long queues;
    /** Lanes whose first was compared with what its queue could get. */
    long lanes;
    /** Requests for which flavors, and victims if need be, were looked for. */
    long nominations;
    /** What was written to ledgers of earlier configurations, to see what would be or for good. */
    long writesBefore;
}
