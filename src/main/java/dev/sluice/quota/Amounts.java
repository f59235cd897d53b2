package dev.sluice.quota;

/**
 * Arithmetic on amounts (milli-units of cpu, whole units of everything else) that saturates instead of wrapping.
 *
 * <p>Saturation is what keeps a request of 2^63 devices "more than the maximum" rather than a negative number that frees
 * quota.
 */
public final class Amounts {
    /** A quota that nothing exceeds; also what a saturated request asks for, so that only such a quota holds it. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    private Amounts() {}

    /** A sum of quotas or usages: unlimited plus anything is unlimited. */
    public static long plus(long left, long right) {
        return left == UNLIMITED || right == UNLIMITED ? UNLIMITED : add(left, right);
    }

    /**
     * A difference of quotas or usages: unlimited minus anything bounded is unlimited, bounded minus unlimited is the
     * smallest number, unlimited minus unlimited is 0.
     */
    public static long minus(long left, long right) {
        if (left == UNLIMITED) {
            return right == UNLIMITED ? 0 : UNLIMITED;
        }
        return right == UNLIMITED ? Long.MIN_VALUE : subtract(left, right);
    }

    public static long add(long left, long right) {
        long sum = left + right;
        if (((left ^ sum) & (right ^ sum)) < 0) {
            return left < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
        return sum;
    }

    public static long subtract(long left, long right) {
        long difference = left - right;
        if (((left ^ right) & (left ^ difference)) < 0) {
            return left < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
        return difference;
    }

    public static long multiply(long left, long right) {
        long high = Math.multiplyHigh(left, right);
        long low = left * right;
        if ((high == 0 && low >= 0) || (high == -1 && low < 0)) {
            return low;
        }
        return (left < 0) == (right < 0) ? Long.MAX_VALUE : Long.MIN_VALUE;
    }
}
