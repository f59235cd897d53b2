package dev.sluice.quota;

import java.math.BigInteger;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A node's dominant resource share: how much of what its parent can lend it borrows, of the resource of which that is most,
 * in thousandths and divided by its weight. A root, and whoever stays within its own quota, has share 0. A node of weight 0
 * that borrows has an infinite share; two such compare by what they would have with weight 1.
 *
 * <p>Only what is above the node's quota counts, line by line; what can be lent is the parent's whole potential of the
 * resource over all flavors. Rules: Kueue's {@code fairSharing}, KEP-1714.
 *
 * <p>Shares compare exactly. Rounded to whole thousandths, all shares of heavy weights are the same number, and two queues
 * evict each other without end. Doubles decide where they are clearly apart; else fractions are multiplied out. As Kueue rounds them they
 * compare in a tree of {@link ShareArithmetic#DOUBLE}.
 */
public final class Share implements Comparable<Share> {
    /** Far more than two roundings can differ by. */
    private static final double CLEARLY = 1e-12;

    /** Of whoever borrows nothing. */
    static final Share NONE = new Share(FairWeight.ONE, false, null, 0, 1, ShareArithmetic.EXACT);

    private static final int[] NO_LINES = {};
    private static final long[] NO_AMOUNTS = {};

    private final FairWeight weight;
    private final boolean borrowing;
    private final @Nullable String resource;
    private final long borrowed;
    private final long lendable;
    private final ShareArithmetic arithmetic;

    private Share(
            FairWeight weight,
            boolean borrowing,
            @Nullable String resource,
            long borrowed,
            long lendable,
            ShareArithmetic arithmetic) {
        this.weight = weight;
        this.borrowing = borrowing;
        this.resource = resource;
        this.borrowed = borrowed;
        this.lendable = lendable;
        this.arithmetic = arithmetic;
    }

    /** As used now. */
    public static Share of(Ledger ledger, int node) {
        return of(ledger, node, NO_LINES, NO_AMOUNTS);
    }

    /**
     * As it would be if so much more were charged to the node, as for a queue a charge is.
     *
     * @param added lines, each once
     * @param amounts of each of them
     */
    public static Share of(Ledger ledger, int node, int[] added, long[] amounts) {
        QuotaTree tree = ledger.tree();
        FairWeight weight = tree.weight(node);
        int parent = tree.parent(node);
        if (parent == QuotaTree.NONE) {
            return new Share(weight, false, null, 0, 1, tree.shareArithmetic());
        }
        int[] lines = tree.listedLines(node);
        boolean borrowing = false;
        int dominant = QuotaTree.NONE;
        long borrowed = 0;
        long lendable = 1;
        for (int index = 0; index < lines.length; ) {
            int resource = tree.resourceOf(lines[index]);
            long sum = 0;
            for (; index < lines.length && tree.resourceOf(lines[index]) == resource; index++) {
                long used = ledger.used(node, lines[index]);
                for (int each = 0; each < added.length; each++) {
                    used = added[each] == lines[index] ? Amounts.plus(used, amounts[each]) : used;
                }
                long above = Amounts.minus(used, tree.subtreeQuota(node, lines[index]));
                if (above > 0) {
                    sum = Amounts.plus(sum, above);
                }
            }
            if (sum > 0) {
                borrowing = true;
                long whole = tree.lendable(parent, resource);
                if (whole > 0 && tree.shareArithmetic().compareRatios(sum, whole, borrowed, lendable) > 0) {
                    dominant = resource;
                    borrowed = sum;
                    lendable = whole;
                }
            }
        }
        return new Share(
                weight,
                borrowing,
                dominant == QuotaTree.NONE ? null : tree.resource(dominant),
                borrowed,
                lendable,
                tree.shareArithmetic());
    }

    /** Whether it says the same of the same node: the same amounts of the same resource, not only an equal share. */
    boolean isSame(Share other) {
        return borrowing == other.borrowing
                && borrowed == other.borrowed
                && lendable == other.lendable
                && Objects.equals(resource, other.resource);
    }

    /** Whether anything is used above the node's quota; possibly with share 0, where the parent can lend nothing. */
    public boolean isBorrowing() {
        return borrowing;
    }

    /** Of what it borrows most; the first by name if it is the same of several. Null = share 0. */
    public @Nullable String dominantResource() {
        return resource;
    }

    public boolean isInfinite() {
        return borrowed > 0 && weight.isZero();
    }

    /** The nearest double, for people; {@link Double#POSITIVE_INFINITY} for an infinite share. */
    public double value() {
        return borrowed == 0 ? 0 : ShareArithmetic.ratio(borrowed, lendable) / weight.rounded();
    }

    /** The nearest double rounded up, as Kueue tells it; {@link Long#MAX_VALUE} for an infinite share. */
    public long rounded() {
        return (long) Math.ceil(value());
    }

    private BigInteger numerator() {
        return BigInteger.valueOf(borrowed).multiply(weight.denominator());
    }

    private BigInteger denominator() {
        return BigInteger.valueOf(lendable).multiply(weight.numerator());
    }

    /** The lower share is the first to be given something, and the last to give. */
    @Override
    public int compareTo(Share other) {
        if (isInfinite() || other.isInfinite()) {
            return isInfinite() && other.isInfinite()
                    ? arithmetic.compareRatios(borrowed, lendable, other.borrowed, other.lendable)
                    : Boolean.compare(isInfinite(), other.isInfinite());
        }
        if (arithmetic == ShareArithmetic.DOUBLE) {
            return Double.compare(value(), other.value());
        }
        if (borrowed == 0 || other.borrowed == 0 || weight.isSame(other.weight)) {
            return arithmetic.compareRatios(borrowed, lendable, other.borrowed, other.lendable);
        }
        double left = value();
        double right = other.value();
        // never true of an infinite double, which only says that it is too large to be told
        if (Math.abs(left - right) > CLEARLY * (left + right)) {
            return Double.compare(left, right);
        }
        return numerator()
                .multiply(other.denominator())
                .compareTo(other.numerator().multiply(denominator()));
    }

    /** Equal shares rank the same, whatever they are shares of. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other == this || (other instanceof Share share && compareTo(share) == 0);
    }

    @Override
    public int hashCode() {
        return isInfinite()
                ? Double.hashCode(ShareArithmetic.ratio(borrowed, lendable))
                : Float.hashCode((float) value());
    }

    @Override
    public String toString() {
        return resource == null ? "0" : value() + " of " + resource;
    }
}
