package dev.sluice.scheduling;

/** Somebody else leads: the leadership row carries another epoch or holder, or it expired. The batch was not written. */
public final class Deposed extends RuntimeException {
    public Deposed(String message) {
        super(message);
    }
}
