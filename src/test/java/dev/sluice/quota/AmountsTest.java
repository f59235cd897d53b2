package dev.sluice.quota;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("core")
class AmountsTest {
    @Test
    void sums_and_products_stop_at_the_ends_of_the_range() {
        assertThat(Amounts.add(Long.MAX_VALUE, 1)).isEqualTo(Long.MAX_VALUE);
        assertThat(Amounts.add(Long.MIN_VALUE, -1)).isEqualTo(Long.MIN_VALUE);
        assertThat(Amounts.subtract(Long.MIN_VALUE, 1)).isEqualTo(Long.MIN_VALUE);
        assertThat(Amounts.multiply(9_000_000_000_000_000_000L, 2000)).isEqualTo(Long.MAX_VALUE);
        assertThat(Amounts.multiply(-9_000_000_000_000_000_000L, 2000)).isEqualTo(Long.MIN_VALUE);
        assertThat(Amounts.multiply(3, -4)).isEqualTo(-12);
    }

    @Test
    void unlimited_stays_unlimited() {
        assertThat(Amounts.plus(Amounts.UNLIMITED, -5)).isEqualTo(Amounts.UNLIMITED);
        assertThat(Amounts.minus(Amounts.UNLIMITED, 5)).isEqualTo(Amounts.UNLIMITED);
        assertThat(Amounts.minus(5, Amounts.UNLIMITED)).isEqualTo(Long.MIN_VALUE);
        assertThat(Amounts.minus(Amounts.UNLIMITED, Amounts.UNLIMITED)).isZero();
    }

    @Test
    void quantities_are_exact_round_up_and_saturate() {
        assertThat(Quantity.parse("1E").units("cpu")).isEqualTo(Long.MAX_VALUE);
        assertThat(Quantity.parse("1E").units("memory")).isEqualTo(1_000_000_000_000_000_000L);
        assertThat(Quantity.parse("9223372036854775808").units("gpu")).isEqualTo(Long.MAX_VALUE);
        assertThat(Quantity.parse("4.1Gi").units("memory")).isEqualTo(4_402_341_479L);
        assertThat(Quantity.parse("1m").units("memory")).isEqualTo(1);
        assertThat(Quantity.parse("0.5").units("gpu")).isEqualTo(1);
        assertThat(Quantity.parse("300m").units("cpu")).isEqualTo(300);
        assertThat(Quantity.parse("0.1m").units("cpu")).isEqualTo(1);
    }
}
