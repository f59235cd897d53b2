package dev.sluice.admission;

import static dev.sluice.testkit.WorkloadBuilder.aWorkload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.workload.WorkloadState;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How long what runs is left alone, to the second. */
@Tag("core")
class ProtectionTest {
    private static final Instant ADMITTED = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final String PREEMPTOR = "research";

    private final TrackedWorkload candidate = running("candidate", ADMITTED);

    private static TrackedWorkload running(String name, Instant admittedAt) {
        TrackedWorkload one = new TrackedWorkload(
                aWorkload(name).in("q").gpus(1).createdAt(ADMITTED).build(), ADMITTED);
        one.state = WorkloadState.RUNNING;
        one.admittedAt = admittedAt;
        return one;
    }

    private static Protection at(Instant now, Duration minimum, int brakeAfter, Duration brakeFor) {
        return new Protection(one -> false, new VictimChoice(minimum, brakeAfter, brakeFor, true, true), now);
    }

    private boolean covered(Instant now, Duration minimum, int brakeAfter, Duration brakeFor) {
        return at(now, minimum, brakeAfter, brakeFor).covers(candidate, PREEMPTOR);
    }

    @Test
    void the_minimum_run_time_ends_with_its_last_moment() {
        assertThat(covered(ADMITTED, HOUR, 0, Duration.ZERO)).isTrue();
        assertThat(covered(ADMITTED.plus(HOUR).minusNanos(1), HOUR, 0, Duration.ZERO))
                .isTrue();
        assertThat(covered(ADMITTED.plus(HOUR), HOUR, 0, Duration.ZERO)).isFalse();
        assertThat(covered(ADMITTED.minusSeconds(1), Duration.ZERO, 0, Duration.ZERO))
                .as("no minimum protects nobody")
                .isFalse();
    }

    @Test
    void the_brake_is_on_after_so_many_preemptions_in_a_row_for_the_same_queue() {
        candidate.preemptedBy = PREEMPTOR;
        candidate.preemptedInARow = 1;
        assertThat(covered(ADMITTED, Duration.ZERO, 2, MINUTE)).isFalse();
        candidate.preemptedInARow = 2;
        assertThat(covered(ADMITTED, Duration.ZERO, 2, MINUTE)).isTrue();
        assertThat(covered(ADMITTED.plus(MINUTE), Duration.ZERO, 2, MINUTE)).isFalse();
        assertThat(covered(ADMITTED, Duration.ZERO, 0, MINUTE))
                .as("0 = no brake")
                .isFalse();
        candidate.preemptedBy = "another";
        assertThat(covered(ADMITTED, Duration.ZERO, 2, MINUTE)).isFalse();
    }

    @Test
    void the_longer_of_both_holds() {
        candidate.preemptedBy = PREEMPTOR;
        candidate.preemptedInARow = 5;
        Instant afterAMinute = ADMITTED.plus(MINUTE);

        assertThat(covered(afterAMinute, MINUTE, 2, HOUR)).isTrue();
        assertThat(covered(afterAMinute, HOUR, 2, MINUTE)).isTrue();
        candidate.preemptedInARow = 1;
        assertThat(covered(afterAMinute, MINUTE, 2, HOUR))
                .as("without the brake")
                .isFalse();
    }

    @Test
    void only_what_runs_is_protected_by_time() {
        candidate.state = WorkloadState.EVICTING;
        assertThat(covered(ADMITTED, HOUR, 0, Duration.ZERO)).isFalse();
        candidate.state = WorkloadState.ADMITTED;
        assertThat(covered(ADMITTED, HOUR, 0, Duration.ZERO)).isTrue();
        candidate.admittedAt = null;
        assertThat(covered(ADMITTED, HOUR, 0, Duration.ZERO)).isFalse();
    }

    @Test
    void who_was_dealt_with_already_is_spared_and_tells_no_time() {
        Protection protection = new Protection(
                one -> one == candidate, new VictimChoice(Duration.ZERO, 0, Duration.ZERO, true, true), ADMITTED);

        assertThat(protection.covers(candidate, PREEMPTOR)).isTrue();
        assertThat(protection.endsFirst()).isNull();
    }

    @Test
    void the_first_end_of_all_that_were_asked_about_is_told_until_it_is_forgotten() {
        Protection protection = at(ADMITTED.plus(MINUTE), HOUR, 0, Duration.ZERO);
        TrackedWorkload later = running("later", ADMITTED.plus(MINUTE));

        assertThat(protection.covers(later, PREEMPTOR)).isTrue();
        assertThat(protection.endsFirst()).isEqualTo(ADMITTED.plus(MINUTE).plus(HOUR));
        assertThat(protection.covers(candidate, PREEMPTOR)).isTrue();
        assertThat(protection.endsFirst()).isEqualTo(ADMITTED.plus(HOUR));
        assertThat(protection.covers(later, PREEMPTOR)).isTrue();
        assertThat(protection.endsFirst()).isEqualTo(ADMITTED.plus(HOUR));
        protection.forget();
        assertThat(protection.endsFirst()).isNull();
    }
}
