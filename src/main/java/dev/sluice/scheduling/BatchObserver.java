package dev.sluice.scheduling;

/**
 * Told of every batch after its commit, on the committing thread: must return at once and not throw. For metrics and as a hint to
 * those who tail the log; what must not be missed is read from the log.
 */
public interface BatchObserver {
    void committed(Batch batch);
}
