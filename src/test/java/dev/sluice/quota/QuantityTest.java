package dev.sluice.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigDecimal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("core")
class QuantityTest {
    @Test
    void amounts_are_exact_round_up_and_saturate() {
        assertThat(Quantity.parse("1E").units("cpu")).isEqualTo(Long.MAX_VALUE);
        assertThat(Quantity.parse("1E").units("memory")).isEqualTo(1_000_000_000_000_000_000L);
        assertThat(Quantity.parse("9223372036854775808").units("gpu")).isEqualTo(Long.MAX_VALUE);
        assertThat(Quantity.parse("-1e30").units("gpu")).isEqualTo(Long.MIN_VALUE);
        assertThat(Quantity.parse("4.1Gi").units("memory")).isEqualTo(4_402_341_479L);
        assertThat(Quantity.parse("1m").units("memory")).isEqualTo(1);
        assertThat(Quantity.parse("0.5").units("gpu")).isEqualTo(1);
        assertThat(Quantity.parse("300m").units("cpu")).isEqualTo(300);
        assertThat(Quantity.parse("0.1m").units("cpu")).isEqualTo(1);
        assertThat(Quantity.parse("-1.5").units("gpu")).isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource({
        "1n, 0.000000001",
        "1u, 0.000001",
        "1m, 0.001",
        "1k, 1000",
        "1M, 1000000",
        "1G, 1000000000",
        "1T, 1000000000000",
        "1P, 1000000000000000",
        "1E, 1000000000000000000",
        "1Ki, 1024",
        "1Mi, 1048576",
        "1Gi, 1073741824",
        "1Ti, 1099511627776",
        "1Pi, 1125899906842624",
        "1Ei, 1152921504606846976",
        "1e3, 1000",
        "1E+3, 1000",
        "25e-1, 2.5",
        ".5, 0.5",
        "5., 5",
        "-1.5k, -1500",
        "+2, 2"
    })
    void every_form_has_its_value_and_is_given_back_as_it_was_written(String text, BigDecimal value) {
        Quantity quantity = Quantity.parse(text);

        assertThat(quantity.value()).isEqualByComparingTo(value);
        assertThat(quantity).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "1 Gi", "1gi", "1K", "1e", "abc", "1.2.3", "0x10", "--1", "1mm"})
    void anything_else_is_refused_with_the_forms_that_there_are(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Quantity.parse(text))
                .withMessageStartingWith("must be a Kubernetes quantity, such as 4, 500m, 1.5Gi or 1e3");
    }

    @Test
    void texts_and_exponents_have_limits() {
        assertThat(Quantity.parse("1".repeat(64)).toString()).hasSize(64);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Quantity.parse("1".repeat(65)))
                .withMessage("must be a Kubernetes quantity of at most 64 characters");
        assertThat(Quantity.parse("1e400").value()).isEqualByComparingTo("1e400");
        assertThat(Quantity.parse("1e-400").value()).isEqualByComparingTo("1e-400");
        for (String beyond : new String[] {"1e401", "1e-401"}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Quantity.parse(beyond))
                    .withMessage("must have a decimal exponent between -400 and 400");
        }
    }

    @Test
    void what_is_whole_has_no_fraction_however_it_is_written() {
        for (String whole : new String[] {"0", "0.0", "4", "40", "2.0", "1e3", "1000m", "-3"}) {
            assertThat(Quantity.parse(whole).isWhole()).as(whole).isTrue();
        }
        for (String fraction : new String[] {"0.5", "500m", "1e-1", "-1.5"}) {
            assertThat(Quantity.parse(fraction).isWhole()).as(fraction).isFalse();
        }
    }

    @Test
    void only_what_is_below_zero_is_negative() {
        assertThat(Quantity.parse("-1n").isNegative()).isTrue();
        assertThat(Quantity.ZERO.isNegative()).isFalse();
        assertThat(Quantity.parse("1n").isNegative()).isFalse();
    }

    @Test
    void quantities_are_equal_by_value() {
        assertThat(Quantity.parse("1000m")).isEqualTo(Quantity.of(1)).hasSameHashCodeAs(Quantity.of(1));
        assertThat(Quantity.parse("0.00")).isEqualTo(Quantity.ZERO).hasSameHashCodeAs(Quantity.ZERO);
        assertThat(Quantity.parse("1")).isNotEqualTo(Quantity.parse("2")).isNotEqualTo("1");
        assertThat(Quantity.parse("1")).isLessThan(Quantity.parse("1001m"));
    }

    @Test
    void a_computed_amount_is_written_plainly() {
        assertThat(Quantity.of(new BigDecimal("2500.00"))).hasToString("2500");
        assertThat(Quantity.of(7)).hasToString("7");
    }
}
