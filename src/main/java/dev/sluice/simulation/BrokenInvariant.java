package dev.sluice.simulation;

/** Something that must always hold does not; the message says what, with the numbers. */
public final class BrokenInvariant extends RuntimeException {
    private static final long serialVersionUID = 1;

    BrokenInvariant(String what) {
        super(what);
    }

    BrokenInvariant(String where, RuntimeException cause) {
        super(where + ": " + cause.getMessage(), cause);
    }
}
