package dev.sluice.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class EngineClockTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    private final AtomicLong nanos = new AtomicLong(7);
    private final EngineClock clock = new EngineClock(nanos::get, NOON);

    @Test
    void time_goes_on_between_two_answers_of_the_database() {
        nanos.addAndGet(Duration.ofSeconds(3).toNanos());

        assertThat(clock.now()).isEqualTo(NOON.plusSeconds(3));
    }

    @Test
    void a_database_clock_that_jumps_back_stops_nothing_and_turns_nothing_back() {
        nanos.addAndGet(Duration.ofSeconds(3).toNanos());
        clock.follow(NOON.minusSeconds(3600));

        assertThat(clock.now()).isEqualTo(NOON.plusSeconds(3));
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(clock.now()).isEqualTo(NOON.plusSeconds(4));
    }

    @Test
    void a_database_clock_that_jumps_ahead_is_followed() {
        clock.follow(NOON.plusSeconds(3600));

        assertThat(clock.now()).isEqualTo(NOON.plusSeconds(3600));
    }

    @Test
    void time_has_the_resolution_of_the_store() {
        nanos.addAndGet(1_999);

        assertThat(clock.now()).isEqualTo(NOON.plusNanos(1_000));
    }
}
