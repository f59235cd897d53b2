package dev.sluice.scheduling;

/** Takes committed commands over in memory, so that a leader in this process need not read them back. A hint, never the truth. */
public interface CommandReceiver {
    /** Returns at once; does nothing on a replica that does not lead. */
    void offer(QueuedCommand command);
}
