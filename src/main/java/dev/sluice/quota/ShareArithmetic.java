package dev.sluice.quota;

/** How dominant resource shares are told apart. */
public enum ShareArithmetic {
    /** As fractions, without any rounding. */
    EXACT,
    /**
     * As double-precision numbers, rounded where Kueue rounds them (its {@code CompareDRS}): of equal shares one may be the higher by the
     * last bit, and of shares that hardly differ none.
     */
    DOUBLE;

    /** Compares {@code left / leftOf} with {@code right / rightOf}; nothing is negative. */
    int compareRatios(long left, long leftOf, long right, long rightOf) {
        if (this == DOUBLE) {
            return Double.compare(ratio(left, leftOf), ratio(right, rightOf));
        }
        int high = Long.compare(Math.multiplyHigh(left, rightOf), Math.multiplyHigh(right, leftOf));
        return high != 0 ? high : Long.compareUnsigned(left * rightOf, right * leftOf);
    }

    /** In thousandths. */
    static double ratio(long borrowed, long lendable) {
        return borrowed * 1000.0 / lendable;
    }
}
