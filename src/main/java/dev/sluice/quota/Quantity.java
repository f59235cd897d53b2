package dev.sluice.quota;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Kubernetes quantity, exact, remembering how it was written ({@code 1500m}, {@code 4.1Gi}, {@code 1E}).
 *
 * <p>Two quantities are equal when their values are, however they are written. Amounts that the engine counts with are
 * made by {@link #units}: milli-units for {@code cpu}, whole units rounded up for everything else, saturating at
 * {@link Long#MAX_VALUE}.
 */
public final class Quantity implements Comparable<Quantity> {
    public static final Quantity ZERO = new Quantity(BigDecimal.ZERO, "0");

    private static final Pattern FORM = Pattern.compile(
            "([+-]?)([0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:([eE][+-]?[0-9]{1,9})|([numkMGTPE]|[KMGTPE]i))?");
    private static final int LENGTH_MAX = 64;
    private static final int EXPONENT_MAX = 400;
    private static final BigDecimal LONG_MAX = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final BigDecimal LONG_MIN = BigDecimal.valueOf(Long.MIN_VALUE);
    private static final Map<String, BigDecimal> SUFFIXES = Map.ofEntries(
            Map.entry("n", BigDecimal.ONE.movePointLeft(9)),
            Map.entry("u", BigDecimal.ONE.movePointLeft(6)),
            Map.entry("m", BigDecimal.ONE.movePointLeft(3)),
            Map.entry("k", BigDecimal.ONE.movePointRight(3)),
            Map.entry("M", BigDecimal.ONE.movePointRight(6)),
            Map.entry("G", BigDecimal.ONE.movePointRight(9)),
            Map.entry("T", BigDecimal.ONE.movePointRight(12)),
            Map.entry("P", BigDecimal.ONE.movePointRight(15)),
            Map.entry("E", BigDecimal.ONE.movePointRight(18)),
            Map.entry("Ki", BigDecimal.valueOf(1L << 10)),
            Map.entry("Mi", BigDecimal.valueOf(1L << 20)),
            Map.entry("Gi", BigDecimal.valueOf(1L << 30)),
            Map.entry("Ti", BigDecimal.valueOf(1L << 40)),
            Map.entry("Pi", BigDecimal.valueOf(1L << 50)),
            Map.entry("Ei", BigDecimal.valueOf(1L << 60)));

    private final BigDecimal value;
    private final String text;

    private Quantity(BigDecimal value, String text) {
        this.value = value;
        this.text = text;
    }

    /**
     * @throws IllegalArgumentException saying which rule the text breaks; the message is fit for a caller to read
     */
    public static Quantity parse(String text) {
        if (text.length() > LENGTH_MAX) {
            throw new IllegalArgumentException("must be a Kubernetes quantity of at most 64 characters");
        }
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "must be a Kubernetes quantity, such as 4, 500m, 1.5Gi or 1e3: digits, then one of n u m k M G T P E"
                            + " Ki Mi Gi Ti Pi Ei or a decimal exponent");
        }
        BigDecimal number = new BigDecimal(form.group(1) + form.group(2));
        if (form.group(3) != null) {
            int exponent = Integer.parseInt(form.group(3).substring(1).replaceFirst("^\\+", ""));
            if (Math.abs(exponent) > EXPONENT_MAX) {
                throw new IllegalArgumentException("must have a decimal exponent between -400 and 400");
            }
            number = number.scaleByPowerOfTen(exponent);
        } else if (form.group(4) != null) {
            number = number.multiply(SUFFIXES.getOrDefault(form.group(4), BigDecimal.ONE));
        }
        return new Quantity(number, text);
    }

    public static Quantity of(long whole) {
        return new Quantity(BigDecimal.valueOf(whole), Long.toString(whole));
    }

    /** Of an amount that was computed, in base units. */
    public static Quantity of(BigDecimal value) {
        return new Quantity(value, value.stripTrailingZeros().toPlainString());
    }

    /** The exact value, in base units (cores, bytes, devices). */
    public BigDecimal value() {
        return value;
    }

    public boolean isNegative() {
        return value.signum() < 0;
    }

    public boolean isWhole() {
        return value.stripTrailingZeros().scale() <= 0;
    }

    /**
     * What a quota line of this resource counts: milli-units for cpu, else whole units. A fraction rounds up (a tenth of a
     * byte is a byte); what passes the range of {@code long} saturates.
     */
    public long units(String resource) {
        BigDecimal scaled = Resources.isCountedInMilli(resource) ? value.movePointRight(3) : value;
        if (scaled.compareTo(LONG_MAX) >= 0) {
            return Long.MAX_VALUE;
        }
        if (scaled.compareTo(LONG_MIN) <= 0) {
            return Long.MIN_VALUE;
        }
        return scaled.setScale(0, RoundingMode.CEILING).longValueExact();
    }

    @Override
    public int compareTo(Quantity other) {
        return value.compareTo(other.value);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Quantity quantity && value.compareTo(quantity.value) == 0;
    }

    @Override
    public int hashCode() {
        return value.stripTrailingZeros().hashCode();
    }

    /** As it was written. */
    @Override
    public String toString() {
        return text;
    }
}
