package dev.sluice.naive;

import dev.sluice.quota.QuotaLine;
import dev.sluice.simulation.PlainTree;
import dev.sluice.simulation.PlainUsage;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A dominant resource share as an exact fraction. Rules: Kueue's fair sharing, KEP-1714.
 *
 * @param borrowing whether anything is used above the node's quota, be its share 0
 * @param infinite borrows with weight 0; then the fraction is what it would be with weight 1
 */
record NaiveShare(boolean borrowing, boolean infinite, BigInteger numerator, BigInteger denominator)
        implements Comparable<NaiveShare> {
    private static final NaiveShare NOTHING = new NaiveShare(false, false, BigInteger.ZERO, BigInteger.ONE);

    static NaiveShare of(PlainUsage usage, String node) {
        PlainTree tree = usage.tree();
        String parent = tree.parent(node);
        if (parent == null) {
            return NOTHING;
        }
        SortedMap<String, Long> borrowed = new TreeMap<>();
        SortedMap<String, Long> lendable = new TreeMap<>();
        for (QuotaLine line : tree.lines()) {
            long above = usage.used(node, line) - tree.subtreeQuota(node, line);
            lendable.merge(line.resource(), tree.potential(parent, line), Long::sum);
            if (above > 0) {
                borrowed.merge(line.resource(), above, Long::sum);
            }
        }
        NaiveShare most = NOTHING;
        boolean borrowing = false;
        for (Map.Entry<String, Long> entry : borrowed.entrySet()) {
            long whole = lendable.getOrDefault(entry.getKey(), 0L);
            borrowing |= entry.getValue() > 0;
            if (entry.getValue() > 0 && whole > 0) {
                NaiveShare share = weighted(entry.getValue(), whole, tree.weight(node));
                most = share.compareTo(most) > 0 ? share : most;
            }
        }
        return new NaiveShare(borrowing, most.infinite, most.numerator, most.denominator);
    }

    private static NaiveShare weighted(long borrowed, long lendable, BigDecimal weight) {
        BigInteger above = BigInteger.valueOf(borrowed);
        BigInteger whole = BigInteger.valueOf(lendable);
        if (weight.signum() == 0) {
            return new NaiveShare(true, true, above, whole);
        }
        BigDecimal scaled = weight.setScale(Math.max(0, weight.scale()));
        return new NaiveShare(
                true,
                false,
                above.multiply(BigInteger.TEN.pow(scaled.scale())),
                whole.multiply(scaled.unscaledValue()));
    }

    @Override
    public int compareTo(NaiveShare other) {
        return infinite != other.infinite
                ? Boolean.compare(infinite, other.infinite)
                : numerator.multiply(other.denominator).compareTo(other.numerator.multiply(denominator));
    }
}
