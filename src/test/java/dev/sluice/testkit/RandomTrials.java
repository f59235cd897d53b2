package dev.sluice.testkit;

/**
 * How many random worlds a test tries: as many as it says, or the share of them that {@code -Dtest.worlds.percent} asks for,
 * where the same test runs hundreds of times, as in mutation testing.
 */
public final class RandomTrials {
    private static final int PERCENT = Integer.getInteger("test.worlds.percent", 100);

    private RandomTrials() {}

    /** @return at least 1 */
    public static int outOf(int all) {
        return Math.max(1, all * PERCENT / 100);
    }
}
