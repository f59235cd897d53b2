package dev.sluice.admission;

import dev.sluice.quota.Share;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is of many, each in a row of its own, by precedence. What tells most of them apart stands side by side, so that the first
 * is found by reading on; a sorted set is read here and there, and must be sorted anew with everything that happens, whether it is asked
 * or not.
 */
final class Standings {
    /** Of whoever need not borrow: below all shares. */
    private static final double NOT_BORROWING = -1;
    /** Far more than two roundings can differ by. */
    private static final double ROUNDED = 1e-9;

    private final BitSet hopeful = new BitSet();
    /** The nearest double; which of equal ones is lower, the shares tell. */
    private double[] values = new double[16];
    /** One for all that are alike. */
    private @Nullable Share[] shares = new Share[16];

    private int[] priorities = new int[16];
    private @Nullable Precedence[] precedences = new Precedence[16];

    /** @param earliest null = nobody stands there */
    void set(int row, @Nullable Precedence earliest) {
        if (row >= values.length) {
            int rows = Math.max(2 * values.length, row + 1);
            values = Arrays.copyOf(values, rows);
            shares = Arrays.copyOf(shares, rows);
            priorities = Arrays.copyOf(priorities, rows);
            precedences = Arrays.copyOf(precedences, rows);
        }
        hopeful.set(row, earliest != null);
        precedences[row] = earliest;
        if (earliest != null) {
            values[row] = earliest.borrows() ? earliest.share().value() : NOT_BORROWING;
            shares[row] = earliest.share();
            priorities[row] = earliest.priority();
        }
    }

    void remove(int row) {
        set(row, null);
    }

    /** A copy. */
    BitSet hopeful() {
        return (BitSet) hopeful.clone();
    }

    Precedence precedence(int row) {
        Precedence precedence = precedences[row];
        if (precedence == null) {
            throw new IllegalArgumentException("nobody stands in row " + row);
        }
        return precedence;
    }

    /** Of some rows, in each of which somebody stands; -1 = there are none. */
    int first(BitSet some) {
        int first = some.nextSetBit(0);
        for (int row = first; row >= 0; row = some.nextSetBit(row + 1)) {
            if (isBefore(row, first)) {
                first = row;
            }
        }
        return first;
    }

    private boolean isBefore(int row, int other) {
        double apart = values[row] - values[other];
        if (Math.abs(apart) > ROUNDED * Math.abs(values[other])) {
            return apart < 0;
        }
        if (priorities[row] != priorities[other] && Objects.equals(shares[row], shares[other])) {
            return priorities[row] > priorities[other];
        }
        return precedence(row).compareTo(precedence(other)) < 0;
    }
}
