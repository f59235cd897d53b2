package dev.sluice.quota;

/** Whether a head that does not fit holds back those behind it. */
public enum QueueingStrategy {
    STRICT_FIFO,
    BEST_EFFORT_FIFO
}
