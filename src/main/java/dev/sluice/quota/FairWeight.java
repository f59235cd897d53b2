package dev.sluice.quota;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * A fair-sharing weight, exact: the larger, the more of what can be borrowed is a node's due. 0 = nothing is, so whatever it
 * borrows is infinitely much.
 */
final class FairWeight {
    static final FairWeight ONE = new FairWeight(BigDecimal.ONE);

    private final BigDecimal value;
    private final double rounded;
    /** The weight is {@code numerator / denominator}. */
    private final BigInteger numerator;

    private final BigInteger denominator;

    private FairWeight(BigDecimal exact) {
        value = exact.signum() == 0 ? BigDecimal.ZERO : exact.stripTrailingZeros();
        rounded = value.doubleValue();
        numerator = value.scale() > 0 ? value.unscaledValue() : value.toBigIntegerExact();
        denominator = value.scale() > 0 ? BigInteger.TEN.pow(value.scale()) : BigInteger.ONE;
    }

    static FairWeight of(Quantity weight) {
        return weight.value().compareTo(BigDecimal.ONE) == 0 ? ONE : new FairWeight(weight.value());
    }

    boolean isZero() {
        return value.signum() == 0;
    }

    /** Nearest double; may be infinite, and 0 for what is not. */
    double rounded() {
        return rounded;
    }

    BigInteger numerator() {
        return numerator;
    }

    BigInteger denominator() {
        return denominator;
    }

    boolean isSame(FairWeight other) {
        return this == other || value.compareTo(other.value) == 0;
    }
}
