package dev.sluice.admission;

/**
 * Where a scan over a group's flavors stopped, so that the next one goes on behind it.
 */
final class ScanMemory {
    /** Per part of the request and resource of the part: index of the flavor, -1 = the scan saw the last one. */
    private final int[][] stoppedAt;

    /** Generation of the queue when it was written. */
    private final long generation;

    /** Cycle of the tree in which it was written. */
    private final long cycle;

    /** Instant in which it was written. */
    private final long instant;

    ScanMemory(int[][] stoppedAt, long generation, long cycle, long instant) {
        this.stoppedAt = stoppedAt;
        this.generation = generation;
        this.cycle = cycle;
        this.instant = instant;
    }

    int[][] stoppedAt() {
        return stoppedAt;
    }

    long generation() {
        return generation;
    }

    long cycle() {
        return cycle;
    }

    long instant() {
        return instant;
    }

    int next(int part, int resource) {
        return part < stoppedAt.length && resource < stoppedAt[part].length ? stoppedAt[part][resource] + 1 : 0;
    }

    /** Whether some scan did not see its last flavor. */
    boolean isUnfinished() {
        for (int[] part : stoppedAt) {
            for (int index : part) {
                if (index != -1) {
                    return true;
                }
            }
        }
        return false;
    }
}
