package dev.sluice.quota;

/** {@code HOLD} admits nothing new; {@code HOLD_AND_DRAIN} also evicts what runs. */
public enum StopPolicy {
    NONE,
    HOLD,
    HOLD_AND_DRAIN
}
