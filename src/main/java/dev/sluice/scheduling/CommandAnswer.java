package dev.sluice.scheduling;

/** What a caller hears of a command: what the leader committed, or that it has not got to it yet. */
public sealed interface CommandAnswer {
    /** The leader processed it, and that is committed. */
    record Done() implements CommandAnswer {}

    /** The leader processed it and did nothing; {@code why} is fit for the caller to read. */
    record Refused(String why) implements CommandAnswer {}

    /** Durable, and will be processed; the caller's time to wait ran out first. */
    record Pending(long commandId) implements CommandAnswer {}
}
