package dev.sluice.quota;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("core")
class AmountsTest {
    @Test
    void sums_and_differences_stop_at_the_ends_of_the_range() {
        assertThat(Amounts.add(Long.MAX_VALUE, 1)).isEqualTo(Long.MAX_VALUE);
        assertThat(Amounts.add(Long.MIN_VALUE, -1)).isEqualTo(Long.MIN_VALUE);
        assertThat(Amounts.subtract(Long.MIN_VALUE, 1)).isEqualTo(Long.MIN_VALUE);
        assertThat(Amounts.subtract(Long.MAX_VALUE, -1)).isEqualTo(Long.MAX_VALUE);
        assertThat(Amounts.subtract(0, Long.MIN_VALUE)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void sums_and_differences_within_the_range_are_exact() {
        assertThat(Amounts.add(5, 0)).isEqualTo(5);
        assertThat(Amounts.add(Long.MAX_VALUE - 1, 1)).isEqualTo(Long.MAX_VALUE);
        assertThat(Amounts.add(Long.MAX_VALUE, Long.MIN_VALUE)).isEqualTo(-1);
        assertThat(Amounts.subtract(5, 5)).isZero();
        assertThat(Amounts.subtract(5, 0)).isEqualTo(5);
        assertThat(Amounts.subtract(-1, Long.MAX_VALUE)).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void products_stop_at_the_ends_of_the_range_with_the_sign_that_they_have() {
        long large = 9_000_000_000_000_000_000L;
        assertThat(Amounts.multiply(large, 2000)).isEqualTo(Long.MAX_VALUE);
        assertThat(Amounts.multiply(-large, -2000)).isEqualTo(Long.MAX_VALUE);
        assertThat(Amounts.multiply(-large, 2000)).isEqualTo(Long.MIN_VALUE);
        assertThat(Amounts.multiply(large, -2000)).isEqualTo(Long.MIN_VALUE);
        assertThat(Amounts.multiply(1L << 62, 2)).isEqualTo(Long.MAX_VALUE);
        assertThat(Amounts.multiply(-(1L << 32), 1L << 32)).as("-2^64").isEqualTo(Long.MIN_VALUE);
        assertThat(Amounts.multiply(-(1L << 62), 3)).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void products_within_the_range_are_exact() {
        assertThat(Amounts.multiply(3, -4)).isEqualTo(-12);
        assertThat(Amounts.multiply(-3, -4)).isEqualTo(12);
        assertThat(Amounts.multiply(0, 5)).isZero();
        assertThat(Amounts.multiply(-(1L << 62), 2)).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void unlimited_stays_unlimited() {
        assertThat(Amounts.plus(Amounts.UNLIMITED, -5)).isEqualTo(Amounts.UNLIMITED);
        assertThat(Amounts.plus(-5, Amounts.UNLIMITED)).isEqualTo(Amounts.UNLIMITED);
        assertThat(Amounts.minus(Amounts.UNLIMITED, 5)).isEqualTo(Amounts.UNLIMITED);
        assertThat(Amounts.minus(5, Amounts.UNLIMITED)).isEqualTo(Long.MIN_VALUE);
        assertThat(Amounts.minus(Amounts.UNLIMITED, Amounts.UNLIMITED)).isZero();
        assertThat(Amounts.plus(2, 3)).isEqualTo(5);
        assertThat(Amounts.minus(2, 3)).isEqualTo(-1);
    }
}
