package dev.sluice.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where the numbers of policies begin and end: waits that double, counts that give up, and what is no number at all. */
@Tag("core")
class PolicyNumbersTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration NEGATIVE = Duration.ofNanos(-1);

    private static StartRetries retries(int triesAtOnce, Duration base, Duration longest, int startsMax) {
        return new StartRetries(Duration.ZERO, true, triesAtOnce, base, longest, startsMax, true);
    }

    private static void refused(ThrowingCallable making) {
        assertThatIllegalArgumentException().isThrownBy(making);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 0",
        "2, 0",
        "3, 10",
        "4, 20",
        "5, 40",
        "6, 60",
        "7, 60",
        "33, 60",
        "34, 60",
        "2147483647, 60"
    })
    void a_failed_start_waits_twice_as_long_as_the_one_before_after_those_that_are_free(int failed, long seconds) {
        assertThat(retries(2, Duration.ofSeconds(10), Duration.ofSeconds(60), 0).retryAt(NOW, failed))
                .isEqualTo(NOW.plusSeconds(seconds));
    }

    @Test
    void the_longest_wait_is_reached_when_the_double_is_as_long() {
        assertThat(retries(0, Duration.ofSeconds(10), Duration.ofSeconds(40), 0).retryAt(NOW, 3))
                .isEqualTo(NOW.plusSeconds(40));
        assertThat(retries(0, SECOND, Duration.ofSeconds(1L << 32), 0).retryAt(NOW, 31))
                .isEqualTo(NOW.plusSeconds(1L << 30));
        assertThat(retries(0, SECOND, Duration.ofSeconds(1L << 32), 0).retryAt(NOW, 40))
                .as("it does not double for ever")
                .isEqualTo(NOW.plusSeconds(1L << 30));
        assertThat(retries(0, Duration.ZERO, Duration.ZERO, 0).retryAt(NOW, 5)).isEqualTo(NOW);
    }

    @Test
    void so_many_starts_and_no_more() {
        StartRetries three = retries(0, SECOND, SECOND, 3);

        assertThat(three.givesUpAfter(2)).isFalse();
        assertThat(three.givesUpAfter(3)).isTrue();
        assertThat(three.givesUpAfter(4)).isTrue();
        assertThat(retries(0, SECOND, SECOND, 0).givesUpAfter(1_000_000))
                .as("0 = for ever")
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0, 60", "1, 60", "2, 120", "3, 240", "5, 960", "6, 1800", "11, 1800", "40, 1800", "100, 1800"})
    void a_check_is_tried_again_after_a_minute_then_twice_as_long_up_to_half_an_hour(int tries, long seconds) {
        assertThat(CheckStatus.retryAt(NOW, tries)).isEqualTo(NOW.plusSeconds(seconds));
    }

    @Test
    void numbers_of_retries_are_not_negative_and_the_longest_wait_is_not_shorter_than_the_first() {
        refused(() -> new StartRetries(NEGATIVE, true, 0, SECOND, SECOND, 0, true));
        refused(() -> retries(-1, SECOND, SECOND, 0));
        refused(() -> retries(0, NEGATIVE, SECOND, 0));
        refused(() -> retries(0, SECOND, SECOND.minusNanos(1), 0));
        refused(() -> retries(0, SECOND, SECOND, -1));
    }

    @Test
    void numbers_about_victims_are_not_negative() {
        refused(() -> new VictimChoice(NEGATIVE, 0, Duration.ZERO, true, true));
        refused(() -> new VictimChoice(Duration.ZERO, -1, Duration.ZERO, true, true));
        refused(() -> new VictimChoice(Duration.ZERO, 0, NEGATIVE, true, true));
        refused(() -> new Overcommitment(true, NEGATIVE));
        assertThat(Overcommitment.drainAfter(Duration.ZERO)).isEqualTo(new Overcommitment(true, Duration.ZERO));
        assertThat(new VictimChoice(Duration.ZERO, 0, Duration.ZERO, false, false))
                .isEqualTo(VictimChoice.KUEUE);
    }
}
